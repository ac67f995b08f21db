//! `[rag]`: which chunks of documents a query returns.

use loop_knowledge::documents::{MIN_SCORE, QueryOptions, TOP_K};
use serde_json::{Value, json};

use super::table::SettingsTable;

/// The keys of the table.
pub(super) const KEYS: &[&str] = &["top_k", "min_score"];

/// The most chunks that settings allow.
const MOST_HITS: u64 = 1_000;

/// The values of the table.
#[derive(Debug, Clone, Default)]
pub struct RagSettings {
    /// The most chunks that a query returns.
    pub top_k: Option<u64>,
    /// The lowest cosine of a chunk, from 0 to 1.
    pub min_score: Option<f64>,
}

impl RagSettings {
    /// Returns the options of queries: those of the user, or narrower ones of the project. Default: 5 chunks, and a
    /// cosine of 0.3.
    pub(super) fn options_under(&self, user: &Self) -> QueryOptions {
        let most = user.top_k.unwrap_or(TOP_K as u64);
        let least = user.min_score.unwrap_or(f64::from(MIN_SCORE));
        QueryOptions {
            top_k: usize::try_from(self.top_k.unwrap_or(most).min(most)).unwrap_or(usize::MAX),
            min_score: self.min_score.unwrap_or(least).max(least) as f32,
        }
    }
}

pub(super) fn read(mut table: SettingsTable<'_>) -> RagSettings {
    RagSettings {
        top_k: table.number("top_k", MOST_HITS).map(|number| number.value),
        min_score: table.share_of_one("min_score").map(|score| score.value),
    }
}

/// The JSON Schema of the table.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "description": "Which chunks of documents a query returns.",
        "additionalProperties": false,
        "properties": {
            "top_k": {
                "type": "integer",
                "minimum": 0,
                "maximum": MOST_HITS,
                "default": TOP_K,
                "description": "The most chunks that a query returns. A project can only lower it.",
            },
            "min_score": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "default": 0.3,
                "description": "The lowest cosine of a chunk, from 0 to 1. A project can only raise it.",
            },
        },
    })
}
