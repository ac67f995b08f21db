//! A run of extreme length.

use jiff::Timestamp;
use loop_core::{Event, EventKind, Journal, RunTime, Verdict, WorkResult};
use loop_telemetry::{FileJournal, ParallelRuns, RunInfo, RunStore};
use serde_json::{Value, json};

use crate::support::{CommandResult, Manifest, RunningCommand, Scenario};

const ITERATIONS: u64 = 200_000;

/// The memory limit of `loop` in KiB: less than half the length of the journal.
const ROOM: u32 = 192 * 1024;

/// Returns the events of an iteration that did not meet the goal.
fn events(iteration: u64) -> [Event; 5] {
    let at = |kind| Event::new(RunTime::from_micros(iteration * 1_000), kind);
    [
        at(EventKind::IterationStarted { iteration, attempt: 1 }),
        at(EventKind::IterationFinished { result: WorkResult::Done(()), notes: None }),
        at(EventKind::EvaluationStarted {}),
        at(EventKind::EvaluationFinished { result: WorkResult::Done(Verdict::fail()), notes: None }),
        at(EventKind::StepSettled { met: false, by: None }),
    ]
}

/// Writes the journal of a run that was cut off after a million events, as the command would write it.
fn write(scenario: &Scenario, manifest: &Manifest) {
    scenario.manifest(manifest);
    let store = RunStore::at(scenario.state().join("runs"), |warning| panic!("{warning}"));
    let info =
        RunInfo::new("r-1", "long", scenario.path("").canonicalize().expect("a folder"), Timestamp::now());
    let info = info.manifest(scenario.path("loop.json"), scenario.read("loop.json"));
    let journal: FileJournal<Value> =
        store.begin(&info, ParallelRuns::Refused, Timestamp::now).expect("a journal");
    let mut journal = journal.without_sync();
    let began = Event::new(RunTime::ZERO, EventKind::RunStarted { evaluated: true, evaluates_first: false });
    journal.append(&[began], None).expect("it is written");
    for iteration in 1..=ITERATIONS {
        let output = json!({
            "exit": { "code": 0 },
            "stdout": { "head": [format!("said {iteration}\n").repeat(100)], "limit": 1 << 20 },
            "stderr": { "limit": 1 << 20 },
        });
        journal.append(&events(iteration), Some(&output)).expect("it is written");
    }
}

/// Runs `loop` with a memory limit.
fn bounded(scenario: &Scenario, args: &[&str]) -> CommandResult {
    let script = format!(r#"ulimit -v {ROOM}; exec "$0" "$@""#);
    let args = [&["-c", &script, env!("CARGO_BIN_EXE_loop")], args].concat();
    RunningCommand::new(&mut scenario.command("sh", &args)).finish()
}

#[test]
#[ignore = "it takes minutes without optimisation: the nightly checks run it"]
fn a_million_events_are_shown_and_gone_on_with_in_bounded_memory() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("echo $LOOP_ITERATION > ran", "true");
    write(&scenario, &manifest.set("guardrails.max_iterations", ITERATIONS + 1));
    let page = bounded(&scenario, &["show"]).exits(0).stdout;
    assert!(page.contains("unfinished") && page.contains("199,900 iterations left out"), "{page}");
    let last = bounded(&scenario, &["show", "-i", "200000", "--output"]).exits(0).stdout;
    assert_eq!(last, "said 200000\n".repeat(100));
    bounded(&scenario, &["resume"]).exits(0).says(&["goal_met"]);
    assert_eq!(scenario.read("ran"), "200001\n");
}
