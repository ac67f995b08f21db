//! A run that is as long as one gets.

use jiff::Timestamp;
use loop_core::{Event, EventKind, Journal, RunTime, Verdict, WorkResult};
use loop_telemetry::{FileJournal, Parallel, RunInfo, RunStore};
use serde_json::{Value, json};

use crate::support::{Manifest, Ran, Started, World};

const ITERATIONS: u64 = 200_000;

/// The memory limit of `loop` in KiB: less than half the length of the journal.
const ROOM: u32 = 192 * 1024;

/// The events of an iteration that did not meet the goal.
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

/// Writes the journal of a run that was cut off after a million events, as the command would have.
fn write(world: &World, manifest: &Manifest) {
    world.manifest(manifest);
    let store = RunStore::at(world.state().join("runs"), |warning| panic!("{warning}"));
    let info =
        RunInfo::new("r-1", "long", world.path("").canonicalize().expect("a folder"), Timestamp::now());
    let info = info.manifest(world.path("loop.json"), world.read("loop.json"));
    let journal: FileJournal<Value> =
        store.begin(&info, Parallel::Refused, Timestamp::now).expect("a journal");
    let mut journal = journal.without_sync();
    let began = Event::new(RunTime::ZERO, EventKind::RunStarted { evaluated: true });
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

/// `loop` with a bound on its memory.
fn bounded(world: &World, args: &[&str]) -> Ran {
    let script = format!(r#"ulimit -v {ROOM}; exec "$0" "$@""#);
    let args = [&["-c", &script, env!("CARGO_BIN_EXE_loop")], args].concat();
    Started::new(&mut world.command("sh", &args)).finish()
}

#[test]
#[ignore = "it takes minutes without optimisation: the nightly checks run it"]
fn a_million_events_are_shown_and_gone_on_with_in_bounded_memory() {
    let world = World::new();
    let manifest = Manifest::new("echo $LOOP_ITERATION > ran", "true");
    write(&world, &manifest.set("guardrails.max_iterations", ITERATIONS + 1));
    let page = bounded(&world, &["show"]).exits(0).stdout;
    assert!(page.contains("unfinished") && page.contains("199,900 iterations left out"), "{page}");
    let last = bounded(&world, &["show", "-i", "200000", "--output"]).exits(0).stdout;
    assert_eq!(last, "said 200000\n".repeat(100));
    bounded(&world, &["resume"]).exits(0).says(&["goal_met"]);
    assert_eq!(world.read("ran"), "200001\n");
}
