//! What is learnt of one run of an agent.

use loop_core::{CostQuality, Usage};

use super::RateLimit;
use crate::output::Capture;

/// How many different notes are kept.
const MAX_NOTES: usize = 16;

/// How much of a note, or of a failure's message, is kept.
const MAX_TEXT_BYTES: usize = 2048;

/// What one run of an agent reported; made by [`UsageReader::finish`](super::UsageReader::finish).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Reading {
    /// What is known since the last [`feed`](super::UsageReader::feed), to be added to a meter like the rest.
    pub last: Usage,
    /// What the run used, all told: the vendor's last word. It can be less than what was fed to a
    /// meter, which takes nothing back.
    pub total: Usage,
    /// The final text, within the bounds of a [`Capture`]. None if the format has none beside the output
    /// itself, or the agent ended without one.
    pub text: Option<Capture>,
    /// Why the run failed, if the agent says so itself: it does with exit code 0 as well.
    pub failure: Option<AgentFailure>,
    /// What went wrong in work that can be judged all the same: the agent came to a limit of its own, on its
    /// turns or its money.
    pub fault: Option<String>,
    /// Why the agent's last words are no end of its work, if that is so: its answer was cut, it came to a limit of its
    /// own, or its stream just stops. Then it has claimed nothing. Reads after "it".
    pub unfinished: Option<String>,
    /// How far the cost that was told can be believed after all, if that is not as it was told: see
    /// [`Meter::revise`](loop_core::Meter::revise).
    pub cost_quality: Option<CostQuality>,
    /// It said nothing of what it used, though its format has that, and did not fail: unless it was made to end,
    /// every sum lacks it.
    pub is_silent: bool,
    /// What was refused or is odd, each kind of it once.
    pub notes: Vec<String>,
}

/// A failure that the agent reports itself.
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
    /// Its words, at most two kilobytes of them.
    pub message: String,
    /// The vendor's limit that was the reason, if it was one.
    pub rate_limit: Option<RateLimit>,
}

impl AgentFailure {
    pub(super) fn new(message: &str, rate_limit: Option<RateLimit>) -> Self {
        Self { message: cut(message.trim()), rate_limit }
    }
}

/// Notes on what was refused or is odd. A stream that is broken is broken in each of its lines, so each
/// note is kept once.
#[derive(Debug, Default)]
pub(super) struct Notes(Vec<String>);

impl Notes {
    pub(super) fn add(&mut self, note: &str) {
        let note = cut(note);
        if self.0.len() < MAX_NOTES && !self.0.contains(&note) {
            self.0.push(note);
        }
    }

    pub(super) fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.0)
    }
}

fn cut(text: &str) -> String {
    text[..text.floor_char_boundary(MAX_TEXT_BYTES)].to_owned()
}
