//! pi: `pi -p --mode json`.
//!
//! - `tool_execution_start` and `tool_execution_end` surround each call. A call that is open when the agent ends
//!   (`agent_end`) was cut.
//! - Pi has no background tasks of its own. A shell command with `&` leaves its processes behind.

use serde_json::Value;

use super::{
    Dialect,
    tasks::{Tasks, bounded, quoted},
    text,
};

pub(super) const DIALECT: Dialect =
    Dialect { kinds: &["agent_start", "tool_execution_start", "tool_execution_end", "agent_end"], read };

fn read(kind: &str, line: &Value, tasks: &mut Tasks) {
    tasks.needs_end = true;
    match kind {
        "tool_execution_start" => {
            let command = text(&line["args"], "command");
            let name = command.map(quoted).or_else(|| text(line, "toolName").map(bounded));
            if let (Some(id), Some(name)) = (text(line, "toolCallId"), name) {
                tasks.begin(id, &name);
            }
            command.into_iter().for_each(|command| tasks.ran(command));
        }
        "tool_execution_end" => text(line, "toolCallId").into_iter().for_each(|id| tasks.end(id, true)),
        _ => tasks.is_over = kind == "agent_end",
    }
}
