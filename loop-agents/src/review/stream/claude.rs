//! Claude Code: a `tool_use` block names the call, and a `tool_result` block with its id has the result.
//!
//! - A shell command that fails has `is_error`, and its output begins with `Exit code`. Without that, the text comes
//!   from the command, or from the component that rejected it.
//! - A call without permission is an error like others. The `result` at the end lists it.

use serde_json::Value;

use super::{StreamActions, number, subject};

pub(super) fn read(line: &Value, deeds: &mut StreamActions) {
    match line["type"].as_str() {
        Some("assistant") => {
            for block in blocks(line).iter().filter(|block| block["type"] == "tool_use") {
                deeds.begun(&block["id"], &block["name"], &block["input"]);
            }
        }
        Some("user") => {
            for block in blocks(line).iter().filter(|block| block["type"] == "tool_result") {
                let (text, is_error) = (text_of(&block["content"]), block["is_error"] == true);
                let failed = || number(text.lines().next()?.strip_prefix("Exit code")?);
                let exit_code = if is_error { failed() } else { Some(0) };
                deeds.ended(&block["tool_use_id"], &text, is_error, exit_code);
            }
        }
        Some("result") => {
            for denied in line["permission_denials"].as_array().into_iter().flatten() {
                let tool = denied["tool_name"].as_str().unwrap_or("a tool");
                let what = format!("{tool}({})", subject(&denied["tool_input"]));
                deeds.actions.rejected(&what, "nobody permitted it");
            }
        }
        _ => {}
    }
}

fn blocks(line: &Value) -> &[Value] {
    line["message"]["content"].as_array().map_or(&[], Vec::as_slice)
}

/// Returns the text of a result, which is a string or a list of blocks.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(|block| block["text"].as_str()).collect(),
        _ => String::new(),
    }
}
