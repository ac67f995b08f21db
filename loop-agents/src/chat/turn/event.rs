//! Events of a running turn.

use super::super::{ContextMeasure, Delta, ToolCall};
use crate::tools::ToolReport;

/// An event of a turn, reported while the turn runs.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum TurnEvent<'a> {
    /// A piece of a reply, or a notice that the earlier pieces are void.
    Delta(Delta<'a>),
    /// A reply is complete. The calls that follow, up to the next reply, belong to it.
    Replied,
    /// The turn is about to call a tool.
    Calling(&'a ToolCall),
    /// The turn has called a tool.
    Called(&'a ToolReport),
    /// With the results of its calls, the next request fills the model's whole window, or more. Reported once in a
    /// turn.
    Full(ContextMeasure),
    /// The rounds are used up: the turn asks for a reply without calls.
    OutOfRounds,
}
