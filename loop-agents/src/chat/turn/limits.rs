//! What a turn may use.

use std::time::Duration;

use loop_core::Usd;

use super::super::compaction::DEFAULT_KEPT_BYTES;

/// The limits of one turn.
///
/// At the limit of rounds the model is asked for a reply without calls, with all results before it. At the
/// others the turn ends without one. A budget that the last reply crosses does not end it: the reply is
/// there.
///
/// # Default
/// 10 rounds; no limit on tokens, cost and time of its own; 128 KiB of results that were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnLimits {
    /// How often the model may call tools.
    pub rounds: u64,
    /// The most tokens, read and written together, of all rounds.
    pub tokens: Option<u64>,
    /// The most money. It binds as far as the price is known.
    pub cost: Option<Usd>,
    /// The longest time.
    pub time: Option<Duration>,
    /// The most bytes of results that the model has read and that are kept in its context. What it has not
    /// read is kept whole in any case.
    pub kept_result_bytes: usize,
}

impl Default for TurnLimits {
    fn default() -> Self {
        Self { rounds: 10, tokens: None, cost: None, time: None, kept_result_bytes: DEFAULT_KEPT_BYTES }
    }
}

impl TurnLimits {
    /// At most so many rounds of calls.
    #[must_use]
    pub const fn rounds(self, rounds: u64) -> Self {
        Self { rounds, ..self }
    }

    /// At most so many tokens.
    #[must_use]
    pub const fn tokens(self, tokens: u64) -> Self {
        Self { tokens: Some(tokens), ..self }
    }

    /// At most so much money.
    #[must_use]
    pub const fn cost(self, cost: Usd) -> Self {
        Self { cost: Some(cost), ..self }
    }

    /// At most so long.
    #[must_use]
    pub const fn time(self, time: Duration) -> Self {
        Self { time: Some(time), ..self }
    }

    /// At most so many bytes of results that were read.
    #[must_use]
    pub const fn kept_result_bytes(self, bytes: usize) -> Self {
        Self { kept_result_bytes: bytes, ..self }
    }
}
