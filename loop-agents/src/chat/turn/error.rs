//! Why a turn has no reply.

use std::time::Duration;

use loop_core::{Halt, StopReason, WorkError, with_causes};

use super::super::{ModelError, ModelErrorKind};

/// Why a turn has no reply. The conversation is as it was before the turn; what its calls did is done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TurnError {
    /// There was nothing to answer.
    #[error("the prompt is empty")]
    EmptyPrompt,
    /// The model did not answer.
    #[error("the model did not answer{}", after(*calls))]
    Model {
        /// Why not.
        #[source]
        error: ModelError,
        /// The calls that were made before.
        calls: usize,
    },
    /// A limit of the turn was crossed.
    #[error("the turn was ended{}: {halt}", after(*calls))]
    Limit {
        /// Which one.
        halt: Halt,
        /// The calls that were made before.
        calls: usize,
    },
    /// It was cancelled.
    #[error("the turn was cancelled{}", after(*calls))]
    Cancelled {
        /// The calls that were made before.
        calls: usize,
    },
}

/// What was done cannot be undone, so nobody should believe that nothing was.
fn after(calls: usize) -> String {
    match calls {
        0 => String::new(),
        1 => " after 1 tool call".to_owned(),
        calls => format!(" after {calls} tool calls"),
    }
}

/// The shortest time for which a turn is put off: a limit that is said to be over, and is not, must not be
/// asked in a hurry.
pub(crate) const LEAST_WAIT: Duration = Duration::from_secs(1);

impl TurnError {
    /// The consequence for the loop around it, to be used instead of `?` alone, which would make each error a failed step.
    /// A rate limit puts the turn off if no tool was called in it, and fails it otherwise, since it would do again
    /// what it did. What no further iteration can mend ends the run.
    pub fn into_work_error(self) -> WorkError {
        let error = self;
        match &error {
            Self::EmptyPrompt => Halt::new(StopReason::PromptUndeliverable, error.to_string()).into(),
            Self::Model { error: model, calls } => match model.kind() {
                ModelErrorKind::RateLimited { reset: Some(reset) } if *calls == 0 => {
                    WorkError::Later { after: reset.max(LEAST_WAIT) }
                }
                ModelErrorKind::Unauthorized | ModelErrorKind::NotFound => {
                    Halt::new(StopReason::AgentUnavailable, with_causes(&error)).into()
                }
                _ => WorkError::failed(error),
            },
            Self::Limit { .. } | Self::Cancelled { .. } => WorkError::failed(error),
        }
    }
}
