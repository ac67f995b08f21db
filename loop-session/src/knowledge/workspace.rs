//! The place of the knowledge about a workspace.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use loop_agents::{process::RUN_VARIABLE, remote::RemoteReader};
use loop_knowledge::{KnowledgeFolder, documents::QueryOptions};
use loop_manifest::{
    ExecutionContext, ToolName,
    model::{self, ChatSetup},
    settings::{MemoryRules, RemoteDisabled, Settings},
};
use loop_telemetry::{DebugLog, Redactor, StateDir};
use serde_json::json;

use super::{embedders::Embedders, error::KnowledgeError, pdf::PdfPrograms, secrets::WorkspaceSecrets};

/// The knowledge about a workspace, and how its secrets are removed.
#[derive(Debug)]
pub struct WorkspaceKnowledge {
    pub(super) folder: KnowledgeFolder,
    pub(super) root: PathBuf,
    pub(super) secrets: WorkspaceSecrets,
    pub(super) embedders: Embedders,
    pub(super) now: Timestamp,
    pub(super) query_options: QueryOptions,
    /// Reads addresses, if the user's settings allow it.
    pub(super) remote: Result<RemoteReader, RemoteDisabled>,
    /// Reads PDF files, if programs can be run.
    pub(super) pdf: Option<PdfPrograms>,
    rules: MemoryRules,
    has_person: bool,
    pub(super) debug_log: Option<DebugLog>,
}

impl WorkspaceKnowledge {
    /// Finds the knowledge about the workspace `root`. No file is created. `variables` are the user's, with the addresses
    /// and keys of models that embed. With the variable of a run among them, an agent asks: it can propose memories, and
    /// changes none.
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
        let has_person = !variables.iter().any(|(name, _)| name == RUN_VARIABLE);
        let (query_options, rules) = (settings.rag(), settings.memory());
        let remote = settings.remote_reader(|wanted| {
            let found = variables.iter().rfind(|(name, _)| name == wanted);
            found.map(|(_, value)| value.clone())
        });
        let (pdf, debug_log) = (None, None);
        Ok(Self {
            folder,
            root,
            secrets,
            embedders,
            now,
            query_options,
            remote,
            pdf,
            rules,
            has_person,
            debug_log,
        })
    }

    /// Reads PDF files and files of other machines with programs, which run as those of this context do. Default: PDF files
    /// are binary files, and the programs for other machines have no supervisor.
    ///
    /// # Errors
    /// The folder cannot be worked in, or there is no place for the audit.
    pub fn with_programs(self, settings: &Settings, cx: &ExecutionContext) -> Result<Self, KnowledgeError> {
        let workspace = model::workspace(cx, settings.policy())?;
        let toolbox = ChatSetup::new(settings, cx).toolbox(&ToolName::ALL, &workspace, &model::audit(cx)?);
        let remote = self.remote.map(|reader| reader.supervisor(cx.supervisor().clone()));
        Ok(Self { remote, pdf: Some(PdfPrograms(toolbox)), ..self })
    }

    /// Sets the log of what recall and retrieval find. Default: none.
    #[must_use]
    pub fn with_debug_log(self, debug_log: Option<DebugLog>) -> Self {
        Self { debug_log, ..self }
    }

    /// Logs what was found for a text: items with `source`, `id` and `score`.
    pub(super) fn log_found(&self, event: &str, items: impl Iterator<Item = (String, String, f64)>) {
        let Some(log) = &self.debug_log else { return };
        let items: Vec<_> =
            items.map(|(source, id, score)| json!({ "source": source, "id": id, "score": score })).collect();
        log.write(event, &json!({ "items": items }));
    }

    /// The folder of the databases and files.
    pub fn folder(&self) -> &KnowledgeFolder {
        &self.folder
    }

    /// The folder of the workspace, without links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Knows which files and words are secret.
    pub fn secrets(&self) -> &WorkspaceSecrets {
        &self.secrets
    }

    /// How memories are used here, by the settings of the user and the project.
    pub fn rules(&self) -> &MemoryRules {
        &self.rules
    }

    /// Whether a person asks, and no agent of a run.
    pub fn has_person(&self) -> bool {
        self.has_person
    }

    /// Refuses something that only a person may do.
    ///
    /// # Errors
    /// An agent of a run asks.
    pub fn expect_person(&self, asked: &'static str) -> Result<(), KnowledgeError> {
        if self.has_person { Ok(()) } else { Err(KnowledgeError::InRun(asked)) }
    }

    /// The time at which this was opened.
    pub fn now(&self) -> Timestamp {
        self.now
    }
}
