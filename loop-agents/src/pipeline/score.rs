//! The score of a reply, and how it was found.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{removal::without, stated};
use crate::judge::{DEFAULT_CONFIDENCE_KEY, confidence};

/// The score of a reply that sounds unsure, and of any other one, if it states none.
const GUESSES: (f64, f64) = (0.3, 0.8);

/// Phrases of a reply that sounds unsure.
const UNSURE: [&str; 8] = [
    "i'm not sure",
    "i cannot determine",
    "i don't know",
    "unclear",
    "uncertain",
    "it's possible",
    "might be",
    "i'm unsure",
];

/// How a score was found. The first method that finds one wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoreMethod {
    /// The reply ends with a JSON object that has a `confidence` from 0 to 1.
    Json,
    /// One of its last ten lines has a label and a number, such as `Confidence: 85%` or `confidence = 8/10`.
    Stated,
    /// The model answered the question for it.
    Asked,
    /// Nothing states it: it depends on phrases such as "I'm not sure".
    Guessed,
}

impl fmt::Display for ScoreMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Json => "json",
            Self::Stated => "stated",
            Self::Asked => "asked",
            Self::Guessed => "guessed",
        })
    }
}

/// How confident a model is of its reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ConfidenceScore {
    /// From 0 to 1.
    pub value: f64,
    /// How it was found.
    pub method: ScoreMethod,
    /// The model's reason, if it gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A reply with the score that it states.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredReply {
    /// The score.
    pub score: ConfidenceScore,
    /// The reply without the text that carried the score.
    pub words: String,
}

impl ScoredReply {
    /// Reads the score that a reply states: as JSON at its end, or else in words. `None` if it states none.
    ///
    /// ```
    /// use loop_agents::pipeline::{ScoreMethod, ScoredReply};
    ///
    /// let reply = ScoredReply::of("It is 42.\n\n```json\n{\"confidence\": 0.9}\n```").expect("a score");
    /// assert_eq!((reply.score.value, reply.score.method), (0.9, ScoreMethod::Json));
    /// assert_eq!(reply.words, "It is 42.");
    ///
    /// let reply = ScoredReply::of("It is 42.\n**Confidence:** 8 out of 10").expect("a score");
    /// assert_eq!((reply.score.value, reply.score.method), (0.8, ScoreMethod::Stated));
    /// assert_eq!(reply.words, "It is 42.");
    /// assert_eq!(ScoredReply::of("Confidence: 7"), None);
    /// ```
    pub fn of(reply: &str) -> Option<Self> {
        if let Ok((value, place)) = confidence(reply, DEFAULT_CONFIDENCE_KEY) {
            let object = serde_json::from_str::<Value>(&reply[place.clone()]).ok();
            let reason = object.and_then(|object| Some(object.get("reason")?.as_str()?.trim().to_owned()));
            let reason = reason.filter(|reason| !reason.is_empty());
            // JSON has a -0, which is 0.
            let score = ConfidenceScore { value: value.abs(), method: ScoreMethod::Json, reason };
            return Some(Self { score, words: without(reply, place) });
        }
        let (value, place) = stated::last(reply)?;
        let score = ConfidenceScore { value, method: ScoreMethod::Stated, reason: None };
        Some(Self { score, words: without(reply, place) })
    }
}

impl ConfidenceScore {
    /// Reads the answer of a model that was asked for the score: as in a reply, or nothing but a number. `None` if it
    /// states none.
    pub fn answered(answer: &str) -> Option<Self> {
        let stated = ScoredReply::of(answer).map(|reply| reply.score);
        let alone =
            || stated::alone(answer).map(|value| Self { value, method: ScoreMethod::Json, reason: None });
        stated.or_else(alone).map(|score| Self { method: ScoreMethod::Asked, ..score })
    }

    /// Guesses the score of a reply that states none: 0.3 with a phrase such as "I'm not sure", 0.8 without.
    ///
    /// ```
    /// use loop_agents::pipeline::ConfidenceScore;
    /// assert_eq!(ConfidenceScore::guessed("I don’t know.").value, 0.3);
    /// assert_eq!(ConfidenceScore::guessed("It is 42.").value, 0.8);
    /// ```
    pub fn guessed(reply: &str) -> Self {
        let reply = reply.to_lowercase().replace('’', "'");
        let is_unsure = UNSURE.iter().any(|phrase| reply.contains(phrase));
        let value = if is_unsure { GUESSES.0 } else { GUESSES.1 };
        Self { value, method: ScoreMethod::Guessed, reason: None }
    }
}
