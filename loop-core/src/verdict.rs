//! The evaluator's judgement of an output.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize};

/// Whether the work passed.
///
/// It stays exhaustive: a wildcard could mistake a new outcome for a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The check is satisfied.
    Pass,
    /// The check is not satisfied.
    Fail,
    /// The check could not tell. It counts as not passed.
    Inconclusive,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Inconclusive => "inconclusive",
        })
    }
}

/// The judgement of one output. A failing verdict is a result, not an error.
///
/// Cloning is cheap: the texts are shared.
///
/// ```
/// use loop_core::Verdict;
/// let verdict = Verdict::fail().with_text("2 tests failed").with_score(0.8);
/// assert!(!verdict.passed());
/// assert_eq!(verdict.score(), Some(0.8));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    outcome: Outcome,
    #[serde(default, deserialize_with = "read_score", skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    feedback: Option<Arc<str>>,
}

impl Verdict {
    /// Creates a verdict with this outcome and nothing else.
    pub const fn new(outcome: Outcome) -> Self {
        Self { outcome, score: None, text: None, feedback: None }
    }

    /// Creates a passing verdict.
    pub const fn pass() -> Self {
        Self::new(Outcome::Pass)
    }

    /// Creates a failing verdict.
    pub const fn fail() -> Self {
        Self::new(Outcome::Fail)
    }

    /// Creates an inconclusive verdict: the evaluator could not tell.
    pub const fn inconclusive() -> Self {
        Self::new(Outcome::Inconclusive)
    }

    /// Sets the output of the check, verbatim.
    #[must_use]
    pub fn with_text(mut self, text: impl Into<Arc<str>>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// Sets advice for the next iteration.
    #[must_use]
    pub fn with_feedback(mut self, feedback: impl Into<Arc<str>>) -> Self {
        self.feedback = Some(feedback.into());
        self
    }

    /// Sets a score from 0 (worst) to 1 (best). Clamps numbers outside this range. With NaN the verdict has no score.
    #[must_use]
    pub fn with_score(mut self, score: f64) -> Self {
        self.score = in_range(score);
        self
    }

    /// Returns the outcome: pass, fail or inconclusive.
    pub const fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Returns whether the outcome is [`Outcome::Pass`].
    pub fn passed(&self) -> bool {
        self.outcome == Outcome::Pass
    }

    /// Returns the score, from 0 to 1, if there is one.
    pub const fn score(&self) -> Option<f64> {
        self.score
    }

    /// Returns the output of the check, or an empty text if there is none.
    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// Returns advice for the next iteration, if there is any.
    pub fn feedback(&self) -> Option<&str> {
        self.feedback.as_deref()
    }
}

fn in_range(score: f64) -> Option<f64> {
    (!score.is_nan()).then(|| score.clamp(0.0, 1.0))
}

fn read_score<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Ok(Option::deserialize(deserializer)?.and_then(in_range))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_has_the_given_values() {
        let bare = Verdict::inconclusive();
        assert_eq!((bare.passed(), bare.score(), bare.text(), bare.feedback()), (false, None, "", None));
        let verdict = Verdict::pass().with_text("all green").with_feedback("no more").with_score(0.5);
        assert!(verdict.passed());
        assert_eq!((verdict.score(), verdict.text()), (Some(0.5), "all green"));
        assert_eq!(verdict.feedback(), Some("no more"));
    }

    #[test]
    fn a_score_lies_within_its_range() {
        let score = |score| Verdict::fail().with_score(score).score();
        assert_eq!((score(-1.0), score(7.0), score(f64::NAN)), (Some(0.0), Some(1.0), None));
        let read: Verdict = serde_json::from_str(r#"{"outcome":"fail","score":7.0}"#).unwrap();
        assert_eq!(read.score(), Some(1.0));
    }

    #[test]
    fn an_outcome_is_shown_as_it_is_recorded() {
        for outcome in [Outcome::Pass, Outcome::Fail, Outcome::Inconclusive] {
            assert_eq!(serde_json::to_string(&outcome).unwrap(), format!("\"{outcome}\""));
        }
    }
}
