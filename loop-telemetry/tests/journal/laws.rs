//! The laws `replay` and `resume`, with files and the tokio driver.

use std::path::Path;

use loop_core::{EventKind, Progress, WorkResult};
use proptest::{collection::vec, prelude::*};

use crate::scenario::{Scenario, ScriptedStep, create, ending, open, read, run, settled};

fn scenarios() -> impl Strategy<Value = Scenario> {
    let turn = prop_oneof![
        4 => (0..200_usize).prop_map(ScriptedStep::Makes),
        1 => Just(ScriptedStep::Makes(40_000)),
        2 => Just(ScriptedStep::Fails),
        2 => (0..3_u64).prop_map(ScriptedStep::Notes),
    ];
    (vec(turn, 1..5), 1..16_u64).prop_map(|(turns, goal)| Scenario { turns, goal })
}

fn in_a_runtime<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.unwrap().block_on(work)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn replay(scenario in scenarios()) {
        let folder = tempfile::tempdir().unwrap();
        let run_folder = folder.path().join("run");
        let finished = in_a_runtime(run(&scenario, create(&run_folder), usize::MAX));
        let folded = Progress::from_events(&read(&run_folder)).expect("a history");
        let report = finished.report.unwrap();
        prop_assert_eq!(report.progress(), &folded);
        prop_assert_eq!(report.unrecorded(), None);
    }

    #[test]
    fn resume(scenario in scenarios(), stops in vec(0..40_usize, 1..5)) {
        let folder = tempfile::tempdir().unwrap();
        let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
        let whole_report = in_a_runtime(run(&scenario, create(&whole), usize::MAX)).report.unwrap();
        let mut begun_before = Vec::new();
        let mut report = None;
        let mut journal = create(&parts);
        for stop in stops.into_iter().chain([usize::MAX]) {
            let finished = in_a_runtime(run(&scenario, journal, stop));
            begun_before.extend(finished.begun);
            report = finished.report.or(report);
            journal = open(&parts);
        }
        // A line has one number, from which that of its event follows.
        let numbers: Vec<u64> = read(&parts).iter().map(|event| event.sequence).collect();
        prop_assert!(numbers.iter().copied().eq(1..=numbers.len() as u64), "{numbers:?}");
        prop_assert!(!std::fs::read_to_string(parts.join("events.jsonl")).unwrap().contains("\"sequence\":"));
        // A run that died too often in one step gives up.
        if ending(&read(&parts)).reason() != Some(&loop_core::StopReason::AttemptsExhausted) {
            prop_assert_eq!(settled(&read(&parts)), settled(&read(&whole)));
            prop_assert_eq!(ending(&read(&parts)), ending(&read(&whole)));
            let report = report.unwrap();
            prop_assert_eq!(report.output(), whole_report.output());
        }
    }
}

/// A power cut can leave any prefix of the file that contains the synced part.
#[test]
fn resume_after_a_cut_at_every_byte() {
    let scenario = Scenario {
        turns: vec![
            ScriptedStep::Notes(1),
            ScriptedStep::Makes(40),
            ScriptedStep::Fails,
            ScriptedStep::Makes(40_000),
        ],
        goal: 5,
    };
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    in_a_runtime(run(&scenario, create(&whole), usize::MAX));
    let bytes = std::fs::read(whole.join("events.jsonl")).unwrap();
    let all = read(&whole);
    let outputs = std::fs::read_dir(whole.join("outputs")).unwrap();
    let outputs: Vec<_> =
        outputs.map(|output| Path::new("outputs").join(output.unwrap().file_name())).collect();
    for cut in 0..=bytes.len() {
        let folder = folder.path().join(format!("cut-{cut}"));
        std::fs::create_dir(&folder).unwrap();
        std::fs::create_dir(folder.join("outputs")).unwrap();
        for output in &outputs {
            std::fs::hard_link(whole.join(output), folder.join(output)).unwrap();
        }
        std::fs::write(folder.join("events.jsonl"), &bytes[..cut]).unwrap();
        let kept = bytes[..cut].iter().filter(|byte| **byte == b'\n').count();
        let finished = in_a_runtime(run(&scenario, open(&folder), usize::MAX));
        let events = read(&folder);
        assert_eq!(events[..kept], all[..kept]);
        assert_eq!(settled(&events), settled(&all), "cut at {cut}");
        assert_eq!(ending(&events), ending(&all), "cut at {cut}");
        let over = |kind: &EventKind| {
            matches!(
                kind,
                EventKind::IterationFinished { result: WorkResult::Done(()) | WorkResult::Failed(_), .. }
            )
        };
        let done = all[..kept].iter().filter(|event| over(&event.kind)).count() as u64;
        assert!(
            finished.begun.iter().all(|begun| *begun > done),
            "cut at {cut}: {:?} after {done}",
            finished.begun
        );
        std::fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn clocks_that_jump_back_change_nothing_but_the_time_that_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let run_folder = folder.path().join("run");
    let scenario = Scenario { turns: vec![ScriptedStep::Makes(3)], goal: 4 };
    let mut now = jiff::Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_hours(9);
    let clock = move || {
        now -= jiff::SignedDuration::from_hours(1);
        now
    };
    let journal = loop_telemetry::FileJournal::create(&run_folder, clock).unwrap();
    in_a_runtime(run(&scenario, journal, 9));
    let finished = in_a_runtime(run(&scenario, open(&run_folder), usize::MAX));
    assert_eq!(finished.report.unwrap().iterations(), 4);
    let mut reader = loop_telemetry::JournalReader::open(&run_folder).unwrap();
    let mut times = Vec::new();
    while let Some(entry) = reader.next_entry().unwrap() {
        times.push(entry.timestamp().unwrap());
    }
    assert!(!times.is_sorted());
    assert!(read(&run_folder).is_sorted_by_key(|event| event.at), "run time does not");
}
