//! Codex: a completed item describes the action. For a command, there is also an item when it begins.

use serde_json::Value;

use super::StreamActions;

pub(super) fn read(line: &Value, deeds: &mut StreamActions) {
    let item = &line["item"];
    match (line["type"].as_str(), item["type"].as_str()) {
        (Some("item.started"), Some("command_execution")) => {
            return deeds.begun(&item["id"], &Value::from("shell"), item);
        }
        (Some("item.completed"), _) => deeds.is_over(&item["id"]),
        _ => return,
    }
    let (is_declined, has_failed) = (item["status"] == "declined", item["status"] == "failed");
    match item["type"].as_str() {
        Some("command_execution") => {
            let command = item["command"].as_str().unwrap_or_default();
            if is_declined {
                return deeds.actions.rejected(command, "nobody permitted it");
            }
            let code = item["exit_code"].as_i64().and_then(|code| i32::try_from(code).ok());
            deeds.actions.ran(command, code);
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
