//! The place of the knowledge about a workspace.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use loop_knowledge::KnowledgeFolder;
use loop_manifest::settings::Settings;
use loop_telemetry::{Redactor, StateDir};

use super::{embedders::Embedders, error::KnowledgeError, secrets::WorkspaceSecrets};

/// The knowledge about a workspace, and how its secrets are removed.
#[derive(Debug)]
pub struct WorkspaceKnowledge {
    pub(super) folder: KnowledgeFolder,
    pub(super) root: PathBuf,
    pub(super) secrets: WorkspaceSecrets,
    pub(super) embedders: Embedders,
    pub(super) now: Timestamp,
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
