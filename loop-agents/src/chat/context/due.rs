//! Decides when a summary is due, and how much it keeps.
//!
//! A summary costs a request that reads the whole conversation. One that leaves the window nearly full would be due again
//! after the next turn, and a conversation would pay for a summary with every turn.

use super::{
    super::{Chat, Message},
    ContextFill, DEFAULT_KEPT_MESSAGES, SUMMARISE_AT,
    measure::message_tokens,
};

/// The largest share of the window that a conversation may take after a summary, unless it has only its last two
/// messages.
pub const AFTER_SUMMARY: f64 = 0.6;

/// The share of the window by which a conversation grows before the next summary is worth its cost.
const WORTHWHILE_GROWTH: f64 = 0.1;

/// The expected length of a summary in tokens. It is shorter in a small window.
const SUMMARY_TOKENS: u64 = 1_000;

/// When a conversation is summarised, and how much of it stays.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SummaryRules {
    /// The share of the model's window from which a summary is due. With 0, only a prompt that would not fit makes it due.
    pub at: f64,
    /// The most messages that stay as they are.
    pub keep: usize,
}

impl SummaryRules {
    /// Creates rules.
    pub const fn new(at: f64, keep: usize) -> Self {
        Self { at, keep }
    }
}

/// At [`SUMMARISE_AT`], and with the last [`DEFAULT_KEPT_MESSAGES`] messages.
impl Default for SummaryRules {
    fn default() -> Self {
        Self::new(SUMMARISE_AT, DEFAULT_KEPT_MESSAGES)
    }
}

/// The result of a summary.
#[derive(Debug, Clone, Copy)]
pub(in crate::chat) struct SummaryEffect {
    /// The estimated tokens of the messages afterwards.
    pub(in crate::chat) tokens: u64,
    /// Whether the messages became shorter.
    pub(in crate::chat) has_freed: bool,
}

impl Chat {
    /// Sets when the conversation is summarised.
    #[must_use]
    pub const fn summary_rules(mut self, rules: SummaryRules) -> Self {
        self.summary_rules = rules;
        self
    }

    /// Returns how many recent messages a summary should keep, if one is due before this prompt. `last` is the number
    /// that the last summary for this prompt kept: if the window is still too full, the next summary keeps fewer, down
    /// to the last two messages, or to none if the prompt would not fit otherwise.
    ///
    /// No summary is due if the window is unknown, if there is nothing to summarise, if the prompt would not fit even
    /// without any messages before it, or if the last summary freed nothing and the conversation has hardly grown since.
    pub fn summary_due(&self, prompt: &Message, last: Option<usize>) -> Option<usize> {
        let window = self.model.context_window()?;
        let measure = self.measure_with(prompt);
        let is_over = measure.fill() == ContextFill::Over;
        let alone = self.least_tokens(prompt);
        if alone >= window {
            return None;
        }
        let growth = (window as f64 * WORTHWHILE_GROWTH) as u64;
        let is_due = match (last, self.summarised) {
            (Some(_), Some(effect)) => effect.has_freed && (is_over || self.measure().reaches(AFTER_SUMMARY)),
            (None, Some(effect)) if self.message_tokens() < effect.tokens + growth => {
                is_over && effect.has_freed
            }
            _ => is_over || measure.reaches(self.summary_rules.at),
        };
        let least = if is_over { 0 } else { self.summary_rules.keep.min(2) };
        let all = [self.keepable(window), 2, 0];
        let fewer = all.into_iter().filter(|keep| *keep >= least && last.is_none_or(|last| *keep < last));
        let mut possible = fewer.filter(|keep| is_due && !self.older_than(*keep).is_empty());
        if !is_over {
            return possible.next();
        }
        // Each summary is a request, so the first one should make the prompt fit.
        let after = |keep: usize| alone + summary_tokens(window) + self.kept_tokens(keep);
        possible.clone().find(|keep| after(*keep) < window).or_else(|| possible.next_back())
    }

    /// Returns the tokens of a request with this prompt and no messages before it: the smaller one of two estimates.
    fn least_tokens(&self, prompt: &Message) -> u64 {
        let counted = self.measure_with(prompt).tokens.saturating_sub(self.message_tokens());
        counted.min(self.instruction_tokens() + message_tokens(prompt))
    }

    /// Returns the tokens of the messages that a summary keeps.
    fn kept_tokens(&self, keep: usize) -> u64 {
        self.history.messages()[self.history.turns_from(keep)..].iter().map(message_tokens).sum()
    }

    /// Returns how many recent messages fit into the share of the window that a summary should leave.
    fn keepable(&self, window: u64) -> usize {
        let room = (window as f64 * AFTER_SUMMARY) as u64;
        let taken = self.instruction_tokens() + summary_tokens(window);
        let fits = |keep: &usize| taken + self.kept_tokens(*keep) <= room;
        let most = self.summary_rules.keep;
        (2..=most).rev().find(fits).unwrap_or(most.min(2))
    }
}

/// Returns the expected length of a summary.
fn summary_tokens(window: u64) -> u64 {
    SUMMARY_TOKENS.min(window / 10)
}
