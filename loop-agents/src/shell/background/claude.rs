//! Claude Code: `claude -p --output-format stream-json --verbose`.
//!
//! - Newer versions declare tasks in lines of the type `system`: `task_started`, `task_updated` and
//!   `task_notification` are about one task, and `background_tasks_changed` lists all that run.
//! - A task that is not in the background (`is_backgrounded: false`) ends before the turn. It can move to the
//!   background later.
//! - In older versions, only the result of a call says that its command runs in the background, under which id. Other
//!   calls ask for the state of that command (`BashOutput`) or end it (`KillShell`).
//! - `result` ends a turn. After it, the program ends the tasks that are left: as `stopped` or `killed`, or without a
//!   word. A task that is done instead begins another turn.

use serde_json::Value;

use super::{
    Dialect,
    tasks::{Tasks, bounded, quoted},
    text,
};

pub(super) const DIALECT: Dialect = Dialect { kinds: &["system", "assistant", "user", "result"], read };

/// The beginning of the result of a command that runs in the background, up to its id.
const BACKGROUND_RESULT: &str = "Command running in background with ID: ";

/// The calls that end a task.
const ENDING_CALLS: [&str; 3] = ["KillShell", "KillBash", "TaskStop"];

fn read(kind: &str, line: &Value, tasks: &mut Tasks) {
    match kind {
        "system" => system(line, tasks),
        "assistant" => {
            tasks.is_over = false;
            blocks(line)
                .iter()
                .filter(|block| block["type"] == "tool_use")
                .for_each(|call| called(call, tasks));
        }
        "user" => {
            for result in blocks(line).iter().filter(|block| block["type"] == "tool_result") {
                answered(result, &line["tool_use_result"], tasks);
            }
        }
        _ => tasks.is_over = true,
    }
}

fn system(line: &Value, tasks: &mut Tasks) {
    let subtype = text(line, "subtype").unwrap_or_default();
    if subtype == "background_tasks_changed" {
        let list = line["tasks"].as_array().map_or(&[][..], Vec::as_slice);
        let running: Vec<_> = list
            .iter()
            .filter(|task| task["ambient"] != true)
            .filter_map(|task| Some((text(task, "task_id")?.to_owned(), name(task, tasks))))
            .collect();
        return tasks.replace(running.iter().map(|(id, name)| (id.as_str(), name.as_str())));
    }
    let Some(id) = text(line, "task_id") else { return };
    match subtype {
        "task_started" => {
            let name = name(line, tasks);
            tasks.know(id, &name);
            if line["is_backgrounded"] != false && line["ambient"] != true {
                tasks.begin(id, &name);
            }
        }
        "task_updated" => {
            if line["patch"]["is_backgrounded"] == true {
                let name = name(line, tasks);
                tasks.begin(id, &name);
            }
            state(id, text(&line["patch"], "status"), tasks);
        }
        "task_notification" => state(id, text(line, "status"), tasks),
        _ => {}
    }
}

/// Records the state of a task.
fn state(id: &str, status: Option<&str>, tasks: &mut Tasks) {
    match status {
        Some("completed" | "failed") => tasks.end(id, true),
        Some("killed" | "stopped") => tasks.end(id, false),
        _ => {}
    }
}

/// Records a call of a tool.
fn called(call: &Value, tasks: &mut Tasks) {
    let (Some(id), input) = (text(call, "id"), &call["input"]) else { return };
    if let Some(command) = text(input, "command") {
        tasks.know(id, &quoted(command));
        tasks.ran(command);
    } else if let Some(description) = text(input, "description") {
        tasks.know(id, &bounded(description));
    } else if let Some(task) = task_of(input) {
        if text(call, "name").is_some_and(|tool| ENDING_CALLS.contains(&tool)) {
            tasks.end(task, false);
        }
        // The result does not name the task again.
        tasks.know(id, task);
    }
}

/// Records the result of a call.
fn answered(result: &Value, details: &Value, tasks: &mut Tasks) {
    let Some(call) = text(result, "tool_use_id") else { return };
    let said = said(&result["content"]);
    let in_text = said.strip_prefix(BACKGROUND_RESULT).and_then(|rest| rest.split(['.', '\n']).next());
    if let Some(id) = text(details, "backgroundTaskId").or(in_text) {
        let name = tasks.known(call).unwrap_or("a command").to_owned();
        return tasks.begin(id, &name);
    }
    if let Some(status) = said.split_once("<status>").and_then(|(_, rest)| rest.split('<').next())
        && let Some(task) = tasks.known(call).map(str::to_owned)
    {
        state(&task, Some(status), tasks);
    }
}

/// Returns the name of a task: its command, or what the agent calls it.
fn name(task: &Value, tasks: &Tasks) -> String {
    let of = |key| text(task, key).and_then(|id| tasks.known(id)).map(str::to_owned);
    let described = || text(task, "description").map(bounded);
    of("tool_use_id").or_else(|| of("task_id")).or_else(described).unwrap_or_else(|| "a task".to_owned())
}

fn task_of(input: &Value) -> Option<&str> {
    ["task_id", "bash_id", "shell_id"].into_iter().find_map(|key| text(input, key))
}

fn blocks(line: &Value) -> &[Value] {
    line["message"]["content"].as_array().map_or(&[], Vec::as_slice)
}

/// Returns the text of a result, which is a string or a list of blocks.
fn said(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(|block| text(block, "text")).collect(),
        _ => String::new(),
    }
}
