//! One turn: a prompt goes in, the turn makes the calls that the model asks for, and a reply comes out.
//!
//! A turn is a loop like any other: its iteration is one round with the model, its goal a reply without calls, and its
//! guardrails are the limits of [`TurnLimits`]. So it ends, whatever the model does. If it crosses its budget, it
//! stops. A stopped turn leaves no trace in the conversation.

mod chat;
mod conversation_edits;
mod error;
mod event;
mod limits;
mod output;
mod round;
mod run;

pub(crate) use self::error::LEAST_WAIT;
pub(in crate::chat) use self::run::cancelled_with;
pub use self::{
    chat::Chat,
    error::TurnError,
    event::TurnEvent,
    limits::{DEFAULT_ROUNDS, TurnLimits},
    output::{ToolCallSummary, TurnOutput},
    run::Turn,
};
