//! The reasons why snapshots cannot be used.

use loop_snapshots::Error;
use loop_telemetry::StateDirError;

use super::ApplyError;

/// The reason why the snapshots of a folder cannot be taken or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The store refuses, or cannot be read or written.
    #[error(transparent)]
    Store(Error),
    /// The store is damaged.
    #[error("{0}: `loop snapshots reset` does that")]
    Damaged(Error),
    /// There is no place for the store.
    #[error(transparent)]
    State(#[from] StateDirError),
    /// The result of a run cannot be handed over.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// The run has no snapshots.
    #[error("the run {0} has no snapshots\n  `loop snapshots list` lists those that there are")]
    NoSnapshots(String),
    /// The capture ended by a defect of this program.
    #[error("the capture ended early: {0}")]
    Panicked(String),
}

/// Names what repairs a damaged store.
impl From<Error> for SnapshotError {
    fn from(error: Error) -> Self {
        match error {
            Error::Damaged { .. } => Self::Damaged(error),
            Error::NoPatch(path) => Self::Apply(ApplyError::NoPatch(path)),
            error => Self::Store(error),
        }
    }
}
