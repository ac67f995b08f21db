//! Events of a running turn.

use super::super::{ContextMeasure, Delta, SummaryError, ToolCall};
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
    /// The command of the called tool printed these bytes, which are not redacted. Of much output at once only the
    /// newest 8 KiB are reported.
    Printed(&'a [u8]),
    /// The turn has called a tool.
    Called(&'a ToolReport),
    /// Little room is left in the model's window for the prompt: the older turns are summarised first.
    Summarising(ContextMeasure),
    /// A summary replaced this many messages. The measure includes the prompt.
    Summarised {
        /// The number of replaced messages.
        replaced: usize,
        /// The window after the summary.
        measure: ContextMeasure,
    },
    /// The summary failed, and the older turns stay as they are.
    Unsummarised(&'a SummaryError),
    /// The next request fills the model's whole window, or more: with the results of its calls, or with a prompt for
    /// which a [`ChatAgent`](super::super::ChatAgent) found no room. Reported once in a turn for each of the two.
    Full(ContextMeasure),
    /// The rounds are used up: the turn asks for a reply without calls.
    OutOfRounds,
}
