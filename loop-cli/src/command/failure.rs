//! The kinds of failure of a command, each with its exit code.

use anyhow::Context;
use loop_agents::{chat::TurnError, plan::PlanFileError};
use loop_guardrails::policy::workspace::WorkspaceError;
use loop_manifest::{
    ComposeError, Diagnostics, RequestPlanError, VerificationError,
    model::{ModelChoiceError, ServerLineError},
    snapshots::SnapshotError,
    task::{LoopsError, TaskError},
};
use loop_schedule::JobError;
use loop_session::knowledge::KnowledgeError;
use loop_telemetry::{
    JournalError, RetentionError, StateDirError, StoreError, TelemetryError, transcript::SessionError,
};

use crate::{
    exit,
    view::{self, StdoutError},
};

/// The reason why a command failed.
///
/// No [`anyhow::Error`] converts into it: that would give every error the same exit code. Errors of libraries have
/// their own variants. For all others, [`OrFail`] names the kind where the error arises.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) enum Failure {
    /// The manifest or the settings are invalid. The text is a report that shows where.
    #[error("{}", view::diagnostics(.0))]
    Manifest(#[from] Diagnostics),
    /// The command line asks for something impossible.
    Usage(anyhow::Error),
    /// The folder, the machine or the terminal is not set up for the command.
    Setup(anyhow::Error),
    /// Another run, or something it left behind, is in the way.
    Busy(anyhow::Error),
    /// The plan cannot work here.
    Plan(#[from] ComposeError),
    /// The check of a run cannot run again.
    Verification(#[from] VerificationError),
    /// The task cannot be worked on here.
    Task(#[from] TaskError),
    /// The run of a task cannot have this many loops.
    Loops(#[from] LoopsError),
    /// No model is available.
    Model(#[from] ModelChoiceError),
    /// Tools cannot work in the folder.
    Workspace(#[from] WorkspaceError),
    /// The job cannot be scheduled.
    Job(#[from] JobError),
    /// There is no place for state.
    State(#[from] StateDirError),
    /// The file for the run's record is not usable.
    Record(#[from] TelemetryError),
    /// The store of runs refuses, or cannot be read or written.
    Store(#[from] StoreError),
    /// A variable about old runs or sessions is unusable.
    Retention(#[from] RetentionError),
    /// A stored session cannot be found, read or removed.
    Session(#[from] SessionError),
    /// The snapshots of a folder cannot be used.
    Snapshots(#[from] SnapshotError),
    /// The plan's file cannot be used.
    PlanFile(#[from] PlanFileError),
    /// No plan was made.
    RequestPlan(#[from] RequestPlanError),
    /// A run's journal cannot be read or written.
    Journal(#[from] JournalError),
    /// A run's journal contains something that this version cannot read.
    #[error("the journal has an output that this version cannot read: {0}")]
    Unreadable(String),
    /// The store of jobs cannot be read or written.
    Jobs(#[from] loop_schedule::StoreError),
    /// The history of fires cannot be read.
    Fires(#[from] loop_session::fires::FireHistoryError),
    /// Documents or notes cannot be used.
    Knowledge(#[from] KnowledgeError),
    /// A request about servers has no result.
    #[error("the servers cannot do this")]
    Servers(#[from] ServerLineError),
    /// A turn of a conversation has no reply.
    Turn(#[from] TurnError),
    /// Standard output cannot be written.
    Output(#[from] StdoutError),
    /// An internal error.
    Internal(anyhow::Error),
}

impl Failure {
    /// Returns the exit code of this kind. Unusable stored files count as a wrong set-up, because nothing was run.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Manifest(_) | Self::Usage(_) | Self::Setup(_) | Self::Busy(_) => exit::USAGE,
            Self::Plan(_) | Self::Verification(_) | Self::Task(_) | Self::Loops(_) | Self::Model(_) => {
                exit::USAGE
            }
            Self::Workspace(_) | Self::Job(_) | Self::State(_) | Self::Record(_) => exit::USAGE,
            Self::Retention(_) | Self::Session(_) | Self::Snapshots(_) => exit::USAGE,
            Self::Store(_) | Self::Journal(_) | Self::Unreadable(_) | Self::Jobs(_) | Self::Fires(_) => {
                exit::USAGE
            }
            Self::Knowledge(error) => {
                if error.is_usage() {
                    exit::USAGE
                } else {
                    exit::FAILED
                }
            }
            Self::Servers(ServerLineError::Managed { .. } | ServerLineError::Server(_)) => exit::FAILED,
            Self::Servers(_) => exit::USAGE,
            Self::PlanFile(_) | Self::RequestPlan(RequestPlanError::Agent(_)) => exit::USAGE,
            Self::RequestPlan(_) => exit::HALTED,
            Self::Turn(TurnError::EmptyPrompt) => exit::USAGE,
            Self::Turn(_) | Self::Output(_) | Self::Internal(_) => exit::FAILED,
        }
    }
}

/// Makes a [`Failure::Usage`] with this message, in the syntax of `format!`.
macro_rules! usage {
    ($($message:tt)*) => { $crate::command::Failure::Usage(anyhow::anyhow!($($message)*)) };
}
pub(crate) use usage;

/// Adds the kind of an error, and the action that failed.
pub(crate) trait OrFail<T, E>: Context<T, E> + Sized {
    /// Reports that the command line asks for something impossible.
    fn or_usage<C: Into<String>>(self, doing: impl FnOnce() -> C) -> Result<T, Failure> {
        self.with_context(|| doing().into()).map_err(Failure::Usage)
    }

    /// Reports that the folder, the machine or the terminal is not set up for the command.
    fn or_setup<C: Into<String>>(self, doing: impl FnOnce() -> C) -> Result<T, Failure> {
        self.with_context(|| doing().into()).map_err(Failure::Setup)
    }

    /// Reports an internal error.
    fn or_internal(self, doing: &'static str) -> Result<T, Failure> {
        self.context(doing).map_err(Failure::Internal)
    }
}

impl<T, E, R: Context<T, E>> OrFail<T, E> for R {}
