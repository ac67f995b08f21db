//! Faults that the machine can inject into a run. At each place that could leave a journal half-written, the run is
//! killed, resumes, and ends as if nothing had happened.
//!
//! Only builds with debug assertions have these places, and this test has them too then.
#![cfg(all(debug_assertions, target_os = "linux"))]

use std::{
    fs,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::support::{CommandResult, Manifest, RunningCommand, Scenario, wait_until};

const KILL: &str = "LOOP_TEST_KILL_AT";

/// Records its iteration, and whether another agent runs beside it, according to the kernel's lock. The second
/// iteration continues only once the journal has its usage, so that the journal is written while the agent works.
const AGENT: &str = r#"exec 9>lock; flock -n 9 || echo overlap >> overlaps
    echo $LOOP_ITERATION >> ran; echo "did $LOOP_ITERATION"
    [ $LOOP_ITERATION = 2 ] || exit 0
    echo '{"cost_usd": 0.25}' >> "$LOOP_USAGE_FILE"
    until grep -q usage_reported "$LOOP_HOME/runs/$LOOP_RUN_ID/events.jsonl"; do sleep 0.01; done"#;

fn manifest() -> Manifest {
    Manifest::new(AGENT, "echo checked $LOOP_ITERATION; [ $LOOP_ITERATION = 3 ]")
        .set("agent.env", serde_json::json!({ "pass": ["LOOP_HOME"] }))
}

/// Returns the folder of the only run, if there is one.
fn folder(scenario: &Scenario) -> Option<PathBuf> {
    let mut folders = fs::read_dir(scenario.state().join("runs")).ok()?.filter_map(|entry| {
        let path = entry.expect("it is there").path();
        path.is_dir().then_some(path)
    });
    folders.next()
}

/// Returns the complete lines of a run's journal.
fn events(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("events.jsonl")).unwrap_or_default();
    let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    whole.map(|line| serde_json::from_str::<Value>(line).expect("JSON")["event"]["kind"].clone()).collect()
}

/// Returns the facts that must not depend on faults: for each settled step its iteration, the check's result and
/// whether the goal was met; and the run's ending.
fn outcome(events: &[Value]) -> Vec<Value> {
    let (mut iteration, mut judged) = (Value::Null, Value::Null);
    let mut outcome = Vec::new();
    for event in events {
        if let Some(started) = event.get("iteration_started") {
            iteration = started["iteration"].clone();
        } else if let Some(finished) = event.get("evaluation_finished") {
            judged = finished["result"].clone();
        } else if let Some(settled) = event.get("step_settled") {
            outcome.push(serde_json::json!([iteration, judged, settled]));
        } else if let Some(finished) = event.get("run_finished") {
            outcome.push(finished.clone());
        }
    }
    outcome
}

fn settled(events: &[Value]) -> usize {
    events.iter().filter(|event| event.get("step_settled").is_some()).count()
}

