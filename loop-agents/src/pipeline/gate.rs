//! The confidence that a reply needs.

use std::fmt;

use super::{ConfidenceScore, PipelineOutput, ScoreMethod};
use crate::judge::ThresholdError;

/// The most repetitions of a step.
pub const MAX_RETRIES: u64 = 1000;

/// How far below the threshold a score may be: fractions of ten are not exact.
const TOLERANCE: f64 = 1e-9;

/// The confidence that each reply of a pipeline needs.
///
/// # Default
/// A guessed score does not pass, and no step is repeated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfidenceGate {
    at_least: f64,
    accepts_guess: bool,
    retries: u64,
}

impl ConfidenceGate {
    /// Creates a gate that a score passes from this number on, inclusive.
    ///
    /// # Errors
    /// Fails if the threshold is not above 0 and up to 1.
    pub fn at_least(threshold: f64) -> Result<Self, ThresholdError> {
        if threshold > 0.0 && threshold <= 1.0 {
            Ok(Self { at_least: threshold, accepts_guess: false, retries: 0 })
        } else {
            Err(ThresholdError(threshold))
        }
    }

    /// Sets whether a guessed score can pass.
    #[must_use]
    pub const fn accept_guess(self, accepts_guess: bool) -> Self {
        Self { accepts_guess, ..self }
    }

    /// Sets how often a step is repeated whose reply does not pass.
    #[must_use]
    pub const fn retries(self, retries: u64) -> Self {
        Self { retries, ..self }
    }

    /// Returns whether a step can be repeated that was done this often.
    pub(super) const fn can_repeat(&self, turn: u64) -> bool {
        turn <= self.retries
    }

    /// Returns why a reply does not pass; `None` if it passes. Reads after "not passed".
    pub fn obstacle(&self, output: &PipelineOutput) -> Option<String> {
        let ConfidenceScore { value, method, .. } = &output.score;
        if output.words.is_empty() {
            return Some("the reply is empty".to_owned());
        }
        if *value < self.at_least - TOLERANCE {
            return Some(format!("the threshold is {}", self.at_least));
        }
        let is_guess = *method == ScoreMethod::Guessed && !self.accepts_guess;
        is_guess.then(|| "the reply states no confidence, and guesses are not accepted".to_owned())
    }
}

/// The threshold, and what else applies: `a confidence of at least 0.8, with up to 2 retries`.
impl fmt::Display for ConfidenceGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a confidence of at least {}", self.at_least)?;
        if self.accepts_guess {
            write!(f, ", also a guessed one")?;
        }
        match self.retries {
            0 => Ok(()),
            1 => write!(f, ", with 1 retry"),
            many => write!(f, ", with up to {many} retries"),
        }
    }
}
