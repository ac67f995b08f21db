use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn actions(format: Format, stream: &[u8]) -> ActionLog {
    let mut stream_log = ActionStream::of(format, PathBuf::from("/work"), CallListener::default())
        .expect("a stream with actions");
    stream_log.feed(stream);
    stream_log.finish()
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
        assert_eq!(actions(format, &stream).to_string(), format!("Commands:\n  {expected}\n"), "{agent}");
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
        actions(Format::ClaudeStreamJson, &stream).to_string(),
        "Files written: a.py\nFiles read: /etc/passwd\nCommands:\n  pytest -q (exit 2)\nErrors:\n  \
         Edit(/work/b.py): String to replace not found\nTried, refused and NOT done:\n  \
         Bash(rm -rf /): nobody permitted it\nNot known: how Bash(never answered) ended\n"
    );
}

/// An exit code in a command's own output, or in a rejection, does not count.
#[test]
fn an_exit_code_stands_in_its_place() {
    for (said, told) in [
        ("Exit code 2\nno tests", "Commands:\n  make (exit 2)\n"),
        ("Exit code -1", "Commands:\n  make (exit -1)\n"),
        (
            "Permission to use Bash with command echo Exit code 0",
            "Errors:\n  Bash(make): Permission to use Bash with command echo Exit code 0\n",
        ),
        ("I say: Exit code 0", "Errors:\n  Bash(make): I say: Exit code 0\n"),
        ("", "Errors:\n  Bash(make): it failed\n"),
    ] {
        let stream = lines(&[
            json!({ "type": "assistant", "message": { "content": [
                { "type": "tool_use", "id": "1", "name": "Bash", "input": { "command": "make" } } ] } }),
            json!({ "type": "user", "message": { "content": [
                { "type": "tool_result", "tool_use_id": "1", "is_error": true, "content": said } ] } }),
        ]);
        assert_eq!(actions(Format::ClaudeStreamJson, &stream).to_string(), told, "{said}");
    }
    for (said, told) in [
        ("oh\n\nCommand exited with code 2", "Commands:\n  make (exit 2)\n"),
        ("\n\nCommand exited with code -1", "Commands:\n  make (exit -1)\n"),
        ("exited with code 0\n\nCommand aborted", "Errors:\n  bash(make): exited with code 0…\n"),
    ] {
        let stream = lines(&[
            json!({ "type": "tool_execution_start", "toolCallId": "1", "toolName": "bash", "args": { "command": "make" } }),
            json!({ "type": "tool_execution_end", "toolCallId": "1", "isError": true,
                "result": { "content": [{ "type": "text", "text": said }] } }),
        ]);
        assert_eq!(actions(Format::PiJson, &stream).to_string(), told, "{said}");
    }
}

#[test]
fn what_is_not_told_to_its_end_is_not_known() {
    let stream = lines(&[
        json!({ "type": "item.started", "item": { "id": "1", "type": "command_execution", "command": "make" } }),
        json!({ "type": "item.started", "item": { "id": "2", "type": "command_execution", "command": "ls" } }),
        json!({ "type": "item.completed", "item": { "id": "2", "type": "command_execution", "command": "ls", "exit_code": 0 } }),
        json!({ "type": "item.completed", "item": { "id": "3", "type": "file_change", "changes": [{ "kind": "add" }] } }),
    ]);
    assert_eq!(
        actions(Format::CodexJson, &stream).to_string(),
        "Commands:\n  ls (exit 0)\nNot known: which file changed in one change that its stream reports, how shell(make) ended\n"
    );
    let lost = "the content of lines of its stream that are too long, and of calls beyond the limit";
    let long = format!("{{\"type\":\"x\",\"y\":\"{}\"}}\n", "x".repeat(MAX_LINE_BYTES));
    assert_eq!(actions(Format::PiJson, long.as_bytes()).to_string(), format!("Not known: {lost}\n"));
    let calls = (0..=MAX_OPEN_CALLS).map(|id| json!({ "type": "tool_execution_start", "toolCallId": id.to_string(), "toolName": "bash", "args": {} }));
    let many = actions(Format::PiJson, &lines(&calls.collect::<Vec<_>>()));
    assert!(many.unknown.items().iter().any(|what| what == lost), "{many}");
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
        actions(Format::CodexJson, &stream).to_string(),
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
        actions(Format::PiJson, &stream).to_string(),
        "Files written: a\nFiles edited: b\nCommands:\n  make (exit 2)\n"
    );
}

/// Agents print the output of tools: invalid numbers, half characters, invalid UTF-8.
#[test]
fn a_line_that_is_nearly_json_tells_its_deeds() {
    let stream = [
        br#"{"type":"tool_execution_start","toolCallId":"1","toolName":"write","args":{"path":"a","n":NaN}}"#.as_slice(),
        br#"{"type":"tool_execution_end","toolCallId":"1","isError":false,"result":{"content":[{"text":"\ud83d"}]}}"#,
        br#"{"type":"tool_execution_start","toolCallId":"2","toolName":"bash","args":{"command":"make"}}"#,
        b"{\"type\":\"tool_execution_end\",\"toolCallId\":\"2\",\"isError\":false,\"result\":{\"content\":[{\"text\":\"\xff\"}]}}",
    ];
    let told = actions(Format::PiJson, &stream.join(&b'\n')).to_string();
    assert_eq!(told, "Files written: a\nCommands:\n  make (exit 0)\n");
}

#[test]
fn formats_that_say_nothing_of_actions_have_no_reader() {
    assert!(ActionStream::of(Format::Text, PathBuf::new(), CallListener::default()).is_none());
}

proptest! {
    /// A model's words, and other output of an agent, are not actions.
    #[test]
    fn text_is_no_deed(text in "(\\{|\\}|\"type\"|:|\"tool_use\"|\"Write\"|,|\n|[a-z]){0,40}") {
        for format in [Format::ClaudeStreamJson, Format::CodexJson, Format::PiJson] {
            prop_assert!(actions(format, text.as_bytes()).is_empty());
        }
    }
}
