//! The laws of runs on an engine: as on one machine, and nothing is lost or done twice.

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
};

use loop_agents::process::Supervisor;
use loop_core::{Event, EventKind, Progress, StepRecord, Usage};
use loop_manifest::{ExecutionContext, Plan, Source};
use loop_temporal::Outcome;

use crate::server::{Server, wait_until};

/// An agent that notes what it does. `during` runs in each iteration.
pub(crate) fn manifest(during: &str, check: &str, more: &str) -> String {
    format!(
        "goal: x\nagent:\n  command: 'echo \"start $LOOP_ITERATION\" >> log; {during} echo \"end $LOOP_ITERATION\" >> \
         log'\n  prompt: x\n  format: usage-file\nevaluator: {{command: '{check}'}}\nguardrails:\n  max_iterations: \
         6\n{more}"
    )
}

/// In the second iteration, the agent and a process in another session hang, at the first try only.
pub(crate) fn hangs_once(seconds: u32) -> String {
    format!(
        "test \"$LOOP_ITERATION\" != 2 || test -e second || {{ (setsid sleep {seconds} & ) ; touch second; sleep \
         {seconds}; }};"
    )
}

/// Submits the manifest in this folder, and returns the id of its run.
pub(crate) fn submitted(server: &Server, queue: &str, folder: &Path, text: &str) -> String {
    fs::write(folder.join("loop.yaml"), text).expect("a manifest");
    server.says(&["submit", "loop.yaml", "--queue", queue], folder)
}

pub(crate) fn ended(server: &Server, run: &str, folder: &Path) -> Outcome {
    serde_json::from_str(&server.says(&["tail", run, "--json"], folder)).expect("an outcome")
}

/// Waits for the end of a run, whose second iteration was cut in its first attempt. Nothing else ran twice.
pub(crate) fn ends_after_a_second_attempt(server: &Server, run: &str, folder: &Path) {
    let outcome = ended(server, run, folder);
    assert_eq!((outcome.ending.name(), outcome.status.iterations), ("goal_met", 3));
    let log = fs::read_to_string(folder.join("log")).expect("a log");
    let steps = ["start 1", "end 1", "start 2", "start 2", "end 2", "start 3", "end 3"];
    assert_eq!(log.lines().collect::<Vec<_>>(), steps);
}

pub(crate) fn processes(seconds: impl std::fmt::Display) -> usize {
    let wanted = format!("sleep\0{seconds}\0");
    let all = fs::read_dir("/proc").expect("processes").flatten();
    let lines = all.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| line == wanted.as_bytes()).count()
}

/// A step without its times.
fn facts(step: &StepRecord) -> (u64, Option<String>, Option<String>, Usage) {
    let verdict = step.verdict().map(|verdict| verdict.outcome().to_string());
    (step.iteration(), verdict, step.failure().map(str::to_owned), *step.usage())
}

#[test]
fn a_run_ends_as_it_does_on_one_machine() {
    let server = Server::start();
    let _worker = server.worker("equal", "w");
    let usage = "echo \"{\\\"input_tokens\\\": 7, \\\"output_tokens\\\": $LOOP_ITERATION}\" >> \"$LOOP_USAGE_FILE\"; test \
                 \"$LOOP_ITERATION\" != 2 || exit 3;";
    let cases = [
        ("test $(grep -c start log) -ge 3", ""),
        ("false", ""),
        ("false", "  max_tokens: 20\n"),
        ("false", "  max_consecutive_failures: 2\n"),
    ];
    for (check, limits) in cases {
        let text = manifest(usage, check, limits);
        let (far, near) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let run = submitted(&server, "equal", far.path(), &text);
        let outcome = ended(&server, &run, far.path());

        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let source = Source::from_bytes("loop.yaml".as_ref(), text.clone().into()).expect("a manifest");
        let plan = Plan::of(source).expect("a plan").plan;
        let cx = ExecutionContext::new(near.path(), Supervisor::new("equal")).expect("a folder");
        let cx = cx.with_variables(std::env::vars_os());
        let steps = Arc::new(Mutex::new(Vec::new()));
        let settled = Arc::clone(&steps);
        let observer = move |event: &Event, progress: &Progress| {
            if let EventKind::StepSettled { .. } = event.kind {
                settled.lock().expect("steps").extend(progress.last_step().map(facts));
            }
        };
        let composed = plan.compose(&cx).expect("a loop").observe(observer);
        let report = runtime.block_on(composed.run()).expect("a run");
        let steps = steps.lock().expect("steps").clone();
        assert_eq!(outcome.status.steps.iter().map(facts).collect::<Vec<_>>(), steps, "{text}");
        assert_eq!(outcome.ending.name(), report.ending().name(), "{text}");
        assert_eq!(outcome.status.usage, *report.usage(), "{text}");
        let log = |folder: &Path| fs::read_to_string(folder.join("log")).expect("a log");
        assert_eq!(log(far.path()), log(near.path()));
    }
}

