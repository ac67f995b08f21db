//! Agents that work on a task, and the record of their actions.

use std::sync::{Arc, Mutex};

use loop_agents::{
    chat::{Chat, ChatAgent, ScriptedModel},
    review::{
        ActionLog, ActionSource, CallEvent, CallListener, ChatWorker, ShellWorker, TaskExecution, TaskOutput,
        WorkTree, Worker,
    },
    shell::ShellAgent,
    tools::Toolbox,
    usage::{Format, Prices, UsageReader},
};
use loop_core::{Iteration, IterationContext, Step, StepRecord, Work, WorkError};
use loop_guardrails::policy::{ActionPolicy, environment::EnvironmentPolicy, workspace::Workspace};
use serde_json::json;

use super::{command, folder, shell, write};

async fn worked(mut worker: impl Worker) -> (ActionLog, bool) {
    let mut actions = ActionLog::default();
    let done = worker.work("Do it.".to_owned(), &mut actions, IterationContext::new(&Work::new(), 1)).await;
    (actions, done.is_ok())
}

fn chat(folder: &std::path::Path, model: ScriptedModel) -> ChatWorker {
    let workspace = Workspace::open(folder, ActionPolicy::default()).expect("a workspace");
    let vars = [("PATH", std::env::var("PATH").expect("a path"))];
    let tools = Toolbox::standard(workspace).environment(vars, &EnvironmentPolicy::new());
    ChatWorker::new(ChatAgent::new(Chat::new(model).tools(tools)))
}

#[tokio::test]
async fn the_account_of_a_model_is_what_its_tools_report() {
    let folder = folder();
    write(&folder, "m.py", "x = 1\n");
    let model = ScriptedModel::new()
        .calls("read_file", json!({ "path": "m.py" }))
        .calls("write_file", json!({ "path": "n.py", "content": "y\n" }))
        .calls("edit_file", json!({ "path": "m.py", "old": "x = 2", "new": "x = 3" }))
        .calls("edit_file", json!({ "path": "gone.py", "old": "a", "new": "b" }))
        .calls("run_command", json!({ "command": "grep z n.py" }))
        .calls("run_command", json!({ "command": "rm -rf x" }))
        .calls("list_files", json!({}))
        .says("I ran the tests, and all of them pass.");
    let (actions, done) = worked(chat(folder.path(), model)).await;
    assert!(done);
    let told = actions.to_string();
    assert!(
        told.starts_with("Files written: n.py\nFiles read: m.py\nCommands:\n  grep z n.py (exit 1)\n"),
        "{told}"
    );
    assert_eq!((actions.errors.items().len(), actions.rejected.items().len()), (2, 1), "{told}");
    assert!(actions.rejected.items()[0].starts_with("run_command(rm -rf x): "), "{told}");
    assert!(!told.contains("tests"));
}

#[tokio::test]
async fn what_was_done_before_a_model_failed_is_in_the_account() {
    let folder = folder();
    let model = ScriptedModel::new().calls("write_file", json!({ "path": "a", "content": "" }));
    let (actions, done) = worked(chat(folder.path(), model)).await;
    assert!(!done);
    assert_eq!(actions.to_string(), "Files written: a\n");
}

#[tokio::test]
async fn the_account_of_a_command_is_what_its_work_tree_shows() {
    let folder = folder();
    write(&folder, "old", "1");
    let agent =
        command(folder.path(), "cat >/dev/null; echo 2 > old; echo 1 > new; echo I deleted everything.");
    let (actions, done) =
        worked(ShellWorker::new(agent, WorkTree::at(folder.path(), &shell(folder.path())))).await;
    assert!(done);
    assert_eq!(actions.to_string(), "Files written: new\nFiles edited: old\n");
    assert_eq!(actions.source, ActionSource::WorkTree);
}

#[tokio::test]
async fn a_stream_tells_more_and_the_tree_what_it_leaves_out() {
    let folder = folder();
    let stream = [
        r#"{"type":"tool_execution_start","toolCallId":"1","toolName":"bash","args":{"command":"make"}}"#,
        r#"{"type":"tool_execution_end","toolCallId":"1","isError":false,"result":{"content":[]}}"#,
        r#"{"type":"tool_execution_start","toolCallId":"2","toolName":"write","args":{"path":"never"}}"#,
        r#"{"type":"tool_execution_end","toolCallId":"2","isError":false,"result":{"content":[]}}"#,
    ];
    write(&folder, "stream", &format!("{}\n", stream.join("\n")));
    let reader = UsageReader::new(Format::PiJson, Prices::bundled());
    let agent = command(folder.path(), "cat stream; touch made").usage_reader(reader);
    let (actions, _) =
        worked(ShellWorker::new(agent, WorkTree::at(folder.path(), &shell(folder.path())))).await;
    assert_eq!(
        actions.to_string(),
        "Files written: made\nCommands:\n  make (exit 0)\nNot known: what became of never: it was written, but no longer exists\n"
    );
    assert_eq!(actions.source, ActionSource::Stream);
}

