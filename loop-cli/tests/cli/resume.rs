//! Resuming a run whose process died, or that was halted.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{FOREVER, Fifo, Manifest, RunningCommand, Scenario, wait_until};

/// Records each iteration that it runs in. In the second one, it waits until it may continue.
const AGENT: &str = "echo $LOOP_ITERATION >> ran; [ $LOOP_ITERATION != 2 ] || [ -e go ] || \
                     { exec 3>fifo; echo up >&3; sleep 1000; }";

/// Runs `manifest` until its agent reports that it waits, and kills the loop.
fn killed(scenario: &Scenario, manifest: &Manifest) -> Fifo {
    let fifo = scenario.fifo("fifo");
    let run = scenario.start_manifest(manifest);
    assert_eq!(fifo.line(), "up\n");
    run.signal(Signal::KILL);
    run.killed();
    scenario.write("go", "");
    fifo
}

fn manifest() -> Manifest {
    Manifest::new(AGENT, "[ $LOOP_ITERATION = 4 ]").set("guardrails.max_iterations", 5)
}

/// Returns how often each iteration ran, oldest first.
fn ran(scenario: &Scenario) -> Vec<String> {
    scenario.read("ran").lines().map(str::to_owned).collect()
}

fn id(record: &Value) -> String {
    record["run_id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_killed_run_goes_on_where_it_was_and_ends_as_if_it_had_not_been() {
    let scenario = Scenario::new();
    let fifo = killed(&scenario, &manifest());
    // No supervising process is left. Either the agent's watchdog ends it, or the resume does.
    scenario.run(&["resume"]).exits(0).says(&["iteration 2 of 5, attempt 2", "goal_met"]);
    fifo.released();
    // Only the iteration that was cut off ran twice.
    assert_eq!(ran(&scenario), ["1", "2", "2", "3", "4"]);
    let record = scenario.record();
    assert_eq!(record["iterations"], 4);
    let events = scenario.state().join("runs").join(id(&record)).join("events.jsonl");
    assert_eq!(fs::read_to_string(events).unwrap().matches("run_resumed").count(), 1);
    // The run is finished, and stays finished.
    scenario.run(&["resume"]).exits(0).says(&["has no unfinished run"]);
    scenario.run(&["resume", &id(&record)]).exits(0).says(&["has met its goal"]);
    assert_eq!(ran(&scenario).len(), 5);
}

#[cfg(target_os = "linux")]
#[test]
fn an_agent_that_outlived_its_loop_is_ended_before_another_one_begins() {
    use std::{os::unix::fs::MetadataExt, path::Path};

    let scenario = Scenario::new();
    let fifo = scenario.fifo("fifo");
    let run = scenario.start_manifest(&manifest());
    assert_eq!(fifo.line(), "up\n");
    // Stop the loop, so that it does not notice that its watchdog is gone.
    run.signal(Signal::STOP);
    let stat = |pid: &Path| fs::read_to_string(pid.join("stat")).unwrap_or_default();
    let is_stopped = || stat(&Path::new("/proc").join(run.pid().to_string())).contains(") T ");
    wait_until("it is stopped", is_stopped);
    let program = fs::metadata(env!("CARGO_BIN_EXE_loop")).unwrap().ino();
    let is_watchdog = |pid: &Path| {
        stat(pid).contains(&format!(" {} ", run.pid()))
            && fs::metadata(pid.join("exe")).is_ok_and(|exe| exe.ino() == program)
    };
    let processes = fs::read_dir("/proc").unwrap().map(|process| process.unwrap().path());
    let watchdogs: Vec<_> =
        processes.filter(|pid| is_watchdog(pid) && !pid.ends_with(run.pid().to_string())).collect();
    let pid = watchdogs[0].file_name().unwrap().to_str().unwrap().parse().unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    run.signal(Signal::KILL);
    run.killed();
    scenario.write("go", "");

    scenario.run(&["resume"]).exits(0).says(&["ended processes that", "goal_met"]);
    fifo.released();
    assert_eq!(ran(&scenario), ["1", "2", "2", "3", "4"]);
}

#[test]
fn the_same_run_goes_on_with_its_id_and_its_totals() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("echo $LOOP_RUN_ID >> ids", "false"));
    scenario.run(&["run"]).exits(1).says(&["loop resume", "--add-iterations N"]);
    let first = id(&scenario.record());
    let ran = scenario.run(&["resume", &first[..20], "--add-iterations", "2", "--json"]);
    let ran = ran.exits(1).says(&["iteration 5 of 5", "max_iterations"]);
    let record: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((record["iterations"].as_u64(), id(&record)), (Some(5), first.clone()));
    assert_eq!(scenario.records()[1], record);
    assert_eq!(record["started_at"], scenario.records()[0]["started_at"]);
    assert_eq!(scenario.read("ids"), format!("{first}\n").repeat(5));
    // The raised limits persist.
    scenario.run(&["resume", &first, "--add-iterations", "1"]).exits(1).says(&["iteration 6 of 6"]);
}

