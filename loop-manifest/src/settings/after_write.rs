//! `[tools]`, `[formatters]` and `[sensors]`: how much a tool returns, and what happens after it wrote a file.
//!
//! The programs run without a question, so only the user names them. A project can only turn the formatters off.

use loop_agents::tools::{AfterWrite, FileCommand, MAX_OUTPUT_BYTES, MIN_OUTPUT_BYTES};
use serde_json::{Value, json};

use super::table::{SettingsOwner, SettingsTable};
use crate::{
    Source,
    diagnostics::Diagnostic,
    document::{ObjectEntry, Value as Tree},
    mismatch::{self, ExpectedValue},
};

/// The keys of `[tools]`.
pub(super) const KEYS: &[&str] = &["auto_format", "output_bytes"];

/// The values of `[tools]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolSettings {
    /// Whether files are formatted after a tool wrote them. By default they are.
    pub auto_format: Option<bool>,
    /// The most bytes of a result. By default 65,536.
    pub output_bytes: Option<u64>,
}

pub(super) fn read(mut table: SettingsTable<'_>) -> ToolSettings {
    let output_bytes = table.within("output_bytes", MIN_OUTPUT_BYTES as u64, MAX_OUTPUT_BYTES as u64);
    ToolSettings {
        auto_format: table.flag("auto_format").map(|flag| flag.value),
        output_bytes: output_bytes.map(|bytes| bytes.value),
    }
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

/// Returns the most bytes of a result.
pub(super) fn output_bytes(user: &ToolSettings, project: &ToolSettings) -> usize {
    let least = user.output_bytes.into_iter().chain(project.output_bytes).min();
    least.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(MAX_OUTPUT_BYTES)
}

/// The JSON Schema of `[tools]`.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "description": "Which help tools get, and how much they return.",
        "additionalProperties": false,
        "properties": {
            "auto_format": {
                "type": "boolean",
                "default": true,
                "description": "In `loop.toml`: whether files are formatted after a tool wrote them. A project can only \
                    turn it off.",
            },
            "output_bytes": {
                "type": "integer",
                "minimum": MIN_OUTPUT_BYTES,
                "maximum": MAX_OUTPUT_BYTES,
                "default": MAX_OUTPUT_BYTES,
                "description": "In `loop.toml`: the most bytes of a tool's result that a model reads. The middle of a                     longer one is left out. A project can only lower it.",
            },
        },
    })
}
