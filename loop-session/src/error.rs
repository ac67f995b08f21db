//! Why a line of a session is not carried out, or a session does not begin.

use loop_agents::{
    chat::{SummaryError, TurnError},
    output::PatternError,
};
use loop_core::BuildError;
use loop_guardrails::policy::workspace::WorkspaceError;
use loop_manifest::{ToolsError, model::ModelChoiceError};
use loop_schedule::{JobError, JobIdError, SecretInAction, StoreError, ZoneError};
use loop_telemetry::{NoStateDir, transcript::SessionError};

/// Why a line of a session is not carried out. Each text says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The person ended it.
    #[error("interrupted")]
    Interrupted,
    /// No command has this name.
    #[error(transparent)]
    UnknownCommand(#[from] UnknownCommand),
    /// The arguments of a command are wrong.
    #[error("{problem}\n  usage: {usage}")]
    Misused {
        /// What is wrong with them.
        problem: String,
        /// How they are written.
        usage: String,
    },
    /// There is no model that could answer.
    #[error("no model answers here: `/model use NAME` takes one, `/model list` shows which are known")]
    NoModel,
    /// The policy, a tool or the state of the session does not allow it. The text says why.
    #[error("{0}")]
    Refused(String),
    /// The model that was named cannot be asked.
    #[error(transparent)]
    Model(#[from] ModelChoiceError),
    /// The model did not answer.
    #[error(transparent)]
    Turn(#[from] TurnError),
    /// The conversation was not summarised.
    #[error(transparent)]
    Summary(SummaryError),
    /// A transcript cannot be used.
    #[error(transparent)]
    Transcript(#[from] SessionError),
    /// The folder, or a path in it, cannot be used.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The job cannot be scheduled.
    #[error(transparent)]
    Job(#[from] JobError),
    /// What the job does has a secret in it.
    #[error(transparent)]
    Secret(#[from] SecretInAction),
    /// The stored jobs cannot be read or written.
    #[error(transparent)]
    Jobs(#[from] StoreError),
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] std::io::Error),
    /// The pattern that ends a loop is wrong.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The loop cannot be built.
    #[error(transparent)]
    Loop(#[from] BuildError),
}

impl InputError {
    /// Returns a refusal with this text.
    pub fn refused(text: impl Into<String>) -> Self {
        Self::Refused(text.into())
    }

    /// Returns whether a person ended what was done.
    pub const fn is_interrupted(&self) -> bool {
        matches!(self, Self::Interrupted)
    }
}

impl From<SummaryError> for InputError {
    fn from(error: SummaryError) -> Self {
        match error {
            SummaryError::Cancelled => Self::Interrupted,
            error => Self::Summary(error),
        }
    }
}

impl From<JobIdError> for InputError {
    fn from(error: JobIdError) -> Self {
        Self::Refused(error.to_string())
    }
}

/// Why a session does not begin.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum OpenError {
    /// The model that was named cannot be asked.
    Model(#[from] ModelChoiceError),
    /// Tools cannot work in the folder, or there is no place for their audit.
    Tools(#[from] ToolsError),
    /// There is no place for state.
    State(#[from] NoStateDir),
    /// The stored jobs cannot be used.
    Jobs(#[from] StoreError),
    /// The time zone of the machine cannot be told.
    Zone(#[from] ZoneError),
}

/// No command has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no command /{written}{}; /help lists what there is",
    meant.map(|meant| format!(" (did you mean /{meant}?)")).unwrap_or_default()
)]
pub struct UnknownCommand {
    pub(crate) written: String,
    pub(crate) meant: Option<&'static str>,
}
