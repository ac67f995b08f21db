//! The knowledge about a workspace: documents and notes. The command line and the session make the same
//! requests, and show the same replies.

mod embedders;
mod error;
mod notes;
mod rag;
mod secrets;

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use loop_knowledge::KnowledgeFolder;
use loop_manifest::settings::Settings;
use loop_telemetry::{Redactor, StateDir};
use serde_json::Value;

use self::embedders::Embedders;
pub use self::{error::KnowledgeError, notes::NotesRequest, rag::RagRequest, secrets::WorkspaceSecrets};

/// The knowledge about a workspace, and how its secrets are removed.
#[derive(Debug)]
pub struct WorkspaceKnowledge {
    folder: KnowledgeFolder,
    root: PathBuf,
    secrets: WorkspaceSecrets,
    embedders: Embedders,
    now: Timestamp,
}

impl WorkspaceKnowledge {
    /// Finds the knowledge about the workspace `root`. No file is created. `variables` are the user's, with the addresses
    /// and keys of models that embed.
    ///
    /// # Errors
    /// The state directory or the workspace is not usable.
    pub fn new(
        state: &StateDir,
        root: &Path,
        settings: &Settings,
        variables: &[(OsString, OsString)],
        redactor: Redactor,
        now: Timestamp,
    ) -> Result<Self, KnowledgeError> {
        let unusable = |source: io::Error| KnowledgeError::Workspace { path: root.to_owned(), source };
        let folder = KnowledgeFolder::of_workspace(&state.knowledge()?, root).map_err(unusable)?;
        let root = root.canonicalize().map_err(unusable)?;
        let secrets = WorkspaceSecrets::new(&root, &settings.policy(), redactor);
        let embedders = Embedders::new(settings, variables);
        Ok(Self { folder, root, secrets, embedders, now })
    }

    /// The folder of the databases and files.
    pub fn folder(&self) -> &KnowledgeFolder {
        &self.folder
    }

    /// Knows which files and words are secret.
    pub fn secrets(&self) -> &WorkspaceSecrets {
        &self.secrets
    }

    /// The time at which this was opened.
    pub fn now(&self) -> Timestamp {
        self.now
    }
}

/// The reply to a request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KnowledgeReply {
    /// The words for a person; may be empty.
    pub text: String,
    /// The same for programs: one value per item.
    pub json: Vec<Value>,
    /// Remarks for a person, such as a missing embedder.
    pub remarks: Vec<String>,
    /// Whether a search found nothing.
    pub is_empty: bool,
}

impl KnowledgeReply {
    fn said(text: impl Into<String>, json: Value) -> Self {
        Self { text: text.into(), json: vec![json], ..Self::default() }
    }

    fn list(lines: &[String], empty: &str, json: Vec<Value>) -> Self {
        let text = if lines.is_empty() { empty.to_owned() } else { lines.join("\n") };
        Self { text, json, ..Self::default() }
    }
}
