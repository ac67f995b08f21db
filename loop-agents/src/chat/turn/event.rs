//! What is seen of a turn while it runs.

use super::super::{ContextMeasure, Delta, ToolCall};
use crate::tools::ToolReport;

/// Something that happened in a turn, as it happens.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum TurnEvent<'a> {
    /// A piece of a reply, or word that its pieces are void.
    Delta(Delta<'a>),
    /// A reply has come whole. What is called from here to the next one, it asked for.
    Replied,
    /// A tool is going to be called.
    Calling(&'a ToolCall),
    /// It was called.
    Called(&'a ToolReport),
    /// With the results of its calls, what the model is asked next takes its whole window, or more. Said once in a turn.
    Full(ContextMeasure),
    /// The model had its rounds: it is asked for a reply without calls.
    OutOfRounds,
}