#[test]
fn the_table_under_a_run_that_went_on_has_all_its_iterations() {
    let scenario = Scenario::new();
    scenario.run_manifest(&Manifest::new("true", "echo $LOOP_ITERATION; false")).exits(1);
    let id = id(&scenario.record());
    let ran = scenario.run(&["resume", &id, "--add-iterations", "1"]).exits(1);
    let rows = ran.stderr.lines().skip_while(|line| !line.contains("verdict"));
    let numbers: Vec<_> = rows.skip(1).map_while(|row| row.split_whitespace().next()).collect();
    assert_eq!(numbers, ["1", "2", "3", "4"], "{}", ran.stderr);
}

#[test]
fn money_and_time_can_be_added() {
    let scenario = Scenario::new();
    let agent = r#"echo '{"cost_usd": 0.6}' >> "$LOOP_USAGE_FILE""#;
    let manifest = Manifest::new(agent, "false").set("guardrails.max_iterations", 9);
    scenario.manifest(&manifest.set("guardrails.max_cost_usd", 1));
    scenario.run(&["run"]).exits(1).says(&["budget_exceeded", "--add-cost USD"]);
    let first = scenario.record();
    assert_eq!(first["iterations"], 2);
    let args = ["resume", &id(&first), "--add-cost", "1.25", "--add-seconds", "60"];
    scenario.run(&args).exits(1).says(&["budget_exceeded", "of $2.25"]);
    assert_eq!(scenario.records()[1]["iterations"], 4);
    scenario.run(&["resume", &id(&first), "--add-cost", "much"]).exits(2).says(&["2.50"]);
}

#[test]
fn a_note_reaches_the_next_prompt() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("cat > prompt", "false").set("guardrails.max_iterations", 1);
    scenario.manifest(&manifest.set("agent.prompt", "Do it. {guidance}"));
    scenario.run(&["run"]).exits(1);
    let id = id(&scenario.record());
    scenario.run(&["resume", &id, "--add-iterations", "1", "--note", "not the tests"]).exits(1);
    assert_eq!(scenario.read("prompt"), "Do it. not the tests");
}

#[test]
fn raised_limits_are_for_the_last_run_that_was_halted_here() {
    let scenario = Scenario::new();
    let check = "[ $LOOP_ITERATION = 4 ]";
    let manifest = Manifest::new("echo $LOOP_ITERATION >> ran", check).set("guardrails.max_iterations", 2);
    scenario.run_manifest(&manifest).exits(1).says(&["max_iterations"]);
    scenario.run(&["resume", "--add-iterations", "3"]).exits(0).says(&["goal_met"]);
    assert_eq!(id(&scenario.records()[0]), id(&scenario.records()[1]));
    // The run has met its goal, so nothing is left to resume.
    scenario.run(&["resume", "--add-iterations", "3"]).exits(0).says(&["has no unfinished run"]);
    assert_eq!(ran(&scenario), ["1", "2", "3", "4"]);
}

#[test]
fn with_nothing_to_go_on_with_it_says_so() {
    let scenario = Scenario::new();
    scenario.run(&["resume"]).exits(0).says(&["this folder has no unfinished run"]);
    scenario.run_manifest(&Manifest::new("true", "false")).exits(1);
    scenario.run(&["resume"]).exits(0).says(&["max_iterations", "loop resume 0", "--add-iterations N"]);
    scenario.run(&["resume", "nothing"]).exits(2).says(&["nothing"]);
}

