//! Codex: `codex exec --json`.
//!
//! - `item.started` begins a command, and `item.completed` ends it. At the end of a turn, codex completes the items of
//!   commands that still run, with the status `in_progress`, or leaves them open.
//! - After `turn.completed`, codex ends these commands. Their items may be completed then as `failed`.
//! - An item of the type `collab_tool_call` lists the states of other agents that this agent has started.

use serde_json::Value;

use super::{
    Dialect,
    tasks::{Tasks, bounded, quoted},
    text,
};

pub(super) const DIALECT: Dialect = Dialect {
    kinds: &["turn.started", "item.started", "item.completed", "turn.completed", "turn.failed"],
    read,
};

fn read(kind: &str, line: &Value, tasks: &mut Tasks) {
    // A command in progress is background work only if the turn ends without it.
    tasks.needs_end = true;
    let item = &line["item"];
    match (kind, text(item, "type")) {
        ("item.started" | "item.completed", Some("command_execution")) => command(kind, item, tasks),
        ("item.started" | "item.completed", Some("collab_tool_call")) => agents(item, tasks),
        ("turn.started", _) => tasks.is_over = false,
        ("turn.completed" | "turn.failed", _) => tasks.is_over = true,
        _ => {}
    }
}

fn command(kind: &str, item: &Value, tasks: &mut Tasks) {
    let (Some(id), Some(command)) = (text(item, "id"), text(item, "command")) else { return };
    if kind == "item.started" {
        tasks.ran(command);
        tasks.begin(id, &quoted(inner(command)));
    } else if item["status"] != "in_progress" {
        tasks.end(id, item["exit_code"] == 0);
    }
}

fn agents(item: &Value, tasks: &mut Tasks) {
    for (thread, state) in item["agents_states"].as_object().into_iter().flatten() {
        match text(state, "status") {
            Some("pending_init" | "running") => {
                let name = text(item, "prompt").map_or_else(|| "a subagent".to_owned(), bounded);
                let name = tasks.known(thread).map_or(name, str::to_owned);
                tasks.know(thread, &name);
                tasks.begin(thread, &name);
            }
            Some(status) => tasks.end(thread, status == "completed"),
            None => {}
        }
    }
}

/// Returns the command that codex passes to its shell.
fn inner(command: &str) -> &str {
    let passed = command.split_once(" -lc ").or_else(|| command.split_once(" -c ")).map(|(_, passed)| passed);
    passed.map_or(command, |passed| passed.trim_matches(['\'', '"']))
}
