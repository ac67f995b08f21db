//! `[chat]`: what chats are made of.

use loop_agents::chat::DEFAULT_ROUNDS;
use loop_guardrails::policy::WithOrigin;
use serde_json::{Value, json};

use super::table::SettingsTable;
use crate::names::{ModelName, ToolName};

/// The keys of the table.
pub(super) const KEYS: &[&str] = &["model", "rounds", "tools"];

/// The most rounds of calls in a turn that settings allow.
const MAX_ROUNDS: u64 = 10_000;

/// The values of the table.
#[derive(Debug, Clone, Default)]
pub struct ChatSettings {
    /// The model that answers.
    pub model: Option<WithOrigin<ModelName>>,
    /// The tools that may be called: those that are in the user's list and in the project's.
    pub tools: Option<Vec<ToolName>>,
    /// How often a model may call tools in a turn.
    pub rounds: Option<u64>,
}

impl ChatSettings {
    /// Returns how often a model may call tools in a turn: as the user's settings say, or less often if the project says
    /// so. Default: 10.
    pub(super) fn rounds_under(&self, user: &Self) -> u64 {
        let most = user.rounds.unwrap_or(DEFAULT_ROUNDS);
        self.rounds.map_or(most, |own| own.min(most))
    }
}

pub(super) fn read(mut table: SettingsTable<'_>) -> ChatSettings {
    let model = table.text("model", str::parse);
    let tools = table.list_if_there("tools", str::parse);
    let tools = tools.map(|tools| tools.into_iter().map(|tool| tool.value).collect());
    let rounds = table.number("rounds", MAX_ROUNDS).map(|rounds| rounds.value);
    ChatSettings { model, tools, rounds }
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
            "rounds": {
                "type": "integer",
                "minimum": 0,
                "maximum": MAX_ROUNDS,
                "description": "How often a model may call tools in a turn, by default 10. Then it answers with the results \
                    that it has. A project can only lower the number in your own settings.",
            },
            "tools": {
                "type": "array",
                "items": { "enum": ToolName::ALL },
                "description": "The tools that a model may call. By default, all of them; the policy still decides about each call.",
            },
        },
    })
}
