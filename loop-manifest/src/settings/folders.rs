//! `[folders."/a/folder"]`: what the user allows and forbids in one folder only.
//!
//! A permission that suits one project would be too much for another, and the file of the project itself cannot allow
//! anything. So these tables are in the user's own file, under the real path of the folder. They do not hold below it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use loop_guardrails::policy::{Permissions, PolicySettings, WithOrigin, command::CommandPrefix};

use super::{
    policy,
    table::{SettingsOwner, SettingsTable},
};
use crate::{
    Source,
    diagnostics::Diagnostic,
    document::{Node, Value},
    mismatch::{self, ExpectedValue},
};

/// The keys of each table.
const KEYS: &[&str] = &["allow", "forbid", "permissions"];

/// The values of the table of one folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FolderSettings {
    /// Commands that also run in the folder, by their leading words.
    pub allow: Vec<WithOrigin<CommandPrefix>>,
    /// Commands that never run in the folder.
    pub forbid: Vec<WithOrigin<CommandPrefix>>,
    /// The permitted actions by path, each in place of the user's general rule for the same path.
    pub permissions: Permissions,
}

impl FolderSettings {
    /// Adds these rules to the user's general ones.
    pub(super) fn add_to(&self, policy: &mut PolicySettings) {
        policy.allow.extend(self.allow.iter().cloned());
        policy.forbid.extend(self.forbid.iter().cloned());
        policy.permissions.extend(self.permissions.rules());
    }
}

/// Reads the tables, by the paths of their folders.
pub(super) fn read(
    node: &Node,
    source: &Source,
    owner: SettingsOwner,
    problems: &mut Vec<Diagnostic>,
) -> BTreeMap<PathBuf, FolderSettings> {
    let Value::Object(entries) = &node.value else {
        problems.push(mismatch::report("folders", ExpectedValue::Object, node, source.text()));
        return BTreeMap::new();
    };
    let mut folders = BTreeMap::new();
    for entry in entries {
        let mut wrong = |title: String| {
            problems.push(Diagnostic::error(title).at(entry.key_span.clone(), ""));
        };
        if owner == SettingsOwner::Project {
            wrong(
                "`folders` is only for a user's own settings, because a project cannot allow more".to_owned(),
            );
            continue;
        }
        if !Path::new(&entry.key).is_absolute() {
            wrong(format!(
                "`{}` is not an absolute path: write the folder's full path, without symbolic links",
                entry.key
            ));
            continue;
        }
        let name = format!("folders.{:?}", entry.key);
        let Some(mut table) = SettingsTable::of(&name, KEYS, &entry.node, source, problems) else { continue };
        let (allow, forbid) = (table.list("allow", str::parse), table.list("forbid", str::parse));
        let permissions = policy::permissions(&mut table);
        folders.insert(PathBuf::from(&entry.key), FolderSettings { allow, forbid, permissions });
    }
    folders
}
