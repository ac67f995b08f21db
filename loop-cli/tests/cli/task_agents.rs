//! `loop task` with commands in place of models.

use std::{fs, os::unix::fs::PermissionsExt as _};

use loop_agents::process::sandbox::SandboxSupport;
use serde_json::json;

use crate::{
    model_server::ModelServer,
    support::{RunningCommand, Scenario},
    task::{finds, json_of},
};

/// Returns a reviewer that gives this verdict. It reads the number of the review from its prompt.
pub(crate) fn reviewer(pending: &str) -> String {
    let number = r#"n=$(grep -o '"review": "[0-9a-f]*"' | tail -1)"#;
    format!(r#"{number}; echo "{{$n, \"pending\": [{pending}], \"blocker\": \"\", \"summary\": \"seen\"}}""#)
}

#[test]
fn a_command_works_and_another_one_reviews() {
    let scenario = Scenario::new();
    scenario.write("task.md", "Write hello.\n");
    // The agent's claims differ from its actions.
    let agent = "cat > prompt-$LOOP_ITERATION; echo $LOOP_ITERATION > hello; echo I wrote a hundred files.";
    let pending = r#"$([ $(cat hello) = 2 ] || echo '"a second line"')"#;
    let review = format!("tee review-prompt | ({})", reviewer(pending));
    let args = ["task", "task.md", "--agent", agent, "--review-agent", &review, "--json"];
    let ran = scenario.run(&args).exits(0);
    let outcome = json_of(&ran);
    assert_eq!((&outcome["status"], &outcome["loops"]), (&json!("nothing_pending"), &json!(2)), "{outcome}");
    let (first, second) = (scenario.read("prompt-1"), scenario.read("prompt-2"));
    assert!(first.contains("Never invent output.") && first.contains("Write hello."), "{first}");
    assert!(second.contains("- a second line") && second.contains("Files written: hello"), "{second}");
    let told = scenario.read("review-prompt");
    assert!(
        told.contains("as the files of the folder show it") && told.contains("Files edited: hello"),
        "{told}"
    );
}

/// The command's failure is a fact; its earlier words are a claim.
#[test]
fn a_command_that_fails_after_its_claim_is_reviewed() {
    for (end, exit) in [("exit 3", "exited with 3"), ("kill -9 $$", "was ended by signal 9 (137)")] {
        let scenario = Scenario::new();
        scenario.write("task.md", "Write hello.\n");
        let agent = format!("cat > prompt-$LOOP_ITERATION; echo STATUS: COMPLETE; {end}");
        let pending = r#"$([ -e prompt-2 ] || echo '"hello"')"#;
        let review = format!("tee review-prompt | ({})", reviewer(pending));
        let args = ["task", "task.md", "--agent", &agent, "--review-agent", &review, "--json"];
        let ran = scenario.run(&args).exits(0).says(&[&format!("1 file written; it {exit}")]);
        assert_eq!(json_of(&ran)["status"], "nothing_pending");
        for prompt in ["review-prompt", "prompt-2"] {
            let told = scenario.read(prompt);
            assert!(told.contains(&format!("did not end well: it {exit}\n")), "{told}");
        }
    }
}

#[test]
fn what_was_done_before_a_run_was_killed_is_told_to_the_reviewer() {
    let scenario = Scenario::new();
    scenario.write("task.md", "Write hello.\n");
    let fifo = scenario.fifo("held");
    let agent =
        "if [ -e before ]; then touch after; else touch before; exec 3> held; echo here >&3; sleep 1000; fi";
    let review = format!("tee review-prompt | ({})", reviewer(""));
    let args = ["task", "task.md", "--agent", agent, "--review-agent", &review];
    let started = RunningCommand::new(&mut scenario.loop_command(&args));
    assert_eq!(fifo.line(), "here\n");
    started.signal(rustix::process::Signal::KILL);
    started.killed();
    fifo.released();
    scenario
        .run(&["task", "task.md", "--resume"])
        .exits(0)
        .says(&["2 files written", "nothing pending after 1 iteration"]);
    let told = scenario.read("review-prompt");
    assert!(told.contains("Files written: before, after\n"), "{told}");
    assert!(
        told.contains("Not known: the actions before the loop was cut off, except for changes to files"),
        "{told}"
    );
}

#[test]
fn what_a_stream_tells_is_what_the_reviewer_is_told() {
    let scenario = Scenario::new();
    let line = |value: serde_json::Value| format!("{value}\n");
    let stream = [
        line(
            json!({ "type": "assistant", "message": { "id": "m1", "role": "assistant", "model": "m", "content": [
            { "type": "tool_use", "id": "t1", "name": "Bash", "input": { "command": "pytest -q" } }] } }),
        ),
        line(json!({ "type": "user", "message": { "content": [
            { "type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": "Exit code 1\n1 failed" }] } })),
        line(json!({ "type": "result", "subtype": "success", "is_error": false, "session_id": "s",
            "result": "All tests pass.\nSTATUS: INCOMPLETE" })),
    ];
    scenario.write("stream.jsonl", stream.concat());
    scenario.write("task.md", "Write hello.\n");
    // The program needs this name, because `loop` derives the format from its flags.
    scenario.write("bin/claude", "#!/bin/sh\ncat > /dev/null; cat stream.jsonl\n");
    let path = format!("{}:{}", scenario.path("bin").display(), std::env::var("PATH").expect("a path"));
    std::process::Command::new("chmod")
        .arg("+x")
        .arg(scenario.path("bin/claude"))
        .status()
        .expect("chmod runs");
    let review = format!("tee review-prompt | ({})", reviewer(""));
    let agent = "claude -p --output-format stream-json --verbose";
    let args = ["task", "task.md", "--agent", agent, "--review-agent", &review];
    let ran = RunningCommand::new(scenario.loop_command(&args).env("PATH", path)).finish().exits(0);
    ran.says(&["done: 1 command run, 1 command not successful"]);
    let told = scenario.read("review-prompt");
    assert!(told.contains("as its program reports it") && told.contains("pytest -q (exit 1)"), "{told}");
    assert!(told.contains("which is a claim:\n> All tests pass."), "{told}");
}

#[test]
fn a_model_reviews_what_a_command_did() {
    let server = ModelServer::new(finds(&[], ""));
    let scenario = Scenario::new();
    scenario.write("task.md", "Write hello.\n");
    let args = ["task", "task.md", "--agent", "touch hello", "--review-model", "openai:scripted"];
    server.run(&scenario, &args).exits(0).says(&["nothing pending after 1 iteration", "1 file written"]);
}

#[test]
fn ctrl_c_ends_the_reviewer_as_well() {
    let scenario = Scenario::new();
    scenario.write("task.md", "Write hello.\n");
    let fifo = scenario.fifo("held");
    let review = "exec 3> held; echo here >&3; sleep 1000";
    let args = ["task", "task.md", "--agent", "true", "--review-agent", review];
    let started = RunningCommand::new(&mut scenario.loop_command(&args));
    assert_eq!(fifo.line(), "here\n");
    started.signal(rustix::process::Signal::INT);
    started.finish().exits(130).says(&["cancelled after 1 iteration"]);
    fifo.released();
}

#[test]
fn an_agent_that_is_not_there_is_an_error() {
    let scenario = Scenario::new();
    scenario.write("task.md", "Write hello.\n");
    // Only the run itself shows that these are missing.
    let missing = "test -e . && no-such-agent-8237";
    let ran = scenario.run(&["task", "task.md", "--agent", missing]).exits(3);
    ran.says(&["agent_unavailable"]);
    let ran = scenario.run(&["task", "task.md", "--agent", "true", "--review-agent", missing]).exits(3);
    ran.says(&["evaluator_unavailable", "the reviewing agent"]);
    scenario.run(&["task", "task.md"]).exits(2).says(&["who works", "no model is configured"]);
}

#[test]
fn codex_has_one_sandbox_in_a_task_and_in_a_run() {
    let support = SandboxSupport::detect();
    if support.landlock_abi < SandboxSupport::MIN_LANDLOCK_ABI || !support.seccomp {
        return;
    }
    let scenario = Scenario::new();
    scenario.write("task.md", "Write hello.\n");
    scenario.write("programs/codex", "#!/bin/sh\ncat >/dev/null\necho $* >words\n");
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(scenario.path("programs/codex"), mode).expect("a program");
    let path = format!("{}:/usr/bin:/bin", scenario.path("programs").display());
    fs::create_dir_all(scenario.path("../home")).expect("a folder");
    let review = reviewer("");
    for (flag, words) in [("--sandbox", "danger-full-access"), ("--sandbox=warn", "workspace-write")] {
        let task = ["task", "task.md", "--agent", "codex", "--review-agent", &review, flag];
        let run = ["run", "--agent", "codex", "--check", "test -e words", "--max", "1", flag];
        for args in [&task[..], &run[..]] {
            let mut command = scenario.loop_command(args);
            RunningCommand::new(command.env("PATH", &path)).finish().exits(0);
            assert!(scenario.read("words").contains(words), "{args:?}");
            fs::remove_file(scenario.path("words")).expect("a file");
        }
    }
}
