//! `[summary]`: when a conversation is summarised.

use loop_agents::chat::SummaryRules;
use serde_json::{Value, json};

use super::table::SettingsTable;
use crate::{Source, diagnostics::Diagnostic, document::Node};

/// The keys of the table.
const KEYS: &[&str] = &["at", "keep"];

/// The most messages that settings can keep.
const MOST_MESSAGES: u64 = 1_000;

/// The values of the table.
#[derive(Debug, Clone, Default)]
pub struct SummarySettings {
    /// The share of the window at which older messages are summarised, from 0 to 1.
    pub at: Option<f64>,
    /// How many of the last messages stay as they are.
    pub keep: Option<u64>,
}

impl SummarySettings {
    /// Returns the rules of the user, or lower numbers of the project. Default: at 0.8, and 6 messages.
    pub(super) fn rules_under(&self, user: &Self) -> SummaryRules {
        let default = SummaryRules::default();
        let (at, keep) = (user.at.unwrap_or(default.at), user.keep.unwrap_or(default.keep as u64));
        let keep = self.keep.unwrap_or(keep).min(keep);
        SummaryRules::new(self.at.unwrap_or(at).min(at), usize::try_from(keep).unwrap_or(usize::MAX))
    }
}

pub(super) fn read(node: &Node, source: &Source, problems: &mut Vec<Diagnostic>) -> SummarySettings {
    let Some(mut table) = SettingsTable::of("summary", KEYS, node, source, problems) else {
        return SummarySettings::default();
    };
    SummarySettings {
        at: table.share_of_one("at").map(|share| share.value),
        keep: table.number("keep", MOST_MESSAGES).map(|number| number.value),
    }
}

/// The JSON Schema of the table.
pub(super) fn schema() -> Value {
    let default = SummaryRules::default();
    json!({
        "type": "object",
        "description": "When the older messages of a conversation are summarised.",
        "additionalProperties": false,
        "properties": {
            "at": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "default": default.at,
                "description": "The share of the model's window at which they are summarised. With 0, only a prompt that \
                    would not fit leads to a summary. A project can only lower it.",
            },
            "keep": {
                "type": "integer",
                "minimum": 0,
                "maximum": MOST_MESSAGES,
                "default": default.keep,
                "description": "The most messages that stay as they are: fewer, if they would fill more than 0.6 of the \
                    window. A project can only lower it.",
            },
        },
    })
}