#[tokio::test]
async fn what_failed_loops_did_is_not_forgotten() {
    let folder = folder();
    let model = ScriptedModel::new()
        .calls("write_file", json!({ "path": "a", "content": "" }))
        .fails(loop_agents::chat::ModelErrorKind::Refused)
        .calls("write_file", json!({ "path": "b", "content": "" }))
        .says("Done.");
    let mut execution = TaskExecution::new(chat(folder.path(), model), 5, || Ok("Do it.".to_owned()));
    let work = Work::new();
    assert!(execution.run(IterationContext::new(&work, 1)).await.is_err());
    let worked: TaskOutput = execution.run(IterationContext::new(&work, 2)).await.expect("it works");
    // Nobody has reviewed the actions of the first one.
    assert_eq!(worked.actions.to_string(), "Files written: a, b\n");
    assert_eq!(worked.so_far.to_string(), "Files written: a, b\n");
}

#[tokio::test]
async fn a_command_that_its_limit_ended_claims_nothing() {
    let folder = folder();
    let limited = shell(folder.path()).max_time(std::time::Duration::from_millis(100));
    // The command may well exit with 0 after the stop signal.
    let line = "trap 'exit 0' TERM; echo STATUS: COMPLETE; while :; do :; done";
    let agent = ShellAgent::new(line).expect("a command").shell(limited);
    let worker = ShellWorker::new(agent, WorkTree::at(folder.path(), &shell(folder.path())));
    let mut execution = TaskExecution::new(worker, 5, || Ok("Do it.".to_owned()));
    let worked = execution.run(IterationContext::new(&Work::new(), 1)).await.expect("it works");
    assert!(!worked.claims_complete());
    assert_eq!(worked.actions.failure.as_deref(), Some("was ended after 100ms, its time limit"));
}

#[tokio::test]
async fn a_command_that_fails_claims_nothing() {
    for (end, claims, told) in [
        ("true", true, ""),
        ("exit 1", false, "It did not end well: it exited with 1\n"),
        ("kill -9 $$", false, "It did not end well: it was ended by signal 9 (137)\n"),
    ] {
        let folder = folder();
        let agent = command(folder.path(), &format!("echo STATUS: COMPLETE; {end}"));
        let worker = ShellWorker::new(agent, WorkTree::at(folder.path(), &shell(folder.path())));
        let mut execution = TaskExecution::new(worker, 5, || Ok("Do it.".to_owned()));
        let worked = execution.run(IterationContext::new(&Work::new(), 1)).await.expect("it works");
        assert_eq!((worked.claims_complete(), worked.actions.to_string().as_str()), (claims, told), "{end}");
    }
}

/// The next loop runs in another process: it has only the persisted data of the killed one.
#[tokio::test]
async fn what_a_loop_did_before_it_was_cut_off_is_in_its_account() {
    let (folder, beside) = (folder(), folder());
    let tree = WorkTree::at(folder.path(), &shell(folder.path()));
    let execution = |line: &str| {
        let worker = ShellWorker::new(command(folder.path(), line), tree.clone());
        TaskExecution::new(worker, 5, || Ok("Do it.".to_owned()))
    };
    let again = || IterationContext::new(&Work::new(), 1).with_attempt(2);
    let mut killed = TaskExecution::new(Held(folder.path().join("before")), 5, || Ok("Do it.".to_owned()))
        .remembering(tree.clone(), beside.path().join("look"));
    held(&mut killed, &folder.path().join("before")).await;
    let cut = "the actions before the loop was cut off";
    for (path, told) in [
        ("look", format!("Files written: before, after\nNot known: {cut}, except for changes to files\n")),
        ("none", format!("Files edited: after\nNot known: {cut}\n")),
    ] {
        let mut resumed = execution("echo >> after").remembering(tree.clone(), beside.path().join(path));
        let worked = resumed.run(again()).await.expect("it works");
        assert_eq!(worked.actions.to_string(), told, "{path}");
    }
    let worked = execution("true").run(again()).await.expect("it works");
    assert_eq!(worked.actions.to_string(), format!("Not known: {cut}\n"));
    // The next loop does not follow an interrupted one.
    let mut next = execution("true").remembering(tree.clone(), beside.path().join("look"));
    let left = StepRecord::new(1);
    let before = Step::new(left, Some(Arc::new(TaskOutput::default())));
    let cx = IterationContext::new(&Work::new(), 2).with_previous(Some(Arc::new(before)));
    let worked = next.run(cx).await.expect("it works");
    assert!(worked.actions.is_empty(), "{}", worked.actions);
}

/// An agent that creates this file, reports it, and never ends.
struct Held(std::path::PathBuf);

#[async_trait::async_trait]
impl Worker for Held {
    async fn work(
        &mut self,
        _: String,
        actions: &mut ActionLog,
        _: IterationContext<()>,
    ) -> Result<String, WorkError> {
        std::fs::write(&self.0, "").expect("a file");
        actions.ran("make before", Some(0));
        std::future::pending().await
    }
}

