//! The result of a turn.

use loop_core::Usage;
use serde::{Deserialize, Serialize};

use crate::tools::{ToolOutcome, ToolReport};

/// The result of a turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TurnOutput {
    /// The text of the last reply; the texts of earlier rounds are in the history.
    pub text: String,
    /// The calls in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCallSummary>,
    /// How many requests the turn made.
    pub rounds: u64,
    /// The reported usage.
    #[serde(default)]
    pub usage: Usage,
    /// Whether the rounds were used up, so that the turn asked for its last reply without tools.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub out_of_rounds: bool,
    /// Whether the last reply reached its token limit and was cut.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Whether the last reply asked for calls although the rounds were used up. The turn did not make them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wanted_calls: bool,
}

impl TurnOutput {
    /// Returns why the last reply does not finish the work, if it does not. Reads after "it": "was cut at ...".
    pub fn failure(&self) -> Option<String> {
        let cut = self.truncated.then_some("was cut off at its token limit");
        let early =
            self.wanted_calls.then_some("asked for more tool calls in its last reply than it could make");
        cut.or(early).map(str::to_owned)
    }
}

/// A call, without its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCallSummary {
    /// The tool's name, as the model wrote it.
    pub tool: String,
    /// Whether the call succeeded. Otherwise it failed or was rejected.
    pub done: bool,
}

impl From<&ToolReport> for ToolCallSummary {
    fn from(report: &ToolReport) -> Self {
        Self { tool: report.tool.clone(), done: report.outcome == ToolOutcome::Done }
    }
}
