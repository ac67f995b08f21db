//! The results of reading one run of an agent.

use loop_core::{CostQuality, Usage};

use super::RateLimit;
use crate::output::{Capture, beginning};

/// The number of different notes to keep.
const MAX_NOTES: usize = 16;

/// The number of bytes to keep of a note, or of a failure's message.
const MAX_TEXT_BYTES: usize = 2048;

/// The report of one run of an agent, from [`UsageReader::finish`](super::UsageReader::finish).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AgentReport {
    /// The usage since the last [`feed`](super::UsageReader::feed). Add it to a meter like the rest.
    pub last: Usage,
    /// The run's total usage, from the vendor's final report. It can be less than the usage that went to a meter,
    /// because a meter cannot take usage back.
    pub total: Usage,
    /// The final text, within the bounds of a [`Capture`]. `None` if the format has no text apart from the raw output,
    /// or if the agent ended without one.
    pub text: Option<Capture>,
    /// Why the run failed, if the agent reports it. Some agents report failures with exit code 0.
    pub failure: Option<AgentFailure>,
    /// A problem with work that can still be judged: the agent reached a limit of its own, on its turns or its money.
    pub fault: Option<String>,
    /// Why the agent's last words do not end its work, if so: its answer was cut, it reached a limit of its own, or its
    /// stream just stops. Then the agent has claimed nothing. The text follows "it".
    pub unfinished: Option<String>,
    /// The final quality of the reported cost, if it differs from the quality at the time of the report: see
    /// [`Meter::revise`](loop_core::Meter::revise).
    pub cost_quality: Option<CostQuality>,
    /// Whether the agent did not report its usage, although its format has that, and it did not fail. Unless somebody
    /// made it end, every sum lacks its usage.
    pub is_silent: bool,
    /// Notes on rejected or strange reports, each kind of them once.
    pub notes: Vec<String>,
}

/// A failure that the agent itself reports.
///
/// ```
/// use loop_agents::usage::{Format, Prices, UsageReader};
///
/// let mut reader = UsageReader::new(Format::ClaudeStreamJson, Prices::bundled());
/// reader.feed(br#"{"type":"result","is_error":true,"result":"API Error: 500"}"#);
/// let failure = reader.finish().failure.ok_or("a failure")?;
/// assert_eq!(failure.to_string(), "the agent reports a failure: API Error: 500");
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the agent reports {}: {message}", if rate_limit.is_some() { "a rate limit" } else { "a failure" })]
#[non_exhaustive]
pub struct AgentFailure {
    /// The agent's message, at most two kilobytes of it.
    pub message: String,
    /// The vendor's limit, if that was the reason.
    pub rate_limit: Option<RateLimit>,
}

impl AgentFailure {
    pub(super) fn new(message: &str, rate_limit: Option<RateLimit>) -> Self {
        Self { message: beginning(message.trim(), MAX_TEXT_BYTES), rate_limit }
    }
}

/// Notes on rejected or strange reports. A broken stream is broken in each of its lines, so each note is kept once.
#[derive(Debug, Default)]
pub(super) struct ReportNotes(Vec<String>);

impl ReportNotes {
    pub(super) fn add(&mut self, note: &str) {
        let note = beginning(note, MAX_TEXT_BYTES);
        if self.0.len() < MAX_NOTES && !self.0.contains(&note) {
            self.0.push(note);
        }
    }

    pub(super) fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.0)
    }
}
