//! `[tools]`, `[formatters]` and `[sensors]`: what happens after a tool wrote a file.
//!
//! The programs run without a question, so only the user names them. A project can only turn the formatters off.

use loop_agents::tools::{AfterWrite, FileCommand};
use serde_json::{Value, json};

use super::table::{SettingsOwner, SettingsTable};
use crate::{
    Source,
    diagnostics::Diagnostic,
    document::{ObjectEntry, Value as Tree},
    mismatch::{self, ExpectedValue},
};

/// The keys of `[tools]`.
pub(super) const KEYS: &[&str] = &["auto_format"];

/// The values of `[tools]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolSettings {
    /// Whether files are formatted after a tool wrote them. By default they are.
    pub auto_format: Option<bool>,
}

pub(super) fn read(mut table: SettingsTable<'_>) -> ToolSettings {
    ToolSettings { auto_format: table.flag("auto_format").map(|flag| flag.value) }
}

/// Reads a table of command lines by patterns of files.
pub(super) fn read_commands(
    ObjectEntry { key: name, node, .. }: &ObjectEntry,
    source: &Source,
    owner: SettingsOwner,
    problems: &mut Vec<Diagnostic>,
) -> Vec<FileCommand> {
    let mismatched = |name: &str, node, expected| mismatch::report(name, expected, node, source.text());
    let Tree::Object(entries) = &node.value else {
        problems.push(mismatched(name, node, ExpectedValue::Object));
        return Vec::new();
    };
    let mut commands = Vec::new();
    for entry in entries {
        let place = entry.key_span.clone();
        let path = format!("{name}.{:?}", entry.key);
        match &entry.node.value {
            _ if owner == SettingsOwner::Project => {
                let why = "is only for a user's own settings, because its commands run without a question";
                problems.push(Diagnostic::error(format!("`[{name}]` {why}")).at(place, ""));
            }
            Tree::Text(line) if !line.trim().is_empty() => {
                match FileCommand::new(&entry.key, line.as_str()) {
                    Ok(command) => commands.push(command),
                    Err(error) => problems.push(Diagnostic::error(error.to_string()).at(place, "")),
                }
            }
            Tree::Text(_) => {
                let empty = Diagnostic::error(format!("`{path}` is empty: write a command line"));
                problems.push(empty.at(entry.node.span.clone(), ""));
            }
            _ => problems.push(mismatched(&path, &entry.node, ExpectedValue::Text)),
        }
    }
    commands
}

/// Returns what happens after a tool wrote a file.
pub(super) fn rules(
    user: &ToolSettings,
    project: &ToolSettings,
    formatters: &[FileCommand],
    sensors: &[FileCommand],
) -> AfterWrite {
    let formats = user.auto_format.unwrap_or(true) && project.auto_format.unwrap_or(true);
    AfterWrite::default().formats(formats).formatters(formatters.to_vec()).sensors(sensors.to_vec())
}

/// The JSON Schema of `[tools]`.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "description": "Which help tools get.",
        "additionalProperties": false,
        "properties": {
            "auto_format": {
                "type": "boolean",
                "default": true,
                "description": "In `loop.toml`: whether files are formatted after a tool wrote them. A project can only \
                    turn it off.",
            },
        },
    })
}
