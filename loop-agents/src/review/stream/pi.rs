//! pi: `tool_execution_start` and `tool_execution_end` surround each call.
//!
//! A shell command that fails is an error whose text ends with `Command exited with code`.

use serde_json::Value;

use super::{StreamActions, number};

pub(super) fn read(line: &Value, deeds: &mut StreamActions) {
    match line["type"].as_str() {
        Some("tool_execution_start") => deeds.begun(&line["toolCallId"], &line["toolName"], &line["args"]),
        Some("tool_execution_end") => {
            let blocks = line["result"]["content"].as_array().map_or(&[][..], Vec::as_slice);
            let text: String = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
            let is_error = line["isError"] == true;
            let exit_code = if is_error { ended_with(&text) } else { Some(0) };
            deeds.ended(&line["toolCallId"], &text, is_error, exit_code);
        }
        _ => {}
    }
}

/// Returns the exit code. Only the end of the text counts, because the words elsewhere come from the command.
fn ended_with(text: &str) -> Option<i32> {
    number(text.trim_end().lines().next_back()?.strip_prefix("Command exited with code")?)
}
