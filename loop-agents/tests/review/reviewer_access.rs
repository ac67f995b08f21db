//! A reviewer's tools are read-only, and refuse everything else.

use std::{fs, os::unix::fs::symlink};

use loop_agents::tools::ToolOutcome;
use serde_json::json;

use super::{folder, tools, write};

#[tokio::test]
async fn what_would_do_more_than_look_is_refused() {
    let folder = folder();
    write(&folder, "victim", "here");
    write(&folder, "hook", "#!/bin/sh\ntouch done\n");
    let tools = tools(folder.path());
    for command in [
        "ls\ntouch done",
        "ls\r\ntouch done",
        "env touch done",
        "env",
        "find . -exec touch done ;",
        "find . -name victim -delete",
        "find . -fprint done",
        "git -c core.pager=./hook log",
        "git -c core.fsmonitor=./hook status",
        "git diff --output=done",
        "git --exec-path=. log",
        "rg --pre ./hook here",
        "rg here",
        "sort -o done victim",
        "sh -c 'touch done'",
        "python3 -c 'open(\"done\", \"w\")'",
        "rm victim",
        "touch done",
        "tee done",
        "xargs touch",
        "./hook",
        "cat /etc/passwd",
    ] {
        let report = tools.call("run_command", &json!({ "command": command })).await;
        assert_eq!(report.outcome, ToolOutcome::Rejected, "{command}: {}", report.text);
        assert!(report.commands.is_empty());
    }
    assert!(folder.path().join("victim").exists() && !folder.path().join("done").exists());
}

/// Unquoted they are refused, and in quotes they are plain characters.
#[tokio::test]
async fn a_semicolon_starts_no_second_command() {
    let folder = folder();
    let tools = tools(folder.path());
    for command in [
        "echo a; touch done",
        "echo a && touch done",
        "echo $(touch done)",
        "echo a > done",
        "echo `touch done`",
    ] {
        let report = tools.call("run_command", &json!({ "command": command })).await;
        assert_eq!(report.outcome, ToolOutcome::Rejected, "{command}: {}", report.text);
        let quoted = format!("echo '{}'", &command[5..]);
        let report = tools.call("run_command", &json!({ "command": quoted })).await;
        assert_eq!(report.text, format!("{}\n(exit 0)", &command[5..]));
    }
    assert!(!folder.path().join("done").exists());
}

#[tokio::test]
async fn a_reviewer_has_no_tool_that_writes() {
    let folder = folder();
    let tools = tools(folder.path());
    let names: Vec<_> = tools.definitions().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["file_tree", "git", "list_files", "read_file", "run_command", "search_files"]);
    let report = tools.call("write_file", &json!({ "path": "x", "content": "" })).await;
    assert_eq!(report.outcome, ToolOutcome::Rejected);
}

#[tokio::test]
async fn no_link_leads_a_reviewer_out() {
    let (outside, folder) = (folder(), folder());
    fs::write(outside.path().join("secret"), "8237").expect("a file");
    symlink(outside.path(), folder.path().join("link")).expect("a link");
    let tools = tools(folder.path());
    for (tool, arguments) in [
        ("read_file", json!({ "path": "link/secret" })),
        ("list_files", json!({ "path": "link" })),
        ("search_files", json!({ "pattern": "8237", "path": "link" })),
        ("run_command", json!({ "command": "cat link/secret" })),
    ] {
        let report = tools.call(tool, &arguments).await;
        assert_eq!(report.outcome, ToolOutcome::Rejected, "{tool}: {}", report.text);
        assert!(!report.text.contains("8237\n"));
    }
}
