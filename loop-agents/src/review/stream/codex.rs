//! Codex: a completed item describes the action. For a command, there is also an item when it begins.

use serde_json::Value;

use super::Deeds;

pub(super) fn read(line: &Value, deeds: &mut Deeds) {
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
                return deeds.account.rejected(command, "nobody permitted it");
            }
            let code = item["exit_code"].as_i64().and_then(|code| i32::try_from(code).ok());
            deeds.account.ran(command, code);
        }
        Some("file_change") => {
            for change in item["changes"].as_array().into_iter().flatten() {
                let Some(path) = change["path"].as_str().filter(|path| !path.is_empty()) else {
                    deeds.account.unknown("which file a change was of that its stream tells of");
                    continue;
                };
                let path = deeds.local(path);
                match change["kind"].as_str() {
                    _ if is_declined => deeds.account.rejected(path, "nobody permitted the change"),
                    _ if has_failed => deeds.account.failed(path, "the change failed"),
                    Some("add") => deeds.account.wrote(path),
                    Some("delete") => deeds.account.removed(path),
                    _ => deeds.account.edited(path),
                }
            }
        }
        Some("mcp_tool_call") if has_failed => {
            deeds.account.failed(item["tool"].as_str().unwrap_or("a tool"), "the call failed");
        }
        _ => {}
    }
}
