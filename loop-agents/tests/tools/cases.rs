//! What a well-known terminal agent's tools do, case by case, and what ours do in their place.

use std::{fs, os::unix::fs::symlink};

use loop_agents::tools::MAX_OUTPUT_BYTES;
use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn tool_symlink_escape() {
    let world = World::new();
    fs::create_dir(world.beside("outside")).unwrap();
    symlink(world.beside("outside"), world.at("link")).unwrap();
    // There, the file is written outside.
    world.rejected("write_file", json!({ "path": "link/newdir/pwn.txt", "content": "x" })).await;
    assert!(!world.beside("outside/newdir").exists());
}

#[tokio::test]
async fn tool_search_secrets() {
    let world = World::new();
    world.put(".env", "SECRET=1\n");
    // There, the answer is the secret.
    let text = world.done("search_files", json!({ "pattern": "SECRET" })).await;
    assert!(!text.contains("SECRET=1"), "{text}");
}

#[tokio::test]
async fn cap_output() {
    let world = World::new();
    world.put("x", "é".repeat(MAX_OUTPUT_BYTES));
    // There, a character may be cut through.
    let text = world.done("run_command", json!({ "command": "cat x" })).await;
    assert!(text.contains("bytes left out") && !text.contains(char::REPLACEMENT_CHARACTER));
}

#[tokio::test]
async fn git_command_args() {
    let world = World::new();
    world.git(&["init", "-q"]);
    world.git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    // There, the first word is lost.
    let text = world.done("git", json!({ "subcommand": "log", "arguments": "--oneline" })).await;
    assert!(text.contains("first") && !text.contains("Author"), "{text}");
}

#[tokio::test]
async fn audit_ring() {
    let world = World::new();
    for number in 0..1200 {
        world.call("nope", json!({ "number": number })).await;
    }
    // There as here, the last thousand are kept, the newest first; a call that no tool takes is denied at once.
    assert_eq!(world.audit.len(), 1000);
    assert!(world.audit.newest(1)[0].details.contains("1199"));
}

#[tokio::test]
async fn env_filter() {
    let world = World::allowing(&["printenv"]);
    // `LC_ALL` never passes there, and `GOPATH` does not either: our list is of what is withheld.
    assert_eq!(world.done("run_command", json!({ "command": "printenv LC_ALL" })).await, "C\n(exit 0)");
    assert_eq!(world.done("run_command", json!({ "command": "printenv MY_TOKEN" })).await, "(exit 1)");
}