/// Runs to the end, or to the chosen place. Returns whether the process was killed there.
fn killed_at(scenario: &Scenario, args: &[&str], place: &str, passing: usize) -> bool {
    let mut command = scenario.loop_command(args);
    command.env(KILL, format!("{place}:{passing}"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status().expect("it can be started");
    assert!(status.signal() == Some(9) || status.code() == Some(0), "{place}:{passing}: {status}");
    status.signal().is_some()
}

/// Checks that no iteration that was settled by then ran again.
fn assert_none_ran_twice(scenario: &Scenario, settled_before: usize, place: &str) {
    let ran = scenario.read("ran");
    for iteration in 1..=3_usize {
        let times = ran.lines().filter(|line| *line == iteration.to_string()).count();
        let most = if iteration <= settled_before { 1 } else { 2 };
        assert!((1..=most).contains(&times), "{place}: {iteration} ran {times} times");
    }
    assert!(!scenario.has("overlaps"), "{place}: two agents at once");
}

/// Kills a run at each passing of a place, and resumes it.
fn survives(place: &str) {
    let whole = Scenario::new();
    whole.run_manifest(&manifest()).exits(0);
    let expected = outcome(&events(&folder(&whole).expect("a run")));
    let mut passings = 0;
    loop {
        let scenario = Scenario::new();
        scenario.manifest(&manifest());
        let at = format!("{place}:{}", passings + 1);
        if !killed_at(&scenario, &["run"], place, passings + 1) {
            break;
        }
        passings += 1;
        let before = folder(&scenario).map(|folder| events(&folder)).unwrap_or_default();
        let resumed = scenario.run(&["resume"]).exits(0);
        let Some(folder) = folder(&scenario) else {
            // Nothing had begun, and nothing was spent.
            assert!(!scenario.has("ran"), "{at}");
            continue;
        };
        let after = events(&folder);
        assert_eq!(after[..before.len()], before, "{at}: {}", resumed.stderr);
        assert_eq!(outcome(&after), expected, "{at}: {}", resumed.stderr);
        assert_none_ran_twice(&scenario, settled(&before), &at);
        // The run is listed as it is, reported once, and done.
        assert_eq!(scenario.record()["success"], true, "{at}");
        let listed = scenario.run(&["runs", "--json"]).exits(0).stdout;
        assert!(listed.contains(r#""state":"goal_met""#), "{at}: {listed}");
        scenario.run(&["resume"]).exits(0).says(&["has no unfinished run"]);
    }
    assert!(passings > 0, "no run comes by {place}");
}

#[test]
fn a_run_that_is_killed_before_it_begins_leaves_nothing() {
    survives("before_begin");
}

#[test]
fn a_run_that_is_killed_when_it_is_listed_goes_on() {
    survives("after_begin");
}

/// Each state in which a run's process can die before the run is listed, as the store's own tests find them by dying at
/// every step: its folder, its empty journal, a part of its `run.json`, all of it, and a part of its line in the index.
#[test]
fn what_a_run_that_never_began_leaves_behind_is_tidied_away_by_the_next() {
    let whole = Scenario::new();
    whole.manifest(&manifest());
    assert!(killed_at(&whole, &["run"], "after_begin", 1));
    let (begun, line) = (folder(&whole).unwrap(), fs::read(whole.state().join("runs/index.jsonl")).unwrap());
    let info = fs::read(begun.join("run.json")).unwrap();
    let id = begun.file_name().unwrap().to_str().unwrap();
    for state in 0..5 {
        let scenario = Scenario::new();
        scenario.manifest(&manifest());
        let left = scenario.state().join("runs").join(id);
        fs::create_dir_all(&left).unwrap();
        let files: [(&str, &[u8]); 3] =
            [("events.jsonl", b""), ("run.draft", &info[..9]), ("run.json", &info)];
        files.iter().take(state).for_each(|(name, text)| fs::write(left.join(name), text).unwrap());
        if state == 4 {
            fs::write(scenario.state().join("runs/index.jsonl"), &line[..line.len() / 2]).unwrap();
        }
        scenario.run(&["run"]).exits(0);
        assert!(!left.exists(), "{state}");
        assert_eq!(scenario.run(&["runs", "--json"]).exits(0).stdout.lines().count(), 1, "{state}");
        scenario.run(&["resume"]).exits(0).says(&["has no unfinished run"]);
    }
}

#[test]
fn a_run_that_is_killed_before_a_write_goes_on() {
    survives("before_append");
}

#[test]
fn a_run_that_is_killed_after_a_write_goes_on() {
    survives("after_append");
}

#[test]
fn a_run_that_is_killed_before_a_sync_goes_on() {
    survives("before_sync");
}

#[test]
fn a_run_that_is_killed_after_a_sync_goes_on() {
    survives("after_sync");
}

#[test]
fn a_run_that_is_killed_when_it_has_ended_is_reported_once() {
    for place in ["before_record", "before_end_note", "after_end_note"] {
        survives_its_end(place);
    }
}

/// A run that had ended when it was killed does not run again, whatever part of its end was recorded.
fn survives_its_end(place: &str) {
    let scenario = Scenario::new();
    scenario.manifest(&manifest());
    assert!(killed_at(&scenario, &["run"], place, 1));
    let events = |scenario: &Scenario| events(&folder(scenario).expect("a run"));
    let before = events(&scenario);
    let said = if place == "after_end_note" { "has no unfinished run" } else { "had ended as goal_met" };
    scenario.run(&["resume"]).exits(0).says(&[said]);
    assert_eq!(events(&scenario), before, "{place}");
    assert_eq!(scenario.record()["iterations"], 3, "{place}");
    assert_eq!(scenario.read("ran"), "1\n2\n3\n", "{place}");
    assert!(scenario.run(&["runs", "--json"]).exits(0).stdout.contains(r#""state":"goal_met""#));
}

#[test]
fn a_halt_that_nobody_saw_is_shown_before_it_counts_as_seen() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("echo $LOOP_ITERATION >> ran", "false");
    scenario.manifest(&manifest.set("guardrails.hitl_checkpoint", true));
    assert!(killed_at(&scenario, &["run"], "before_end_note", 1));
    scenario.run(&["resume"]).exits(0).says(&["had ended as hitl_checkpoint", "loop resume 0"]);
    assert_eq!(scenario.read("ran"), "1\n");
    let id = scenario.record()["run_id"].as_str().unwrap().to_owned();
    scenario.run(&["resume", &id]).exits(1);
    assert_eq!(scenario.read("ran"), "1\n2\n");
}

#[test]
fn a_resume_that_is_killed_is_resumed() {
    for place in ["before_resume_note", "after_resume_note", "before_append", "after_append", "after_sync"] {
        let scenario = Scenario::new();
        scenario.manifest(&manifest());
        assert!(killed_at(&scenario, &["run"], "after_append", 4));
        assert!(killed_at(&scenario, &["resume"], place, 1), "{place}");
        scenario.run(&["resume"]).exits(0);
        assert_eq!(scenario.record()["iterations"], 3, "{place}");
        assert!(!scenario.has("overlaps"), "{place}");
    }
}

#[test]
fn a_run_that_died_three_times_in_an_iteration_is_not_tried_a_fourth_time() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("echo $LOOP_ITERATION >> ran", "true"));
    // The missing entry is the end of an iteration.
    assert!(killed_at(&scenario, &["run"], "before_append", 2));
    assert!(killed_at(&scenario, &["resume"], "before_append", 2));
    assert!(killed_at(&scenario, &["resume"], "before_append", 2));
    scenario.run(&["resume"]).exits(1).says(&["attempts_exhausted"]);
    assert_eq!(scenario.read("ran"), "1\n1\n1\n");
}

#[test]
fn a_clock_that_jumps_back_changes_nothing_but_the_times_for_people() {
    let scenario = Scenario::new();
    scenario.manifest(&manifest());
    assert!(killed_at(&scenario, &["run"], "after_append", 5));
    let mut resume = scenario.loop_command(&["resume"]);
    RunningCommand::new(resume.env("LOOP_TEST_CLOCK_ERROR", "-3600")).finish().exits(0);
    let record = scenario.record();
    assert!(record["ended_at"].as_str() < record["started_at"].as_str(), "{record}");
    assert!(record["elapsed_seconds"].as_f64().is_some_and(|seconds| seconds >= 0.0));
    let shown = scenario.run(&["show"]).exits(0).stdout;
    assert!(shown.contains("goal_met"), "{shown}");
    scenario.run(&["runs"]).exits(0);
    let lines = events(&folder(&scenario).expect("a run"));
    assert_eq!(settled(&lines), 3);
}

#[test]
fn a_disk_that_is_full_ends_the_run_and_loses_nothing() {
    let scenario = Scenario::new();
    scenario.manifest(
        &Manifest::new(
            "echo $LOOP_ITERATION >> ran; head -c 600 /dev/zero | tr '\\0' x",
            "[ $LOOP_ITERATION = 9 ]",
        )
        .set("guardrails.max_iterations", 9),
    );
    // No file may grow beyond 8 KiB. The signal for that kills a process that does not handle it.
    let script = r#"ulimit -f 16; exec "$0" run"#;
    let mut full: Command = scenario.command("sh", &["-c", script, env!("CARGO_BIN_EXE_loop")]);
    let ran: CommandResult = RunningCommand::new(&mut full).finish();
    let ran = ran.exits(3).says(&[
        "failed",
        "cannot be recorded",
        "events.jsonl cannot be written",
        "the disk has space",
    ]);
    assert!(ran.stderr.contains("resume the run"), "{}", ran.stderr);
    let before = fs::read(folder(&scenario).unwrap().join("events.jsonl")).unwrap();
    let done = scenario.read("ran").lines().count();
    assert!(done > 0 && done < 9, "{done}");
    // Events outside the journal have not happened, whatever the record contains.
    assert_eq!(scenario.record()["stop_reason"], "failed");
    let listed = scenario.run(&["runs", "--json"]).exits(0).stdout;
    assert!(listed.contains(r#""state":"unfinished""#), "{listed}");
    assert!(scenario.run(&["show"]).exits(0).stdout.contains("unfinished"));
    scenario.run(&["tail"]).exits(3).says(&["died before it ended"]);
    scenario.run(&["resume"]).exits(0).says(&["goal_met"]);
    let after = fs::read(folder(&scenario).unwrap().join("events.jsonl")).unwrap();
    let kept = before.iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    assert_eq!(after[..kept], before[..kept]);
}

#[test]
fn an_agent_that_takes_away_its_own_journal_ends_its_run() {
    for meddle in ["rm", "truncate -s 0"] {
        let scenario = Scenario::new();
        // The run may notice at once, and end the agent before it gets any further.
        let agent = format!("echo x >> ran; {meddle} \"$LOOP_HOME\"/runs/*/events.jsonl");
        let ran = scenario.run_manifest(&Manifest::new(&agent, "touch checked; false"));
        ran.exits(3).says(&["cannot be recorded", "events.jsonl was changed by another program"]);
        assert!(scenario.read("ran") == "x\n" && !scenario.has("checked"), "{meddle}");
        assert!(!scenario.run(&["show"]).stdout.contains("goal_met"));
    }
}

#[test]
fn a_journal_that_is_cut_off_at_any_byte_is_gone_on_with() {
    let scenario = Scenario::new();
    let agent = "[ ! -e resumed ] || echo $LOOP_ITERATION >> again";
    scenario.run_manifest(&Manifest::new(agent, "[ $LOOP_ITERATION = 2 ]")).exits(0);
    scenario.write("resumed", "");
    let run = folder(&scenario).expect("a run");
    let (path, index) = (run.join("events.jsonl"), scenario.state().join("runs/index.jsonl"));
    let whole = fs::read(&path).unwrap();
    let begun = fs::read_to_string(&index).unwrap().lines().next().unwrap().to_owned() + "\n";
    let expected = outcome(&events(&run));
    // Another test tries every byte without the command; this one tries a sample, spread over the file and over the
    // positions in a line.
    for cut in (0..whole.len()).step_by(whole.len() / 40 + 1) {
        fs::write(&path, &whole[..cut]).unwrap();
        fs::write(&index, &begun).unwrap();
        if !whole[..cut].contains(&b'\n') {
            // The process died before the first event was stored.
            fs::remove_file(run.join("begun")).unwrap();
        }
        scenario.write("again", "");
        let before = settled(&events(&run));
        scenario.run(&["resume"]).exits(0).says(&["goal_met"]);
        assert_eq!(outcome(&events(&run)), expected, "cut at {cut}");
        let again = scenario.read("again");
        assert!(again.lines().all(|ran| ran.parse::<usize>().unwrap() > before), "cut at {cut}: {again}");
    }
}

#[test]
fn a_journal_that_is_damaged_in_its_middle_is_refused_and_left_as_it_was() {
    let scenario = Scenario::new();
    scenario.run_manifest(&Manifest::new("true", "false")).exits(1);
    let id = scenario.record()["run_id"].as_str().unwrap().to_owned();
    let path = folder(&scenario).unwrap().join("events.jsonl");
    let mut damaged = fs::read(&path).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    fs::write(&path, &damaged).unwrap();
    let index = fs::read(scenario.state().join("runs/index.jsonl")).unwrap();
    scenario.run(&["resume", &id, "--add-iterations", "1"]).exits(2).says(&["line ", "is damaged", "backup"]);
    assert_eq!(fs::read(&path).unwrap(), damaged);
    assert_eq!(fs::read(scenario.state().join("runs/index.jsonl")).unwrap(), index);
}

#[test]
fn a_state_directory_that_cannot_be_written_is_found_before_anything_is_spent() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("touch ran", "true"));
    // Equivalent to a read-only folder, even for a user who may write everywhere: the path is below a file.
    fs::write(scenario.state(), "in the way").unwrap();
    scenario.run(&["run"]).exits(2).says(&["cannot be created"]);
    assert!(!scenario.has("ran"));
}

#[test]
fn twenty_runs_at_once_are_all_kept() {
    let scenario = Scenario::new();
    // All begin before the first ends.
    let agent = "echo x >> begun; until [ $(wc -l < begun) -ge 20 ]; do sleep 0.01; done";
    scenario.manifest(&Manifest::new(agent, "[ $LOOP_ITERATION = 2 ]"));
    let start = |_| RunningCommand::new(&mut scenario.loop_command(&["run", "--parallel"]));
    let runs: Vec<_> = (0..20).map(start).collect();
    runs.into_iter().for_each(|run| drop(run.finish().exits(0)));
    let listed = scenario.run(&["runs", "--json"]).exits(0).stdout;
    assert_eq!(listed.lines().filter(|line| line.contains(r#""state":"goal_met""#)).count(), 20, "{listed}");
    assert_eq!(scenario.records().len(), 20);
    let ids: std::collections::BTreeSet<_> =
        scenario.records().iter().map(|record| record["run_id"].to_string()).collect();
    assert_eq!(ids.len(), 20);
    wait_until("nothing is left behind", || scenario.leftovers() == 0);
}
