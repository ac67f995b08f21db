//! `[reading]`: how large files are read in parts.

use serde_json::{Value, json};

use super::table::SettingsTable;
use crate::{Source, diagnostics::Diagnostic, document::Node};

/// The keys of the table.
const KEYS: &[&str] = &["chunk_bytes", "max_chunks"];

/// The most bytes of a part that settings allow.
const MOST_BYTES: u64 = 1 << 20;

/// The most parts that settings allow. Each part is a request.
const MOST_CHUNKS: u64 = 1_000;

/// How a file is read in parts that are summarised one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadingRules {
    /// The most bytes of a part. Default: 6,000.
    pub chunk_bytes: usize,
    /// The most parts of a file. Default: 20.
    pub max_chunks: usize,
}

impl Default for ReadingRules {
    fn default() -> Self {
        Self { chunk_bytes: 6_000, max_chunks: 20 }
    }
}

/// The values of the table.
#[derive(Debug, Clone, Default)]
pub struct ReadingSettings {
    /// The most bytes of a part.
    pub chunk_bytes: Option<u64>,
    /// The most parts of a file.
    pub max_chunks: Option<u64>,
}

impl ReadingSettings {
    /// Returns the rules of the user, or lower numbers of the project.
    pub(super) fn rules_under(&self, user: &Self) -> ReadingRules {
        let default = ReadingRules::default();
        let lower = |project: Option<u64>, user: Option<u64>, default: usize| {
            let user = user.unwrap_or(default as u64);
            usize::try_from(project.unwrap_or(user).min(user)).unwrap_or(usize::MAX)
        };
        ReadingRules {
            chunk_bytes: lower(self.chunk_bytes, user.chunk_bytes, default.chunk_bytes),
            max_chunks: lower(self.max_chunks, user.max_chunks, default.max_chunks),
        }
    }
}

pub(super) fn read(node: &Node, source: &Source, problems: &mut Vec<Diagnostic>) -> ReadingSettings {
    let Some(mut table) = SettingsTable::of("reading", KEYS, node, source, problems) else {
        return ReadingSettings::default();
    };
    ReadingSettings {
        chunk_bytes: table.within("chunk_bytes", 1, MOST_BYTES).map(|number| number.value),
        max_chunks: table.within("max_chunks", 1, MOST_CHUNKS).map(|number| number.value),
    }
}

/// The JSON Schema of the table.
pub(super) fn schema() -> Value {
    let default = ReadingRules::default();
    json!({
        "type": "object",
        "description": "How a large file is read: in parts, each of which is summarised.",
        "additionalProperties": false,
        "properties": {
            "chunk_bytes": {
                "type": "integer",
                "minimum": 1,
                "maximum": MOST_BYTES,
                "default": default.chunk_bytes,
                "description": "The most bytes of a part. A project can only lower it.",
            },
            "max_chunks": {
                "type": "integer",
                "minimum": 1,
                "maximum": MOST_CHUNKS,
                "default": default.max_chunks,
                "description": "The most parts of a file. A project can only lower it.",
            },
        },
    })
}
