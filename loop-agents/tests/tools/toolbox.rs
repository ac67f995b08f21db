//! Rules for every call.

use std::{fs, future::pending, path::PathBuf, time::Duration};

use async_trait::async_trait;
use loop_agents::tools::{
    Approval, ApprovalAnswer, ApprovalRequest, Tool, ToolContext, ToolError, ToolOutcome,
};
use loop_guardrails::policy::audit::{AuditFile, AuditOutcome};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::scenario::Scenario;

#[test]
fn tools_come_in_the_order_of_their_names_with_schemas_of_objects() {
    let definitions = Scenario::new().tools.definitions();
    let names: Vec<_> = definitions.iter().map(|tool| tool.name.as_str()).collect();
    let expected = [
        "create_dir",
        "current_datetime",
        "edit_file",
        "file_tree",
        "git",
        "list_files",
        "read_file",
        "run_command",
        "search_files",
        "whoami",
        "write_file",
    ];
    assert_eq!(names, expected);
    for tool in &definitions {
        assert_eq!(tool.parameters["type"], "object", "{}", tool.name);
        assert_eq!(tool.parameters["additionalProperties"], false, "{}", tool.name);
        let fields = tool.parameters["properties"].as_object().cloned().unwrap_or_default();
        assert!(fields.values().all(|field| field["description"].is_string()), "{}", tool.name);
    }
}

#[tokio::test]
async fn what_cannot_be_called_is_said_and_rejected() {
    let scenario = Scenario::new();
    let text = scenario.rejected("nope", json!({})).await;
    assert!(text.contains("there is no tool `nope`; the tools are create_dir, "), "{text}");
    for arguments in
        [json!({}), json!({ "path": 1 }), json!({ "path": "x", "pat": 1 }), json!("x"), Value::Null]
    {
        let text = scenario.rejected("read_file", arguments).await;
        assert!(text.contains("its arguments are ") && text.contains("`path` (string)"), "{text}");
    }
}

#[tokio::test]
async fn every_call_is_audited_before_and_after() {
    let mut scenario = Scenario::new();
    scenario.tools.set_iteration(7);
    scenario.call("write_file", json!({ "path": "x", "content": "y" })).await;
    scenario.call("read_file", json!({ "path": ".env" })).await;
    scenario.call("read_file", json!({ "path": "gone" })).await;
    let entries = scenario.audit.newest(10);
    let outcomes: Vec<_> = entries.iter().rev().map(|entry| entry.outcome).collect();
    use AuditOutcome::{Allowed, Denied, Error, Success};
    assert_eq!(outcomes, [Allowed, Success, Denied, Allowed, Error]);
    assert!(entries[2].details.contains("hold secrets"), "{:?}", entries[2]);
    assert!(entries.iter().all(|entry| entry.iteration == Some(7)));
}

#[tokio::test]
async fn what_cannot_be_audited_is_not_done() {
    let mut scenario = Scenario::new();
    std::fs::write(scenario.beside("audit"), "a file where the folder should be").unwrap();
    let audit = scenario.audit.clone().file(AuditFile::at(scenario.beside("audit")));
    scenario.tools = scenario.tools.audit(audit);
    let text = scenario.rejected("write_file", json!({ "path": "x", "content": "y" })).await;
    assert!(text.contains("cannot write the audit") && !scenario.at("x").exists(), "{text}");
}

struct Endless;

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[async_trait]
impl Tool for Endless {
    type Arguments = Nothing;

    fn name(&self) -> &'static str {
        "endless"
    }

    fn description(&self) -> &'static str {
        "Never ends."
    }

    fn max_time(&self, _cx: &ToolContext) -> Duration {
        Duration::from_secs(60)
    }

    async fn call(&self, Nothing {}: Nothing, cx: &ToolContext) -> Result<String, ToolError> {
        cx.changed(&"half", true);
        pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_never_ends_is_given_up_and_what_it_did_is_kept() {
    let mut scenario = Scenario::new();
    scenario.tools = scenario.tools.with(Endless);
    let report = scenario.call("endless", json!({})).await;
    assert_eq!((report.outcome, report.files.len()), (ToolOutcome::Failed, 1));
    assert!(report.text.contains("endless did not end within 60s"), "{}", report.text);
}

struct Watcher(tokio::sync::mpsc::UnboundedSender<&'static str>);

#[async_trait]
impl Tool for Watcher {
    type Arguments = Nothing;

    fn name(&self) -> &'static str {
        "watcher"
    }

    fn description(&self) -> &'static str {
        "Works on another thread until nobody waits any more."
    }

    async fn call(&self, Nothing {}: Nothing, cx: &ToolContext) -> Result<String, ToolError> {
        let say = self.0.clone();
        cx.blocking(move |_, stop| {
            let _ = say.send("began");
            while !stop.is_set() {
                std::thread::yield_now();
            }
            let _ = say.send("stopped");
            Ok(String::new())
        })
        .await
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_stops_its_thread() {
    let (say, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let mut scenario = Scenario::new();
    scenario.tools = scenario.tools.with(Watcher(say));
    let arguments = json!({});
    let call = scenario.tools.call("watcher", &arguments);
    tokio::select! {
        report = call => panic!("it ended: {report:?}"),
        said = heard.recv() => assert_eq!(said, Some("began")),
    }
    assert_eq!(heard.recv().await, Some("stopped"));
}

/// A person who saves another version of the file while the question about it is open.
#[derive(Debug)]
struct Editing(PathBuf);

#[async_trait]
impl Approval for Editing {
    async fn ask(&self, request: &ApprovalRequest) -> ApprovalAnswer {
        assert!(request.diff.contains("-A"), "{}", request.diff);
        fs::write(&self.0, "kept\nA\n").unwrap();
        ApprovalAnswer::Yes
    }

    fn asks_before_writes(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn a_yes_is_for_the_text_that_the_person_saw() {
    for (path, tool, arguments) in [
        ("x", "write_file", json!({ "path": "x", "content": "B\n" })),
        ("x", "edit_file", json!({ "path": "x", "old": "A", "new": "B" })),
        ("AGENTS.md", "write_file", json!({ "path": "AGENTS.md", "content": "B\n" })),
    ] {
        let scenario = Scenario::new();
        scenario.put(path, "A\n");
        let file = scenario.at(path);
        let scenario = scenario.with_approval(Editing(file));
        let text = scenario.rejected(tool, arguments.clone()).await;
        assert!(text.contains("changed while the question"), "{text}");
        assert_eq!(scenario.text(path), "kept\nA\n");
    }
}
