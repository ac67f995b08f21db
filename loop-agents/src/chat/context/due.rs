//! Decides when a summary is due, and how much it keeps.
//!
//! A summary costs a request that reads the whole conversation. One that leaves the window nearly full would be due again
//! after the next turn, and a conversation would pay for a summary with every turn.

use super::{
    super::{Chat, Message},
    ContextFill, DEFAULT_KEPT_MESSAGES,
    measure::message_tokens,
};

/// The largest share of the window that a conversation may take after a summary, unless it has only its last two
/// messages.
pub const AFTER_SUMMARY: f64 = 0.6;

/// The share of the window by which a conversation grows before the next summary is worth its cost.
const WORTHWHILE_GROWTH: f64 = 0.1;

/// The expected length of a summary in tokens. It is shorter in a small window.
const SUMMARY_TOKENS: u64 = 1_000;

/// The result of a summary.
#[derive(Debug, Clone, Copy)]
pub(in crate::chat) struct SummaryEffect {
    /// The estimated tokens of the messages afterwards.
    pub(in crate::chat) tokens: u64,
    /// Whether the messages became shorter.
    pub(in crate::chat) has_freed: bool,
}

impl Chat {
    /// Returns how many recent messages a summary should keep, if one is due before this prompt. `last` is the number
    /// that the last summary for this prompt kept: if the window is still too full, the next summary keeps fewer, down
    /// to the last two messages, or to none if the prompt would not fit otherwise.
    ///
    /// No summary is due if the window is unknown, if there is nothing to summarise, or if the last summary freed
    /// nothing and the conversation has hardly grown since.
    pub fn summary_due(&self, prompt: &Message, last: Option<usize>) -> Option<usize> {
        let window = self.model.context_window()?;
        let fill = self.measure_with(prompt).fill();
        let is_over = fill == ContextFill::Over;
        let growth = (window as f64 * WORTHWHILE_GROWTH) as u64;
        let is_due = match (last, self.summarised) {
            (Some(_), Some(effect)) => effect.has_freed && (is_over || self.measure().reaches(AFTER_SUMMARY)),
            (None, Some(effect)) if self.message_tokens() < effect.tokens + growth => {
                is_over && effect.has_freed
            }
            _ => is_over || fill == ContextFill::Tight,
        };
        let least = if is_over { 0 } else { 2 };
        let all = [self.keepable(window), 2, 0];
        let fewer = all.into_iter().filter(|keep| *keep >= least && last.is_none_or(|last| *keep < last));
        fewer.filter(|_| is_due).find(|keep| !self.older_than(*keep).is_empty())
    }

    /// Returns how many recent messages fit into the share of the window that a summary should leave.
    fn keepable(&self, window: u64) -> usize {
        let summary = SUMMARY_TOKENS.min(window / 10);
        let room = (window as f64 * AFTER_SUMMARY) as u64;
        let taken = self.instruction_tokens() + summary;
        let messages = self.history.messages();
        let fits = |keep: &usize| {
            let kept = messages[self.history.turns_from(*keep)..].iter().map(message_tokens).sum::<u64>();
            taken + kept <= room
        };
        (2..=DEFAULT_KEPT_MESSAGES).rev().find(fits).unwrap_or(2)
    }
}
