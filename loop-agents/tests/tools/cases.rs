//! Compares the tools of a well-known terminal agent with ours, case by case.

use std::{fs, os::unix::fs::symlink};

use loop_agents::tools::MAX_OUTPUT_BYTES;
use serde_json::json;

use crate::scenario::Scenario;

#[tokio::test]
async fn tool_symlink_escape() {
    let scenario = Scenario::new();
    fs::create_dir(scenario.beside("outside")).unwrap();
    symlink(scenario.beside("outside"), scenario.at("link")).unwrap();
    // There, the tool writes the file outside of the workspace.
    scenario.rejected("write_file", json!({ "path": "link/newdir/pwn.txt", "content": "x" })).await;
    assert!(!scenario.beside("outside/newdir").exists());
}

#[tokio::test]
async fn tool_search_secrets() {
    let scenario = Scenario::new();
    scenario.put(".env", "SECRET=1\n");
    // There, the answer contains the secret.
    let text = scenario.done("search_files", json!({ "pattern": "SECRET" })).await;
    assert!(!text.contains("SECRET=1"), "{text}");
}

#[tokio::test]
async fn cap_output() {
    let scenario = Scenario::new();
    scenario.put("x", "é".repeat(MAX_OUTPUT_BYTES));
    // There, the cut may split a character.
    let text = scenario.done("run_command", json!({ "command": "cat x" })).await;
    assert!(text.contains("bytes left out") && !text.contains(char::REPLACEMENT_CHARACTER));
}

#[tokio::test]
async fn git_command_args() {
    let scenario = Scenario::new();
    scenario.git(&["init", "-q"]);
    scenario.git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    // There, the first word is lost.
    let text = scenario.done("git", json!({ "subcommand": "log", "arguments": "--oneline" })).await;
    assert!(text.contains("first") && !text.contains("Author"), "{text}");
}

#[tokio::test]
async fn audit_ring() {
    let scenario = Scenario::new();
    for number in 0..1200 {
        scenario.call("nope", json!({ "number": number })).await;
    }
    // Both keep the last thousand entries, the newest first, and deny a call of an unknown tool at once.
    assert_eq!(scenario.audit.len(), 1000);
    assert!(scenario.audit.newest(1)[0].details.contains("1199"));
}

#[tokio::test]
async fn env_filter() {
    let scenario = Scenario::allowing(&["printenv"]);
    // There, `LC_ALL` never passes, and `GOPATH` does not either. Our list names the variables to withhold.
    assert_eq!(scenario.done("run_command", json!({ "command": "printenv LC_ALL" })).await, "C\n(exit 0)");
    assert_eq!(scenario.done("run_command", json!({ "command": "printenv MY_TOKEN" })).await, "(exit 1)");
}
