//! What a turn left behind.

use loop_core::Usage;
use serde::{Deserialize, Serialize};

use crate::tools::{ToolOutcome, ToolReport};

/// What came of a turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TurnOutput {
    /// The last reply's words; those of rounds before it are in the history.
    pub text: String,
    /// The calls that were made, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<MadeCall>,
    /// How often the model was asked.
    pub rounds: u64,
    /// The usage that was reported.
    #[serde(default)]
    pub usage: Usage,
    /// The last reply was asked for without tools, since the rounds were used up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub out_of_rounds: bool,
    /// The last reply was cut at the most tokens that a reply may have.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The last reply asked for calls, although the rounds were used up. They were not made.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wanted_calls: bool,
}

impl TurnOutput {
    /// Why its last words are no end of the work, if they are none. Reads after "it": "was cut at ...".
    pub fn failure(&self) -> Option<String> {
        let cut = self.truncated.then_some("was cut at the most tokens that a reply may have");
        let early =
            self.wanted_calls.then_some("asked for more tool calls in its last reply than it could make");
        cut.or(early).map(str::to_owned)
    }
}

/// A call, without what came out of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MadeCall {
    /// The tool's name, as the model said it.
    pub tool: String,
    /// Whether it was done; else it failed, or was rejected.
    pub done: bool,
}

impl From<&ToolReport> for MadeCall {
    fn from(report: &ToolReport) -> Self {
        Self { tool: report.tool.clone(), done: report.outcome == ToolOutcome::Done }
    }
}