#[test]
fn no_acknowledged_step_runs_again_after_a_crash_of_the_worker_or_the_server() {
    let mut server = Server::start();
    let worker = server.worker("crash", "w");
    let folder = tempfile::tempdir().expect("a folder");
    let seconds = 100_000 + std::process::id();
    let text = manifest(&hangs_once(seconds), "test $(grep -c end log) -ge 3", "");
    let run = submitted(&server, "crash", folder.path(), &text);
    wait_until("the second iteration hangs", || folder.path().join("second").exists());
    assert!(processes(seconds) > 0);
    worker.crash();
    wait_until("nothing survives the worker", || processes(seconds) == 0);
    server.crash();
    let _worker = server.worker("crash", "w");
    ends_after_a_second_attempt(&server, &run, folder.path());
}

#[test]
fn a_run_continues_with_a_new_history_across_a_crash() {
    let server = Server::start();
    let worker = server.worker("long", "w");
    let folder = tempfile::tempdir().expect("a folder");
    let text = manifest(&hangs_once(300_000 + std::process::id()), "test $(grep -c end log) -ge 5", "");
    fs::write(folder.path().join("loop.yaml"), text).expect("a manifest");
    let args = ["submit", "loop.yaml", "--queue", "long", "--longest-history", "1"];
    let run = server.says(&args, folder.path());
    wait_until("the second iteration hangs", || folder.path().join("second").exists());
    worker.crash();
    let _worker = server.worker("long", "w");
    let outcome = ended(&server, &run, folder.path());
    assert_eq!((outcome.ending.name(), outcome.status.iterations), ("goal_met", 5));
    assert_eq!(outcome.status.steps.iter().map(StepRecord::iteration).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    let log = fs::read_to_string(folder.path().join("log")).expect("a log");
    assert_eq!(log.lines().filter(|line| line.starts_with("end")).count(), 5);
    assert_eq!(server.says(&["runs"], folder.path()).lines().count(), 1);
}

#[test]
fn a_run_is_over_when_the_last_process_of_its_cancelled_agent_is_gone() {
    let server = Server::start();
    let _worker = server.worker("cancel", "w");
    let folder = tempfile::tempdir().expect("a folder");
    let seconds = 200_000 + std::process::id();
    let run = submitted(&server, "cancel", folder.path(), &manifest(&hangs_once(seconds), "false", ""));
    wait_until("the second iteration hangs", || folder.path().join("second").exists());
    server.says(&["cancel", &run], folder.path());
    let outcome = ended(&server, &run, folder.path());
    assert_eq!((outcome.ending.name(), processes(seconds)), ("cancelled", 0));
    assert_eq!(outcome.status.steps.len(), 1);
}

#[test]
fn a_question_waits_for_its_answer_while_the_worker_is_away() {
    let server = Server::start();
    let worker = server.worker("ask", "w");
    let folder = tempfile::tempdir().expect("a folder");
    let text =
        manifest("cat >> log; echo >> log;", "test $(grep -c end log) -ge 2", "  hitl_checkpoint: 1\n");
    let text = text.replace("prompt: x", "prompt: \"note: {guidance}\"");
    let run = submitted(&server, "ask", folder.path(), &text);
    let asks =
        || server.try_says(&["show", &run], folder.path()).is_ok_and(|text| text.contains("question   "));
    wait_until("the run asks", asks);
    worker.crash();
    let _worker = server.worker("ask", "w");
    let answer = ["answer", &run, "yes", "--note", "well begun"];
    wait_until("a worker passes the answer on", || server.try_says(&answer, folder.path()).is_ok());
    assert_eq!(ended(&server, &run, folder.path()).ending.name(), "goal_met");
    assert!(fs::read_to_string(folder.path().join("log")).expect("a log").contains("well begun"));
}