/// Starts a loop and drops it while its agent works.
async fn held(execution: &mut TaskExecution<Held>, made: &std::path::Path) {
    let work = Work::new();
    let run = execution.run(IterationContext::new(&work, 1));
    let is_at_work = async {
        while !made.exists() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        _ = run => panic!("it has no end"),
        () = is_at_work => {}
    }
}

/// After a cancelled loop the next one runs in another process. It knows the earlier files and reports.
#[tokio::test]
async fn what_a_loop_did_that_was_called_off_is_known_to_the_next() {
    let (folder, beside) = (folder(), folder());
    let tree = WorkTree::at(folder.path(), &shell(folder.path()));
    let snapshot = beside.path().join("look");
    let mut held_up = TaskExecution::new(Held(folder.path().join("before")), 5, || Ok("Do it.".to_owned()))
        .remembering(tree.clone(), &snapshot)
        .redacting(|text| text.replace("make", "[...]"));
    let history = held_up.history();
    held(&mut held_up, &folder.path().join("before")).await;
    let known = "Files written: before\nCommands:\n  make before (exit 0)\nNot known: the actions before the loop was cut off, except for changes to files\n";
    assert_eq!(history.so_far().await.to_string(), known);
    // Changes between the loops belong to neither of them.
    write(&folder, "mine", "");
    let worker = ShellWorker::new(command(folder.path(), "touch after"), tree.clone());
    let mut next = TaskExecution::new(worker, 5, || Ok("Do it.".to_owned())).remembering(tree, &snapshot);
    let prompt = next.prompt_in(&IterationContext::new(&Work::new(), 2)).expect("a prompt");
    assert!(
        prompt.contains("Files written: before\n") && prompt.contains("It did not finish.\n"),
        "{prompt}"
    );
    let worked = next.run(IterationContext::new(&Work::new(), 2)).await.expect("it works");
    assert!(
        worked.actions.to_string().starts_with("Files written: before, after\nCommands:\n  [...] before")
    );
    assert_eq!(worked.so_far.written.items(), ["before", "after"]);
}

/// The events of all calls come in order, also from a stream, and each call that ended has its end.
#[tokio::test]
async fn calls_are_reported_as_they_happen() {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let listener = || {
        let calls = Arc::clone(&calls);
        CallListener::new(move |event| {
            calls.lock().expect("the calls").push(match event {
                CallEvent::Began { id, call, arguments } => format!("{id} {call} {arguments}"),
                CallEvent::Ended { id, outcome, exit_code, message } => {
                    format!("{id} {outcome:?} {exit_code:?} {message}")
                }
                _ => panic!("a new event"),
            });
        })
    };
    let told = || std::mem::take(&mut *calls.lock().expect("the calls"));
    let folder = folder();
    write(&folder, "none", "x");
    let model = ScriptedModel::new()
        .calls("run_command", json!({ "command": "grep z none" }))
        .calls("run_command", json!({ "command": "rm x" }))
        .says("Done.");
    let mut worker = chat(folder.path(), model);
    worker.on_call(listener());
    worked(worker).await;
    let reported = told();
    assert_eq!(reported[..2], [r#" run_command {"command":"grep z none"}"#, " Done Some(1) "]);
    assert!(reported[3].starts_with(" Rejected None ") && reported[3].contains("`rm`"), "{reported:?}");
    assert_eq!(reported[4..], [" reply null", " Done None Done."]);

    let item = |kind: &str, item: serde_json::Value| format!("{}\n", json!({ "type": kind, "item": item }));
    let command = json!({ "id": "1", "type": "command_execution", "command": "make" });
    let mut ended = command.clone();
    ended["exit_code"] = json!(2);
    ended["status"] = json!("failed");
    let change =
        json!({ "id": "2", "type": "file_change", "status": "declined", "changes": [{ "path": "a" }] });
    let stream = [
        item("item.started", command),
        item("item.completed", ended),
        item("item.completed", change),
        item("item.completed", json!({ "id": "3", "type": "mcp_tool_call", "tool": "ask", "arguments": {} })),
        item("item.completed", json!({ "id": "4", "type": "reasoning" })),
    ];
    write(&folder, "stream", &stream.concat());
    let reader = UsageReader::new(Format::CodexJson, Prices::bundled());
    let agent = super::command(folder.path(), "cat stream; exit 7").usage_reader(reader);
    let mut worker = ShellWorker::new(agent, WorkTree::at(folder.path(), &shell(folder.path())));
    worker.on_call(listener());
    worked(worker).await;
    let reported = told();
    let expected = [
        r#"command command "cat stream; exit 7""#,
        r#"1 shell {"command":"make"}"#,
        "1 Done Some(2) ",
        r#"2 file_change [{"path":"a"}]"#,
        "2 Rejected None nobody permitted it",
        "3 ask {}",
        "3 Done None ",
    ];
    assert_eq!(reported[..7], expected);
    assert_eq!(reported[7], "command Failed Some(7) exited with 7");
}
