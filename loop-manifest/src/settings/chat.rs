//! `[chat]`: what chats are made of.

use loop_guardrails::policy::Placed;
use serde_json::{Value, json};

use super::table::Table;
use crate::names::{ModelName, ToolName};

/// The keys of the table.
pub(super) const KEYS: &[&str] = &["model", "tools"];

/// The values of the table.
#[derive(Debug, Clone, Default)]
pub struct ChatSettings {
    /// The model that answers.
    pub model: Option<Placed<ModelName>>,
    /// The tools that may be called: those that are in the user's list and in the project's.
    pub tools: Option<Vec<ToolName>>,
}

pub(super) fn read(mut table: Table<'_>) -> ChatSettings {
    let model = table.text("model", str::parse);
    let tools = table.list_if_there("tools", str::parse);
    let tools = tools.map(|tools| tools.into_iter().map(|tool| tool.value).collect());
    ChatSettings { model, tools }
}

/// The JSON Schema of the table.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "description": "What chats are made of, and agents without a command.",
        "additionalProperties": false,
        "properties": {
            "model": {
                "type": "string",
                "minLength": 1,
                "description": "Who answers where nobody says: a name under `[models]`, one that tells its vendor \
                    (`claude-sonnet-4-5`), or one with its vendor in front (`ollama:qwen3`).",
            },
            "tools": {
                "type": "array",
                "items": { "enum": ToolName::ALL },
                "description": "What may be called. Left out, all of it; the policy decides in any case.",
            },
        },
    })
}
