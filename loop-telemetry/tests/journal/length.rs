//! Long journals.

use std::time::Duration;

use jiff::Timestamp;
use loop_core::{Event, EventKind, Journal, Machine, MaxIterations, RunTime, WorkResult};
use loop_telemetry::FileJournal;

/// Returns the events of an iteration without an evaluator.
fn events(iteration: u64) -> [Event; 3] {
    let at = |kind| Event::new(RunTime::from_micros(iteration), kind);
    [
        at(EventKind::IterationStarted { iteration, attempt: 1 }),
        at(EventKind::IterationFinished { result: WorkResult::Done(()), notes: None }),
        at(EventKind::StepSettled { met: false, by: None }),
    ]
}

#[test]
fn a_million_events_are_restored() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let mut journal = FileJournal::<u64>::create(&run, || Timestamp::UNIX_EPOCH).unwrap();
    let began = Event::new(RunTime::ZERO, EventKind::RunStarted { evaluated: false, evaluates_first: false });
    journal.append(&[began], None).unwrap();
    let iterations = 333_333;
    let mut batch = Vec::new();
    for iteration in 1..=iterations {
        batch.extend(events(iteration));
        // These batches are larger than those of a real run, because this tests reading.
        if iteration % 1_000 == 0 || iteration == iterations {
            journal.append(&batch, Some(&(iteration * 10))).unwrap();
            batch.clear();
        }
    }
    drop(journal);

    let mut machine = Machine::new(vec![Box::new(MaxIterations::new(1))], Box::new(Duration::ZERO), false);
    let mut count = 0;
    let output = FileJournal::<u64>::open(&run, Timestamp::now).unwrap().load(&mut |event| {
        count += 1;
        machine.restore([event]).expect("a history");
    });
    assert_eq!(count, 1_000_000);
    assert_eq!(output.unwrap(), Some(iterations * 10));
    assert_eq!(machine.progress().iterations(), iterations);
}
