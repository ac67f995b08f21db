//! The reasons why a task cannot be worked on.

use std::io;

use loop_agents::shell::CommandError;
use loop_guardrails::policy::workspace::WorkspaceError;

use super::TaskFileError;
use crate::{
    Diagnostics,
    compose::{ComposeError, ToolsError},
    model::ModelChoiceError,
};

/// A task that cannot be worked on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// The folder cannot be used, or the path leads out of it.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The file cannot be read.
    #[error("{path}")]
    Read {
        /// Its path.
        path: String,
        /// Why it cannot be read.
        source: io::Error,
    },
    /// The file has more than 1 MiB.
    #[error("{0} is larger than 1 MiB, so it cannot be a task")]
    Large(String),
    /// The file is wrong.
    #[error("{path}")]
    File {
        /// Its path.
        path: String,
        /// The underlying error.
        source: TaskFileError,
    },
    /// A part of an agent cannot be made.
    #[error(transparent)]
    PlannedAgent(#[from] ComposeError),
    /// No model can be asked.
    #[error(transparent)]
    Model(#[from] ModelChoiceError),
    /// The tools of a model cannot work in the folder.
    #[error(transparent)]
    Tools(#[from] ToolsError),
    /// A command cannot be run.
    #[error("{place}")]
    Command {
        /// Which command.
        place: String,
        /// Why it cannot be run.
        source: CommandError,
    },
    /// The settings are wrong.
    #[error("{0}")]
    Settings(Diagnostics),
    /// One of the two agents cannot work.
    #[error("{role}")]
    Role {
        /// Which of them.
        role: &'static str,
        /// Why it cannot work.
        source: Box<Self>,
    },
}

/// A run cannot have this many loops.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoopsError {
    /// It has more already.
    #[error("the run already has {had} iterations in all: `--max` can only raise that number")]
    Fewer {
        /// The loops that it has.
        had: u64,
    },
    /// None is left.
    #[error("the run has used up its iterations ({had}): `--resume --max {more}` gives it five more")]
    UsedUp {
        /// The loops that it had.
        had: u64,
        /// Five more.
        more: u64,
    },
}
