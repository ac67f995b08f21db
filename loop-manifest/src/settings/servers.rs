//! `[servers.NAME]`: servers of models that start on this machine.
//!
//! Their commands run without a question, so only the user's own file has them.

use std::{collections::BTreeMap, time::Duration};

use loop_agents::servers::{GpuLayers, ServerCommand};

use super::table::{SettingsOwner, SettingsTable};
use crate::{
    Source,
    diagnostics::{Diagnostic, Span},
    document::{Node, ObjectEntry, Value},
    mismatch::{self, ExpectedValue},
};

/// The keys of one server.
const KEYS: &[&str] = &["command", "health", "startup_seconds", "gpu_layers", "keep"];

/// The longest time that a server may have to start: one day.
const MAX_STARTUP: u64 = 86_400;

/// More layers than any model has.
const MAX_LAYERS: u64 = 10_000;

/// Returns whether this can be the name of a server. It becomes the name of a file.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter))
}

/// The servers of the table, by name.
pub(super) fn read(
    node: &Node,
    source: &Source,
    owner: SettingsOwner,
    problems: &mut Vec<Diagnostic>,
) -> BTreeMap<String, ServerCommand> {
    let Value::Object(entries) = &node.value else {
        problems.push(mismatch::report("servers", ExpectedValue::Object, node, source.text()));
        return BTreeMap::new();
    };
    let mut servers = BTreeMap::new();
    for ObjectEntry { key: name, key_span, node, .. } in entries {
        if owner == SettingsOwner::Project {
            let why = "is only for a user's own settings, because its commands run without a question";
            problems.push(Diagnostic::error(format!("`[servers]` {why}")).at(key_span.clone(), ""));
            continue;
        }
        if !is_name(name) {
            let finding = Diagnostic::error(format!("`{name}` cannot be a name for a server"));
            problems.push(finding.at(key_span.clone(), "write it with letters, digits, `-` and `_`"));
            continue;
        }
        let table = SettingsTable::of(&format!("servers.{name}"), KEYS, node, source, problems);
        if let Some(server) = table.and_then(|table| server(table, key_span)) {
            servers.insert(name.clone(), server);
        }
    }
    servers
}

fn server(mut table: SettingsTable<'_>, name: &Span) -> Option<ServerCommand> {
    if table.place("command").is_none() {
        let advice =
            "write how the server starts, such as `command = \"llama-server -m ~/Models/qwen3.gguf\"`";
        table.lacks("command", advice, name.clone());
    }
    let command = table.text("command", |line| ServerCommand::new(line));
    let health = table.text("health", health).map(|path| path.value);
    let startup = table.number("startup_seconds", MAX_STARTUP).map(|seconds| seconds.value);
    let layers = gpu_layers(&mut table);
    let keep = table.flag("keep").is_some_and(|keep| keep.value);
    let command = command?.value.with_health(health).with_gpu_layers(layers).with_keep(keep);
    Some(match startup {
        Some(seconds) => command.with_startup(Duration::from_secs(seconds)),
        None => command,
    })
}

fn health(path: &str) -> Result<String, String> {
    if path.starts_with('/') {
        return Ok(path.to_owned());
    }
    Err(format!("`{path}` is not a path on the server: write it as `/health`"))
}

fn gpu_layers(table: &mut SettingsTable<'_>) -> Option<GpuLayers> {
    if table.is_text("gpu_layers") {
        let auto = |word: &str| match word {
            "auto" => Ok(GpuLayers::Auto),
            _ => Err(format!("`{word}` is no number of layers: write a number, or `auto`")),
        };
        return table.text("gpu_layers", auto).map(|layers| layers.value);
    }
    let layers = table.number("gpu_layers", MAX_LAYERS)?.value;
    u32::try_from(layers).ok().map(GpuLayers::Count)
}
