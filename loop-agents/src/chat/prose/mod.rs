//! Tool calls for models that have none.
//!
//! A small model that runs on a desk often knows no tool calls, or its server does not. It writes the call
//! into its answer instead, in a fenced block, and an agent that prints such an answer has done nothing. A
//! model of this kind is told what it may write, what it writes is read, and results come back to it as the
//! user's words: then it is a model like any other, with the same limits.

mod calls;
mod fences;
mod model;
mod render;

pub use self::{
    calls::written_calls,
    fences::{FencedBlock, fenced_blocks},
    model::ProseTools,
};