#[test]
fn a_living_run_is_left_alone() {
    let scenario = Scenario::new();
    let fifo = scenario.fifo("fifo");
    let run =
        scenario.start_manifest(&Manifest::new(&format!("exec 3>fifo; echo up >&3; {FOREVER}"), "true"));
    fifo.line();
    scenario.run(&["resume"]).exits(2).says(&["still running"]);
    let runs = scenario.run(&["runs", "--json"]).exits(0).stdout;
    let listed: Value = serde_json::from_str(runs.lines().next().unwrap()).unwrap();
    scenario.run(&["resume", &id(&listed)]).exits(2).says(&["still running"]);
    run.signal(Signal::TERM);
    run.finish().exits(143);
}

#[test]
fn of_two_that_take_up_a_run_at_once_one_does() {
    let scenario = Scenario::new();
    let agent = "echo x >> ran; [ -e go ] || { exec 3>fifo; echo up >&3; sleep 1000; }; \
                 until [ -e go-on ]; do sleep 0.01; done";
    drop(killed(&scenario, &Manifest::new(agent, "true")));
    let start = || RunningCommand::new(&mut scenario.loop_command(&["resume"]));
    let (mut first, mut second) = (start(), start());
    // One of them is refused while the other one's agent waits.
    wait_until("one is refused", || first.has_ended() || second.has_ended());
    let (refused, other) = if first.has_ended() { (first, second) } else { (second, first) };
    refused.finish().exits(2).says(&["still running"]);
    scenario.write("go-on", "");
    other.finish().exits(0);
    assert_eq!(scenario.read("ran").lines().count(), 2);
    scenario.record();
}

#[test]
fn a_manifest_that_changed_is_refused_unless_it_is_accepted() {
    let scenario = Scenario::new();
    killed(&scenario, &manifest()).released();
    scenario.manifest(&manifest().set("guardrails.max_iterations", 3));
    let refused = scenario.run(&["resume"]).exits(2);
    let refused =
        refused.says(&["has changed", "-     \"max_iterations\": 5", "+     \"max_iterations\": 3"]);
    assert!(refused.stderr.contains("--accept-changes"));
    assert_eq!(ran(&scenario).len(), 2);
    scenario.run(&["resume", "--accept-changes"]).exits(1).says(&["max_iterations"]);
    assert_eq!(ran(&scenario), ["1", "2", "2", "3"]);
}

#[test]
fn a_manifest_that_is_gone_is_not_missed() {
    let scenario = Scenario::new();
    killed(&scenario, &manifest()).released();
    fs::remove_file(scenario.path("loop.json")).unwrap();
    scenario.run(&["resume"]).exits(0);
}

#[test]
fn a_loop_of_flags_goes_on_too() {
    let scenario = Scenario::new();
    let fifo = scenario.fifo("fifo");
    let args =
        ["run", "--agent", AGENT, "--check", "[ $LOOP_ITERATION = 3 ]", "--max", "4", "--goal", "it's 3"];
    let run = RunningCommand::new(&mut scenario.loop_command(&args));
    fifo.line();
    run.signal(Signal::KILL);
    run.killed();
    scenario.write("go", "");
    scenario.run(&["resume"]).exits(0);
    assert_eq!(ran(&scenario), ["1", "2", "2", "3"]);
    assert_eq!(scenario.record()["manifest"], Value::Null);
}

#[test]
fn an_iteration_that_was_cut_off_is_not_run_again_where_the_manifest_says_so() {
    for (word, said) in [("halt", "does not let that iteration run again"), ("ask", "nobody was there")] {
        let scenario = Scenario::new();
        killed(&scenario, &manifest().set("resume", word)).released();
        scenario.run(&["resume"]).exits(1).says(&[said, "hitl_checkpoint"]);
        assert_eq!(ran(&scenario), ["1", "2"]);
        // Resuming it once more gives permission to continue.
        let id = id(&scenario.record());
        scenario.run(&["resume", &id]).exits(0);
        assert_eq!(ran(&scenario), ["1", "2", "2", "3", "4"]);
    }
}

