//! The reasons why a plan cannot run here.

use std::error::Error;

use crate::{Diagnostics, model::ModelChoiceError};

/// The cause of a failure in a part whose own types do not matter here.
pub(crate) type BoxError = Box<dyn Error + Send + Sync>;

/// A plan that is valid, and cannot run here: a key is missing, for example, or the folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ComposeError {
    /// A part of the manifest cannot be made; the source says why.
    #[error("{key}")]
    Part {
        /// The key of the part, such as `agent.model`.
        key: String,
        /// The reason.
        source: BoxError,
    },
    /// A step names a model, and the agent is a command.
    #[error("{place} names the model `{name}`, but the agent is a command: remove that name")]
    ModelOfCommand {
        /// The step: `a step of the plan`, or the file of a pipeline.
        place: String,
        /// The name.
        name: String,
    },
    /// Several loops need copies of the folder, and there is no place for them.
    #[error("`parallel` has no folder for its copies: set HOME or XDG_CACHE_HOME")]
    NoCopies,
    /// Several loops cannot work in copies that share one repository.
    #[error(
        "`parallel` cannot work in {}: its commits go to {}, which all copies would share. Run it in a clone, or leave \
         `parallel` out",
        folder.display(), repository.display()
    )]
    SharedRepository {
        /// The folder, a work tree of git.
        folder: std::path::PathBuf,
        /// The repository elsewhere.
        repository: std::path::PathBuf,
    },
    /// A sealed check needs snapshots, and there is no place for them.
    #[error(
        "`evaluator.sealed` needs snapshots of the folder: set HOME, XDG_STATE_HOME or LOOP_HOME, and do not write `snapshots: off`"
    )]
    NoSnapshots,
    /// A sealed check needs a folder for its tree.
    #[error("`evaluator.sealed` has no folder for its tree: set HOME or XDG_CACHE_HOME")]
    NoPlaceForSeal,
    /// The settings are wrong.
    #[error("{0}")]
    Settings(Diagnostics),
    /// No model is available.
    #[error(transparent)]
    Model(#[from] ModelChoiceError),
    /// The tools of a model cannot work in the folder.
    #[error(transparent)]
    Tools(#[from] ToolsError),
}

/// The reason why tools cannot work here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolsError {
    /// The folder cannot be worked in.
    #[error(transparent)]
    Workspace(#[from] loop_guardrails::policy::workspace::WorkspaceError),
    /// There is no place for the audit log.
    #[error("cannot record decisions about tools")]
    Audit(#[from] loop_telemetry::StateDirError),
}

impl ComposeError {
    /// Returns a function that makes the error of the part with this key out of its cause.
    pub(crate) fn part<E: Into<BoxError>>(key: impl Into<String>) -> impl FnOnce(E) -> Self {
        move |source| Self::Part { key: key.into(), source: source.into() }
    }
}
