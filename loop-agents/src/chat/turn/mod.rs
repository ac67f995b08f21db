//! One turn: a prompt goes in, a reply comes out, and whatever the model calls in between is called.
//!
//! A turn is a loop like any other: its iteration is one round with the model, its goal a reply without
//! calls, and its guardrails are the limits of [`TurnLimits`]. So it ends, whatever the model does; it is cut
//! where its budget is crossed; and a turn that is cut has never been: the conversation is as before it.

mod change;
mod chat;
mod error;
mod event;
mod limits;
mod output;
mod round;
mod run;

pub(crate) use self::error::LEAST_WAIT;
pub use self::{
    chat::Chat,
    error::TurnError,
    event::TurnEvent,
    limits::TurnLimits,
    output::{MadeCall, TurnOutput},
    run::Turn,
};
