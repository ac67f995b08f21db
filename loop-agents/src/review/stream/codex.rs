//! Codex: a completed item describes the action. For a command, there is also an item when it begins.

use serde_json::{Value, json};

use super::{CallEnd, StreamActions};
use crate::tools::ToolOutcome;

pub(super) fn read(line: &Value, deeds: &mut StreamActions) {
    let item = &line["item"];
    match (line["type"].as_str(), item["type"].as_str()) {
        (Some("item.started"), Some("command_execution")) => {
            return deeds.begun(&item["id"], &Value::from("shell"), &command(item));
        }
        (Some("item.completed"), Some(kind)) => report(kind, item, deeds),
        _ => return,
    }
    let (is_declined, has_failed) = (item["status"] == "declined", item["status"] == "failed");
    match item["type"].as_str() {
        Some("command_execution") => {
            let command = item["command"].as_str().unwrap_or_default();
            if is_declined {
                return deeds.actions.rejected(command, "nobody permitted it");
            }
            deeds.actions.ran(command, exit_code(item));
        }
        Some("file_change") => {
            for change in item["changes"].as_array().into_iter().flatten() {
                let Some(path) = change["path"].as_str().filter(|path| !path.is_empty()) else {
                    deeds.actions.unknown("which file changed in one change that its stream reports");
                    continue;
                };
                let path = deeds.local(path);
                match change["kind"].as_str() {
                    _ if is_declined => deeds.actions.rejected(path, "nobody permitted the change"),
                    _ if has_failed => deeds.actions.failed(path, "the change failed"),
                    Some("add") => deeds.actions.wrote(path),
                    Some("delete") => deeds.actions.removed(path),
                    _ => deeds.actions.edited(path),
                }
            }
        }
        Some("mcp_tool_call") if has_failed => {
            deeds.actions.failed(item["tool"].as_str().unwrap_or("a tool"), "the call failed");
        }
        _ => {}
    }
}

/// Reports a completed item to the listener, if it is a call.
fn report(kind: &str, item: &Value, deeds: &mut StreamActions) {
    let (call, arguments) = match kind {
        "command_execution" => ("shell", command(item)),
        "file_change" => (kind, item["changes"].clone()),
        "mcp_tool_call" => (item["tool"].as_str().unwrap_or(kind), item["arguments"].clone()),
        _ => return,
    };
    let (outcome, message) = match item["status"].as_str() {
        Some("declined") => (ToolOutcome::Rejected, "nobody permitted it"),
        // A command that ran has an exit code, and is not a failed call.
        Some("failed") if exit_code(item).is_none() => (ToolOutcome::Failed, "it failed"),
        _ => (ToolOutcome::Done, ""),
    };
    let end = CallEnd { outcome, exit_code: exit_code(item), message };
    deeds.completed(&item["id"], call, &arguments, end);
}

/// Returns the arguments of a command.
fn command(item: &Value) -> Value {
    json!({ "command": item["command"] })
}

fn exit_code(item: &Value) -> Option<i32> {
    item["exit_code"].as_i64().and_then(|code| i32::try_from(code).ok())
}
