//! Tools for files.

use std::{fs, os::unix::fs::symlink};

use loop_agents::tools::{MAX_OUTPUT_BYTES, ToolOutcome};
use loop_guardrails::policy::audit::AuditOutcome;
use serde_json::json;

use crate::scenario::Scenario;

/// Returns the tools that take a path, with the arguments that they need.
fn with_path(path: &str) -> Vec<(&'static str, serde_json::Value)> {
    vec![
        ("read_file", json!({ "path": path })),
        ("write_file", json!({ "path": path, "content": "x" })),
        ("edit_file", json!({ "path": path, "old": "a", "new": "b" })),
        ("list_files", json!({ "path": path })),
        ("file_tree", json!({ "path": path })),
        ("search_files", json!({ "path": path, "pattern": "." })),
        ("create_dir", json!({ "path": path })),
    ]
}

#[tokio::test]
async fn no_tool_leaves_the_workspace_or_touches_a_secret() {
    let scenario = Scenario::new();
    fs::create_dir(scenario.beside("outside")).unwrap();
    fs::write(scenario.beside("outside/x"), "a").unwrap();
    scenario.put(".env", "a");
    symlink(scenario.beside("outside"), scenario.at("link")).unwrap();
    for path in
        ["../outside/x", "/etc/passwd", "link/x", "link/new/y", "link", ".env", "./a/../.env", "keys/id_rsa"]
    {
        for (tool, arguments) in with_path(path) {
            let before = scenario.audit.len();
            let text = scenario.rejected(tool, arguments).await;
            assert!(!text.is_empty());
            // There is only one entry: the audit did not record a permission before the denial.
            assert_eq!(
                (scenario.audit.len(), scenario.audit.newest(1)[0].outcome),
                (before + 1, AuditOutcome::Denied),
                "{tool}"
            );
        }
    }
    assert_eq!(
        (scenario.text(".env").as_str(), fs::read_dir(scenario.beside("outside")).unwrap().count()),
        ("a", 1)
    );
}

#[tokio::test]
async fn what_is_not_there_fails_and_is_not_rejected() {
    let scenario = Scenario::new();
    for (tool, arguments) in
        with_path("gone").into_iter().filter(|(tool, _)| !["write_file", "create_dir"].contains(tool))
    {
        let report = scenario.call(tool, arguments).await;
        assert_eq!(report.outcome, ToolOutcome::Failed, "{tool}");
        assert!(report.text.contains("there is no `gone`: list its folder"), "{}", report.text);
    }
}

#[tokio::test]
async fn an_edit_changes_one_place_or_nothing() {
    let scenario = Scenario::new();
    scenario.put("x", "one\ntwo\ntwo\n");
    for (old, problem) in [("two", "more than once"), ("three", "not in it"), ("", "is empty")] {
        let report = scenario.call("edit_file", json!({ "path": "x", "old": old, "new": "y" })).await;
        assert!(report.outcome == ToolOutcome::Failed && report.text.contains(problem), "{}", report.text);
        assert!(report.files.is_empty());
    }
    assert_eq!(scenario.text("x"), "one\ntwo\ntwo\n");
    let report = scenario.call("edit_file", json!({ "path": "x", "old": "two\ntwo", "new": "2" })).await;
    assert_eq!((scenario.text("x").as_str(), report.files[0].created), ("one\n2\n", false));
}

#[tokio::test]
async fn a_search_finds_lines_and_passes_over_what_is_no_text() {
    let scenario = Scenario::new();
    scenario.put("a/x.rs", "fn one() {}\r\nfn two() {}\n");
    scenario.put("binary", b"fn\0");
    scenario.put(".git/config", "fn");
    scenario.put("server.pem", "fn");
    symlink("a", scenario.at("again")).unwrap();
    let text = scenario.done("search_files", json!({ "pattern": "^fn .*\\}$" })).await;
    assert_eq!(
        text,
        "a/x.rs:1:fn one() {}\na/x.rs:2:fn two() {}\n[1 file was not searched: reading it is not allowed]\n"
    );
    let report = scenario.call("search_files", json!({ "pattern": "(" })).await;
    assert!(report.outcome == ToolOutcome::Failed && report.text.contains("is not a regular expression"));
    scenario.put("many", "fn\n".repeat(500));
    let text = scenario.done("search_files", json!({ "pattern": "fn", "path": "many" })).await;
    assert!(
        text.ends_with("[... cut after 100 lines: search a subfolder, or use a narrower pattern ...]\n"),
        "{text}"
    );
}

#[tokio::test]
async fn a_glob_finds_the_files_whose_paths_match() {
    let scenario = Scenario::new();
    for path in ["a/x.rs", "a/b/y.rs", "z.rs", "a/t.toml", ".git/w.rs", "a/server.pem"] {
        scenario.put(path, "");
    }
    symlink("a", scenario.at("again")).unwrap();
    for (arguments, found) in [
        (json!({ "glob": "**/*.rs" }), "a/b/y.rs\na/x.rs\nz.rs\n"),
        (json!({ "glob": "*.rs" }), "z.rs\n"),
        (json!({ "glob": "a/[xy].*" }), "a/x.rs\n"),
        (json!({ "glob": "*/*.rs", "path": "a" }), "a/b/y.rs\n"),
        (json!({ "glob": "*.{pem,toml}", "path": "a" }), "[nothing found]"),
        (json!({ "glob": "*.pem", "path": "a/" }), "a/server.pem (not readable)\n"),
    ] {
        assert_eq!(scenario.done("list_files", arguments.clone()).await, found, "{arguments}");
    }
    let report = scenario.call("list_files", json!({ "glob": "a**" })).await;
    assert!(
        report.outcome == ToolOutcome::Failed && report.text.contains("`a**` is not a valid glob"),
        "{}",
        report.text
    );
    (0..1100).for_each(|number| scenario.put(&format!("many/{number}"), ""));
    let text = scenario.done("list_files", json!({ "glob": "many/*" })).await;
    assert!(
        text.lines().count() == 1001
            && text.ends_with("[... cut after 1000 files: list a subfolder, or use a narrower glob ...]\n")
    );
}

#[tokio::test]
async fn a_large_file_is_read_within_the_bound() {
    let scenario = Scenario::new();
    scenario.put("large", "line – of text\n".repeat(100_000));
    let text = scenario.done("read_file", json!({ "path": "large" })).await;
    assert!(text.len() <= MAX_OUTPUT_BYTES && text.contains("continue with first_line = "), "{}", text.len());
    scenario.put("image", b"\x89PNG\0\0");
    let report = scenario.call("read_file", json!({ "path": "image" })).await;
    assert!(report.outcome == ToolOutcome::Failed && report.text.contains("is not text: it has 6 bytes"));
}

#[tokio::test]
async fn a_tree_is_cut_where_it_grows_too_large() {
    let scenario = Scenario::new();
    for number in 0..2100 {
        scenario.put(&format!("d/f{number:04}"), "");
    }
    let text = scenario.done("file_tree", json!({})).await;
    assert!(text.starts_with("d/\n  f0000\n") && text.contains("cut after 2000 names"));
    assert_eq!(scenario.done("file_tree", json!({ "depth": 1 })).await, "d/\n");
}

#[tokio::test]
async fn folders_that_were_made_are_reported_and_others_are_not() {
    let scenario = Scenario::new();
    let made = scenario.call("create_dir", json!({ "path": "a/b" })).await;
    let again = scenario.call("create_dir", json!({ "path": "a/b" })).await;
    assert_eq!((made.files.len(), again.files.len()), (1, 0));
}
