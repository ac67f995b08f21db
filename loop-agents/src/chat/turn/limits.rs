//! The limits of a turn.

use std::time::Duration;

use loop_core::Usd;

use super::super::compaction::DEFAULT_KEPT_BYTES;

/// The limits of one turn.
///
/// At the limit of rounds the turn asks the model for a reply without calls, with all results before it. At the other
/// limits the turn ends without a reply. A budget that the last reply crosses does not end the turn, because the reply
/// is already there.
///
/// # Default
/// 10 rounds; no limits on tokens, cost and time; 128 KiB of results that the model has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnLimits {
    /// How often the model may call tools.
    pub rounds: u64,
    /// The most tokens, read and written together, of all rounds.
    pub tokens: Option<u64>,
    /// The most money. It works only as far as the price is known.
    pub cost: Option<Usd>,
    /// The longest time.
    pub time: Option<Duration>,
    /// The most bytes of results that the model has read and that stay in its context. They also take at most half of
    /// the model's window, and fewer stay if the next request would leave little of it. Unread results always stay
    /// whole.
    pub kept_result_bytes: usize,
}

/// How often a model may call tools in a turn, by default.
pub const DEFAULT_ROUNDS: u64 = 10;

impl Default for TurnLimits {
    fn default() -> Self {
        Self {
            rounds: DEFAULT_ROUNDS,
            tokens: None,
            cost: None,
            time: None,
            kept_result_bytes: DEFAULT_KEPT_BYTES,
        }
    }
}

impl TurnLimits {
    /// Sets the most rounds of calls.
    #[must_use]
    pub const fn rounds(self, rounds: u64) -> Self {
        Self { rounds, ..self }
    }

    /// Sets the most tokens.
    #[must_use]
    pub const fn tokens(self, tokens: u64) -> Self {
        Self { tokens: Some(tokens), ..self }
    }

    /// Sets the highest cost.
    #[must_use]
    pub const fn cost(self, cost: Usd) -> Self {
        Self { cost: Some(cost), ..self }
    }

    /// Sets the longest time.
    #[must_use]
    pub const fn time(self, time: Duration) -> Self {
        Self { time: Some(time), ..self }
    }

    /// Sets the most bytes of results that the model has read and that stay in its context.
    #[must_use]
    pub const fn kept_result_bytes(self, bytes: usize) -> Self {
        Self { kept_result_bytes: bytes, ..self }
    }
}