#[test]
fn a_journal_that_was_cut_off_anywhere_is_gone_on_with() {
    let scenario = Scenario::new();
    let agent = "[ ! -e resumed ] || echo $LOOP_ITERATION >> again";
    scenario.run_manifest(&Manifest::new(agent, "[ $LOOP_ITERATION = 3 ]")).exits(0);
    let id = id(&scenario.record());
    let path = scenario.state().join("runs").join(&id).join("events.jsonl");
    let whole = fs::read(&path).unwrap();
    scenario.write("resumed", "");
    let lines: Vec<_> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    for kept in 0..lines.len() {
        // Cut the last line in its middle.
        let torn = &lines[kept][..lines[kept].len() / 2];
        let before = lines[..kept].concat();
        fs::write(&path, [&before, torn].concat()).unwrap();
        // The run's end was not yet recorded in the index.
        fs::write(scenario.state().join("runs/index.jsonl"), open_only(&scenario)).unwrap();
        scenario.write("again", "");
        if kept == 0 {
            // The process died before the first event was synced.
            fs::remove_file(path.with_file_name("begun")).unwrap();
        }
        scenario.run(&["resume"]).exits(0).says(&["goal_met"]);
        let settled = String::from_utf8_lossy(&before).matches("step_settled").count();
        let again = scenario.read("again");
        assert!(again.lines().all(|ran| ran.parse::<usize>().unwrap() > settled), "{settled}: {again}");
        assert_eq!(scenario.records().last().unwrap()["iterations"], 3);
    }
}

/// Returns the list of runs as it was before any of them ended.
fn open_only(scenario: &Scenario) -> String {
    let index = fs::read_to_string(scenario.state().join("runs/index.jsonl")).expect("it is there");
    index.lines().take(1).map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_kill_and_the_resume_that_the_guide_shows_work() {
    let page = include_str!("../../../book/src/commands.md");
    let (_, rest) = page.split_once("## Resume after a kill\n").expect("the chapter");
    let (_, rest) = rest.split_once("```sh\n").expect("the example");
    let (example, _) = rest.split_once("```").expect("its end");
    assert!(example.contains("kill -9") && example.contains("loop resume"));
    // No test depends on speed: this agent waits for the kill, and the kill waits for the agent.
    let example = example
        .replace("'sleep 2'", "'echo $LOOP_ITERATION >> ran; test -e go || sleep 1000'")
        .replace("sleep 3;", "until test -e ran; do sleep 0.01; done;")
        .replace("kill -9 $!", "kill -9 $!; wait $!; touch go");
    assert!(example.contains("touch go") && example.contains("test -e go"), "{example}");
    let scenario = Scenario::new();
    let path = std::path::Path::new(env!("CARGO_BIN_EXE_loop")).parent().expect("a folder");
    let path = format!("{}:{}", path.display(), std::env::var("PATH").expect("a path"));
    RunningCommand::new(scenario.command("sh", &["-c", &example]).env("PATH", path)).finish().exits(0);
    assert_eq!(ran(&scenario), ["1", "1", "2", "3"]);
    assert_eq!(scenario.record()["success"], true);
}

#[test]
fn failures_that_a_person_has_seen_do_not_end_the_run_again() {
    let scenario = Scenario::new();
    let failing = Manifest::new("echo $LOOP_ITERATION >> ran; [ -e mended ]", "[ -e mended ]");
    let manifest = failing.set("guardrails.max_consecutive_failures", 2).set("guardrails.max_iterations", 6);
    scenario.run_manifest(&manifest).exits(1).says(&["consecutive_failures"]);
    assert_eq!(ran(&scenario), ["1", "2"]);
    let id = id(&scenario.record());
    // The problem remains: the run fails again, and ends after as many failures as a new run would.
    scenario.run(&["resume", &id]).exits(1).says(&["consecutive_failures"]);
    assert_eq!(ran(&scenario), ["1", "2", "3", "4"]);
    scenario.write("mended", "");
    scenario.run(&["resume", &id]).exits(0).says(&["goal_met"]);
    assert_eq!(ran(&scenario), ["1", "2", "3", "4", "5"]);
    // Used-up budgets stay used up.
    let last = scenario.records().pop().expect("a record");
    assert_eq!(last["iterations"], 5);
}
