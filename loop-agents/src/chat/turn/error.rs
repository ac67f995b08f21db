//! Errors of a turn.

use std::time::Duration;

use loop_core::{Halt, StopReason, WorkError, with_causes};

use super::super::{ContextMeasure, ModelError};

/// The reason why a turn has no reply. The conversation is as it was before the turn, but the effects of its calls
/// remain. Inside a loop, use [`Turn::run_in`](super::Turn::run_in), which tells errors that pass from those that last.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TurnError {
    /// The prompt was empty.
    #[error("the prompt is empty")]
    EmptyPrompt,
    /// The conversation and the prompt do not fit into the window of the model. Nothing was sent.
    #[error("the prompt was not sent, because it does not fit: {0}; shorten it, or clear the conversation")]
    NoRoom(ContextMeasure),
    /// The system prompt leaves too little of the model's window. Nothing was sent.
    #[error(
        "the prompt was not sent, because the system prompt is too long: its {tokens} tokens, enlarged by a fifth, do \
         not fit into the window of {window} tokens; shorten it, or choose a model with a larger window"
    )]
    SystemTooLong {
        /// The estimated tokens of the system prompt.
        tokens: u64,
        /// The window of the model in tokens.
        window: u64,
    },
    /// The model did not answer.
    #[error("the model did not answer{}", after(*calls))]
    Model {
        /// The model's error.
        #[source]
        error: ModelError,
        /// How many calls the turn had made.
        calls: usize,
    },
    /// The turn crossed one of its limits.
    #[error("the turn was ended{}: {halt}", after(*calls))]
    Limit {
        /// The limit.
        halt: Halt,
        /// How many calls the turn had made.
        calls: usize,
    },
    /// The turn was cancelled.
    #[error("the turn was cancelled{}", after(*calls))]
    Cancelled {
        /// How many calls the turn had made.
        calls: usize,
    },
}

/// Names the finished calls, because their effects remain although the turn failed.
fn after(calls: usize) -> String {
    match calls {
        0 => String::new(),
        1 => " after 1 tool call".to_owned(),
        calls => format!(" after {calls} tool calls"),
    }
}

/// The shortest time to defer a turn. A limit may still hold when the vendor reports its end, and without this wait the
/// turn would ask again at once.
pub(crate) const LEAST_WAIT: Duration = Duration::from_secs(1);

impl TurnError {
    /// Converts the error for the surrounding loop: see [`Turn::run_in`](super::Turn::run_in).
    pub(in crate::chat) fn into_work_error(self) -> WorkError {
        let error = self;
        match &error {
            Self::EmptyPrompt | Self::SystemTooLong { .. } => {
                Halt::new(StopReason::PromptUndeliverable, error.to_string()).into()
            }
            Self::Model { error: model, calls } => match model.kind().wait() {
                Some(wait) if *calls == 0 => WorkError::Later { after: wait.max(LEAST_WAIT) },
                _ if model.kind().is_lasting() => {
                    Halt::new(StopReason::AgentUnavailable, with_causes(&error)).into()
                }
                _ => WorkError::failed(error),
            },
            Self::NoRoom(_) | Self::Limit { .. } | Self::Cancelled { .. } => WorkError::failed(error),
        }
    }
}
