use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn account(format: Format, stream: &[u8]) -> Account {
    let mut actions = Actions::of(format, PathBuf::from("/work")).expect("a stream with actions");
    actions.feed(stream);
    actions.finish()
}

fn lines(lines: &[Value]) -> Vec<u8> {
    lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
}

#[test]
fn recorded_streams_tell_which_commands_ran() {
    for (agent, format, expected) in [
        ("claude", Format::ClaudeStreamJson, "echo done >done.txt (exit 0)"),
        ("codex", Format::CodexJson, "/bin/bash -lc 'echo done >done.txt' (exit 0)"),
        ("pi", Format::PiJson, "echo done >done.txt (exit 0)"),
    ] {
        let path = format!("{}/conformance/streams/{agent}/tool.stdout", env!("CARGO_MANIFEST_DIR"));
        let stream = std::fs::read(path).expect("a recorded stream");
        assert_eq!(account(format, &stream).to_string(), format!("Commands:\n  {expected}\n"), "{agent}");
    }
}

#[test]
fn the_tools_of_claude_code() {
    let used = |id: &str, name: &str, input: Value| {
        json!({ "type": "assistant", "message": { "content": [
        { "type": "text", "text": "I did everything." },
        { "type": "tool_use", "id": id, "name": name, "input": input } ] } })
    };
    let result = |id: &str, is_error: bool, text: &str| {
        json!({ "type": "user", "message": { "content": [
        { "type": "tool_result", "tool_use_id": id, "is_error": is_error, "content": text } ] } })
    };
    let stream = lines(&[
        used("1", "Write", json!({ "file_path": "/work/a.py" })),
        result("1", false, "ok"),
        used("2", "Edit", json!({ "file_path": "/work/b.py" })),
        result("2", true, "String to replace not found"),
        used("3", "Bash", json!({ "command": "pytest -q" })),
        result("3", true, "Exit code 2\nno tests ran"),
        used("4", "Read", json!({ "file_path": "/etc/passwd" })),
        result("4", false, "root"),
        used("5", "Bash", json!({ "command": "never answered" })),
        json!({ "type": "result", "permission_denials": [
            { "tool_name": "Bash", "tool_input": { "command": "rm -rf /" } } ] }),
    ]);
    assert_eq!(
        account(Format::ClaudeStreamJson, &stream).to_string(),
        "Files written: a.py\nFiles read: /etc/passwd\nCommands:\n  pytest -q (exit 2)\nErrors:\n  \
         Edit(/work/b.py): String to replace not found\nTried, refused and NOT done:\n  \
         Bash(rm -rf /): nobody permitted it\n"
    );
}

#[test]
fn the_items_of_codex() {
    let item = |item: Value| json!({ "type": "item.completed", "item": item });
    let stream = lines(&[
        item(json!({ "type": "file_change", "status": "completed", "changes": [
            { "path": "/work/a", "kind": "add" }, { "path": "/work/b", "kind": "update" },
            { "path": "/work/c", "kind": "delete" } ] })),
        item(
            json!({ "type": "file_change", "status": "failed", "changes": [{ "path": "d", "kind": "add" }] }),
        ),
        item(json!({ "type": "command_execution", "status": "declined", "command": "curl x" })),
        item(json!({ "type": "command_execution", "status": "failed", "command": "make", "exit_code": 2 })),
    ]);
    assert_eq!(
        account(Format::CodexJson, &stream).to_string(),
        "Files written: a\nFiles edited: b\nFiles removed: c\nCommands:\n  make (exit 2)\nErrors:\n  \
         d: the change failed\nTried, refused and NOT done:\n  curl x: nobody permitted it\n"
    );
}

#[test]
fn the_calls_of_pi() {
    let call = |id: &str, name: &str, args: Value| json!({ "type": "tool_execution_start", "toolCallId": id, "toolName": name, "args": args });
    let end = |id: &str, is_error: bool, text: &str| {
        json!({ "type": "tool_execution_end", "toolCallId": id,
        "isError": is_error, "result": { "content": [{ "type": "text", "text": text }] } })
    };
    let stream = lines(&[
        call("1", "write", json!({ "path": "a" })),
        end("1", false, ""),
        call("2", "edit", json!({ "path": "b" })),
        end("2", false, ""),
        call("3", "bash", json!({ "command": "make" })),
        end("3", true, "oh\n\nCommand exited with code 2"),
    ]);
    assert_eq!(
        account(Format::PiJson, &stream).to_string(),
        "Files written: a\nFiles edited: b\nCommands:\n  make (exit 2)\n"
    );
}

/// Agents print what tools print: a number that is none, half of a character, bytes that are no text.
#[test]
fn a_line_that_is_nearly_json_tells_its_deeds() {
    let stream = [
        br#"{"type":"tool_execution_start","toolCallId":"1","toolName":"write","args":{"path":"a","n":NaN}}"#.as_slice(),
        br#"{"type":"tool_execution_end","toolCallId":"1","isError":false,"result":{"content":[{"text":"\ud83d"}]}}"#,
        br#"{"type":"tool_execution_start","toolCallId":"2","toolName":"bash","args":{"command":"make"}}"#,
        b"{\"type\":\"tool_execution_end\",\"toolCallId\":\"2\",\"isError\":false,\"result\":{\"content\":[{\"text\":\"\xff\"}]}}",
    ];
    let told = account(Format::PiJson, &stream.join(&b'\n')).to_string();
    assert_eq!(told, "Files written: a\nCommands:\n  make (exit 0)\n");
}

#[test]
fn formats_that_say_nothing_of_actions_have_no_reader() {
    assert!(Actions::of(Format::Text, PathBuf::new()).is_none());
}

proptest! {
    /// What a model says, and whatever else an agent prints, is no deed.
    #[test]
    fn text_is_no_deed(text in "(\\{|\\}|\"type\"|:|\"tool_use\"|\"Write\"|,|\n|[a-z]){0,40}") {
        for format in [Format::ClaudeStreamJson, Format::CodexJson, Format::PiJson] {
            prop_assert!(account(format, text.as_bytes()).is_empty());
        }
    }
}
