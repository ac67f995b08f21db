//! `agent.background`: what happens to background work that an agent leaves unfinished. The streams are those of the
//! library's tests.

use std::fs;

use serde_json::json;

use crate::support::{FOREVER, Manifest, RunningCommand, Scenario, wait_until};

/// Returns a stream of an agent.
fn stream_of(name: &str) -> String {
    let path = format!("{}/../loop-agents/tests/background/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(path).expect("a stream")
}

/// An agent that prints this stream, and then does this.
fn printing(scenario: &Scenario, stream: &str, format: &str, does: &str, check: &str) -> Manifest {
    scenario.write("stream.jsonl", stream);
    let agent = format!("cat > prompt-$LOOP_ITERATION; cat stream.jsonl; {does}");
    Manifest::new(&agent, check).set("agent.format", format).set("snapshots", "off")
}

/// Leaves a process behind in the first iteration, which holds a named pipe.
fn leaving() -> String {
    format!("[ $LOOP_ITERATION != 1 ] || exec 9> held; {FOREVER} > /dev/null 2>&1 &")
}

const SECOND: &str = "test $LOOP_ITERATION = 2";

#[test]
fn the_next_prompt_and_the_end_of_the_run_name_work_that_was_cut() {
    let pi = stream_of("pi").replace("npm test", FOREVER);
    let opencode = stream_of("opencode").replace("npm run watch", FOREVER);
    for (stream, format, named) in [
        (stream_of("claude"), "claude-stream-json", "`npm test -- --runInBand`"),
        (stream_of("codex"), "codex-json", "`npm test`, Review the parser"),
        (opencode, "opencode-json", "Review the parser, `sleep 1000 > watch.log 2>&1 &`"),
        (pi, "pi-json", "`nohup sleep 1000 > test.log 2>&1 &`"),
    ] {
        let scenario = Scenario::new();
        let held = scenario.fifo("held");
        let manifest = printing(&scenario, &stream, format, &leaving(), SECOND);
        let ran = scenario.run_manifest(&manifest).exits(0);
        held.released();
        ran.says(&["goal_met loop, but background work was cut off", &format!("cut off    {named}")]);
        assert_eq!(scenario.record()["cut_work"], named);
        assert!(!scenario.read("prompt-1").contains("cut"), "{}", scenario.read("prompt-1"));
        let told = format!(
            "Your last turn ended before this background work was done, so the work was ended: {named}."
        );
        assert!(scenario.read("prompt-2").contains(&told), "{}", scenario.read("prompt-2"));
        let shown = scenario.run(&["show"]).exits(0);
        shown.prints(&["goal_met loop, but background work was cut off", &format!("cut off    {named}")]);
        let iteration = scenario.run(&["show", "-i", "1"]).exits(0);
        iteration.prints(&[&format!("cut off    {named}"), "ended      `sleep 1000`"]);
        let prompt = scenario.run(&["show", "-i", "2", "--prompt"]).exits(0);
        assert!(prompt.stdout.contains(&told), "{}", prompt.stdout);
    }
}

/// Returns whether this process waits for the end of that one: it holds a descriptor of it.
fn awaits(waiting: u32, awaited: &str) -> bool {
    let line = format!("Pid:\t{}\n", awaited.trim());
    let entries = fs::read_dir(format!("/proc/{waiting}/fdinfo")).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| fs::read_to_string(entry.path()).is_ok_and(|text| text.contains(&line)))
}

#[test]
fn work_that_is_done_in_time_was_not_cut() {
    // The process that is left has this word too.
    let stream = |name, command| stream_of(name).replace(command, "touch done");
    for (name, stream, format) in [
        ("claude", stream_of("claude"), "claude-stream-json"),
        ("codex", stream_of("codex"), "codex-json"),
        ("opencode", stream("opencode", "npm run watch"), "opencode-json"),
        ("pi", stream("pi", "npm test"), "pi-json"),
    ] {
        let scenario = Scenario::new();
        RunningCommand::new(&mut scenario.command("mkfifo", &["proceed"])).finish().exits(0);
        let does = "(read _ < proceed; touch done) > /dev/null 2>&1 & echo $! > left";
        let manifest = printing(&scenario, &stream, format, does, "test -e done")
            .set("agent.background", "wait")
            .set("guardrails.max_iterations", 1);
        let running = scenario.start_manifest(&manifest);
        let is_awaited = || scenario.has("left") && awaits(running.pid(), &scenario.read("left"));
        wait_until("the process that was left is awaited", is_awaited);
        fs::write(scenario.path("proceed"), "\n").expect("a reader");
        let ran = running.finish().exits(0).says(&["goal_met"]);
        assert!(!ran.stderr.contains("cut off"), "{name}: {}", ran.stderr);
        assert_eq!(scenario.record().get("cut_work"), None, "{name}");
    }
}

