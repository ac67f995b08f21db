//! The keys about the pace of iterations and what they tell each other, as they were written.

use super::{field::Field, fields::Fields};

/// `pace`: how fast iterations follow each other.
#[derive(Debug, Default)]
pub(crate) struct RawPace {
    /// The delay between the end of one iteration and the start of the next, in seconds. Default: 0.
    pub(crate) every_seconds: Field<f64>,
    /// The delay after the second failure in a row, in seconds; twice as long after each further one. From 0
    /// to 60. Default: 1.
    pub(crate) backoff_seconds: Field<f64>,
}

/// `feedback`: what one iteration tells the next.
#[derive(Debug, Default)]
pub(crate) struct RawFeedback {
    /// The maximum output that one placeholder brings into the prompt, in bytes. At least 256. Default: 32768.
    pub(crate) max_bytes: Field<i128>,
}

/// `memory`: the memories of earlier work in the prompt.
#[derive(Debug, Default)]
pub(crate) struct RawMemory {
    /// The most tokens of `{memory}`. Default: 512.
    pub(crate) max_tokens: Field<i128>,
}

impl RawPace {
    pub(crate) fn read(mut fields: Fields<'_>) -> Self {
        Self {
            every_seconds: fields.time("pace.every_seconds"),
            backoff_seconds: fields.time("pace.backoff_seconds"),
        }
    }
}

impl RawFeedback {
    pub(crate) fn read(mut fields: Fields<'_>) -> Self {
        Self { max_bytes: fields.whole("feedback.max_bytes") }
    }
}

impl RawMemory {
    pub(crate) fn read(mut fields: Fields<'_>) -> Self {
        Self { max_tokens: fields.whole("memory.max_tokens") }
    }
}
