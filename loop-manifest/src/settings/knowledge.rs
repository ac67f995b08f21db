//! `[knowledge]`: how texts become vectors.
//!
//! It names files of the user, so a project cannot set it.

use std::path::{Path, PathBuf};

use super::table::{SettingsOwner, SettingsTable};
use crate::{Source, diagnostics::Diagnostic, document::Node};

/// The keys of the table.
const KEYS: &[&str] = &["model2vec"];

/// The values of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnowledgeSettings {
    /// The folder with the files of a model that the embedder `model2vec` uses.
    pub model2vec: Option<PathBuf>,
}

pub(super) fn read(
    node: &Node,
    source: &Source,
    owner: SettingsOwner,
    problems: &mut Vec<Diagnostic>,
) -> KnowledgeSettings {
    let Some(mut table) = SettingsTable::of("knowledge", KEYS, node, source, problems) else {
        return KnowledgeSettings::default();
    };
    table.refuse_in_project(KEYS, owner, "a project must not choose files of yours");
    KnowledgeSettings { model2vec: table.text("model2vec", absolute).map(|folder| folder.value) }
}

fn absolute(folder: &str) -> Result<PathBuf, String> {
    let path = Path::new(folder);
    if path.is_absolute() {
        return Ok(path.to_owned());
    }
    Err(format!("`{folder}` is not the absolute path of a folder"))
}