#[test]
fn a_wait_is_over_for_work_that_no_stream_declares() {
    for (name, format) in [("claude-done", "claude-stream-json"), ("pi", "pi-json")] {
        let scenario = Scenario::new();
        let held = scenario.fifo("held");
        let manifest =
            printing(&scenario, &stream_of(name), format, &leaving(), SECOND).set("agent.background", "wait");
        scenario.run_manifest(&manifest).exits(0);
        held.released();
        assert_eq!(scenario.record().get("cut_work"), None, "{name}");
    }
}

#[test]
fn a_wait_ends_with_the_limits_of_the_iteration() {
    let scenario = Scenario::new();
    let held = scenario.fifo("held");
    let manifest = printing(&scenario, &stream_of("claude"), "claude-stream-json", &leaving(), "true")
        .set("agent.background", "wait")
        .set("agent.max_seconds", 1);
    scenario.run_manifest(&manifest).exits(0);
    held.released();
    assert_eq!(scenario.record()["cut_work"], "`npm test -- --runInBand`");
}

#[test]
fn an_iteration_can_fail_for_it() {
    let scenario = Scenario::new();
    let manifest = printing(&scenario, &stream_of("codex"), "codex-json", "true", "true")
        .set("agent.background", "fail")
        .set("pace", json!({ "backoff_seconds": 0 }))
        .set("guardrails.max_iterations", 2);
    let ran = scenario.run_manifest(&manifest).exits(1);
    ran.says(&["the agent ended before its background work was done", "`npm test`, Review the parser"]);
    assert!(scenario.read("prompt-2").contains("so the work was ended: `npm test`, Review the parser."));
    assert_eq!(scenario.record()["success"], false);
}

#[test]
fn the_next_prompt_names_processes_that_no_stream_declares() {
    let scenario = Scenario::new();
    let held = scenario.fifo("held");
    let manifest = printing(&scenario, "", "text", &leaving(), SECOND);
    let ran = scenario.run_manifest(&manifest).exits(0);
    held.released();
    assert!(!ran.stderr.contains("cut off"), "{}", ran.stderr);
    assert_eq!(scenario.record().get("cut_work"), None);
    let told =
        "These processes were still running when your last turn had ended, so they were ended: `sleep 1000`.";
    assert!(scenario.read("prompt-2").contains(told), "{}", scenario.read("prompt-2"));
    scenario.run(&["show", "-i", "1"]).exits(0).prints(&["ended      `sleep 1000`"]);
}

#[test]
fn the_record_names_the_cut_work_of_the_loop_that_won() {
    let scenario = Scenario::new();
    let manifest = printing(&scenario, &stream_of("codex"), "codex-json", "true", "true")
        .set("snapshots", "auto")
        .set("parallel", json!({ "n": 2 }));
    scenario.run_manifest(&manifest).exits(0).says(&["but background work was cut off"]);
    assert_eq!(scenario.record()["cut_work"], "`npm test`, Review the parser");
}

#[test]
fn a_secret_in_a_command_stays_secret() {
    let scenario = Scenario::new();
    let stream = stream_of("codex").replace("npm test", "curl -u me:hunter2hunter2 example.org");
    let manifest = printing(&scenario, &stream, "codex-json", "true", "true")
        .set("agent.env", json!({ "set": { "MY_TOKEN": "hunter2hunter2" } }));
    let ran = scenario.run_manifest(&manifest).exits(0);
    let shown =
        [scenario.run(&["show"]), scenario.run(&["show", "-i", "1"]), scenario.run(&["show", "--json"])];
    for page in shown.map(|shown| shown.exits(0).stdout).iter().chain([&ran.stderr, &ran.stdout]) {
        assert!(!page.contains("hunter2"), "{page}");
    }
    let record = scenario.record().to_string();
    assert!(record.contains("curl -u") && !record.contains("hunter2"), "{record}");
}

#[test]
fn work_that_the_limit_of_the_run_cut_is_named() {
    let scenario = Scenario::new();
    let held = scenario.fifo("held");
    let manifest = printing(&scenario, &stream_of("claude"), "claude-stream-json", &leaving(), "true")
        .set("agent.background", "wait")
        .set("guardrails.max_seconds", 1);
    let ran = scenario.run_manifest(&manifest).exits(1);
    held.released();
    ran.says(&["time_exceeded", "cut off    `npm test -- --runInBand`"]);
    assert_eq!(scenario.record()["cut_work"], "`npm test -- --runInBand`");
    scenario.run(&["show", "-i", "1"]).exits(0).prints(&["cut off    `npm test -- --runInBand`"]);
    scenario.run(&["report", "--html", "page.html"]).exits(0);
    assert!(scenario.read("page.html").contains("<dt>cut off</dt><dd>`npm test -- --runInBand`</dd>"));
}
