//! opencode: `opencode run --format json`.
//!
//! - A call is printed when it has ended. The call of a subagent in the background (`background` in the input or the
//!   metadata) ends at once, while the subagent goes on.
//! - `task_status` asks for its state. The end of a subagent is not printed: it only makes the agent continue after a
//!   step that ended with the reason `stop`.
//! - A shell command with `&` leaves its processes behind.

use serde_json::Value;

use super::{
    Dialect,
    tasks::{Tasks, bounded},
    text,
};

pub(super) const DIALECT: Dialect = Dialect { kinds: &["tool_use", "step_start", "step_finish"], read };

fn read(kind: &str, line: &Value, tasks: &mut Tasks) {
    let part = &line["part"];
    match kind {
        "step_start" => {
            if std::mem::take(&mut tasks.is_over) {
                tasks.end_first();
            }
        }
        "step_finish" => tasks.is_over = part["reason"] == "stop",
        _ => called(part, tasks),
    }
}

fn called(part: &Value, tasks: &mut Tasks) {
    let (state, input) = (&part["state"], &part["state"]["input"]);
    if let Some(command) = text(input, "command") {
        tasks.ran(command);
    }
    let output = text(state, "output").unwrap_or_default();
    if state["metadata"]["background"] == true || input["background"] == true {
        let id = text(&state["metadata"], "sessionId").or_else(|| text(part, "callID"));
        let name = text(input, "description").or_else(|| text(state, "title")).unwrap_or("a subagent");
        if let Some(id) = id.filter(|_| state["status"] == "completed") {
            tasks.begin(id, &bounded(name));
        }
    } else if let Some(task) = text(input, "task_id").filter(|_| !output.contains("running")) {
        tasks.end(task, true);
    }
}
