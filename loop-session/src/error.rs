//! Errors of a session's lines, and of opening a session.

use loop_agents::{
    chat::{SummaryError, TurnError},
    output::PatternError,
    plan::PlanFileError,
    remote::RemoteError,
    skills::SkillError,
};
use loop_core::BuildError;
use loop_guardrails::policy::workspace::WorkspaceError;
use loop_manifest::{ToolsError, model::ModelChoiceError, settings::RemoteDisabled};
use loop_schedule::{JobError, JobIdError, SecretInAction, StoreError, ZoneError};
use loop_telemetry::{StateDirError, transcript::SessionError};

use crate::{AgreedScriptsError, knowledge::KnowledgeError};

/// The reason why a session cannot carry out a line. Each message says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The person interrupted the line.
    #[error("interrupted")]
    Interrupted,
    /// No command has this name.
    #[error(transparent)]
    UnknownCommand(#[from] UnknownCommand),
    /// The arguments of a command are wrong.
    #[error("{problem}\n  usage: {usage}")]
    Misused {
        /// The problem.
        problem: String,
        /// The usage of the command.
        usage: String,
    },
    /// No model is available.
    #[error("no model is selected: `/model use NAME` selects one, `/model list` lists the known ones")]
    NoModel,
    /// The policy, a tool or the state of the session refuses the line. The text gives the reason.
    #[error("{0}")]
    Refused(String),
    /// The named model is not usable.
    #[error(transparent)]
    Model(#[from] ModelChoiceError),
    /// The model did not answer.
    #[error(transparent)]
    Turn(#[from] TurnError),
    /// The conversation could not be summarised.
    #[error(transparent)]
    Summary(SummaryError),
    /// The transcript is not usable.
    #[error(transparent)]
    Transcript(#[from] SessionError),
    /// The folder, or a path in it, is not usable.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The job cannot be scheduled.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The job's action contains a secret.
    #[error(transparent)]
    Secret(#[from] SecretInAction),
    /// The stored jobs cannot be read or written.
    #[error(transparent)]
    Jobs(#[from] StoreError),
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] std::io::Error),
    /// The user's settings do not allow reading addresses.
    #[error(transparent)]
    RemoteDisabled(#[from] RemoteDisabled),
    /// An address cannot be read.
    #[error("{}", loop_core::with_causes(.0))]
    Remote(#[from] RemoteError),
    /// The pattern that ends a loop is invalid.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The plan's file is not usable.
    #[error(transparent)]
    Plan(#[from] PlanFileError),
    /// A skill is not usable.
    #[error(transparent)]
    Skill(#[from] SkillError),
    /// The scripts to which the user agreed are not known.
    #[error(transparent)]
    AgreedScripts(#[from] AgreedScriptsError),
    /// The documents or notes are not usable.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// The loop cannot be built.
    #[error(transparent)]
    Loop(#[from] BuildError),
}

impl InputError {
    /// Returns a refusal with this text.
    pub fn refused(text: impl Into<String>) -> Self {
        Self::Refused(text.into())
    }

    /// Returns whether a person interrupted the line.
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

/// The reason why a session cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum OpenError {
    /// The named model is not usable.
    Model(#[from] ModelChoiceError),
    /// Tools cannot work in the folder, or there is no place for their audit log.
    Tools(#[from] ToolsError),
    /// There is no place for the state.
    State(#[from] StateDirError),
    /// The folder of the user's own skills cannot be opened.
    Skills(#[from] SkillError),
    /// The stored jobs are not usable.
    Jobs(#[from] StoreError),
    /// The time zone of the machine is unknown.
    Zone(#[from] ZoneError),
}

/// No command has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no command /{written}{}; /help lists commands",
    meant.map(|meant| format!(" (did you mean /{meant}?)")).unwrap_or_default()
)]
pub struct UnknownCommand {
    pub(crate) written: String,
    pub(crate) meant: Option<&'static str>,
}
