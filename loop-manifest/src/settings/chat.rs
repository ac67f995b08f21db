//! `[chat]`: what chats are made of.

use loop_guardrails::policy::WithOrigin;
use serde_json::{Value, json};

use super::table::SettingsTable;
use crate::names::{ModelName, ToolName};

/// The keys of the table.
pub(super) const KEYS: &[&str] = &["model", "tools"];

/// The values of the table.
#[derive(Debug, Clone, Default)]
pub struct ChatSettings {
    /// The model that answers.
    pub model: Option<WithOrigin<ModelName>>,
    /// The tools that may be called: those that are in the user's list and in the project's.
    pub tools: Option<Vec<ToolName>>,
}

pub(super) fn read(mut table: SettingsTable<'_>) -> ChatSettings {
    let model = table.text("model", str::parse);
    let tools = table.list_if_there("tools", str::parse);
    let tools = tools.map(|tools| tools.into_iter().map(|tool| tool.value).collect());
    ChatSettings { model, tools }
}

/// The JSON Schema of the table.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "description": "The model and the tools of chats, and of agents without a command.",
        "additionalProperties": false,
        "properties": {
            "model": {
                "type": "string",
                "minLength": 1,
                "description": "The default model: a name under `[models]`, a name that implies its vendor \
                    (`claude-sonnet-4-5`), or one with its vendor in front (`ollama:qwen3`).",
            },
            "tools": {
                "type": "array",
                "items": { "enum": ToolName::ALL },
                "description": "The tools that a model may call. By default, all of them; the policy still decides about each call.",
            },
        },
    })
}
