//! Codex: an item says what was done when it is completed.

use serde_json::Value;

use super::Deeds;

pub(super) fn read(line: &Value, deeds: &mut Deeds) {
    if line["type"] != "item.completed" {
        return;
    }
    let item = &line["item"];
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
                let path = deeds.local(change["path"].as_str().unwrap_or_default());
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
