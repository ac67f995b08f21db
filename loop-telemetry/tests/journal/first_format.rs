//! The first format stays readable forever. Never rewrite these files.

use std::path::{Path, PathBuf};

use loop_core::Journal;
use loop_telemetry::{FileJournal, RunStore};

use crate::scenario::{Scenario, ScriptedStep, run, settled};

/// Returns a copy, because resuming a run writes to it.
fn copy() -> (tempfile::TempDir, RunStore) {
    let folder = tempfile::tempdir().unwrap();
    copy_all(&fixture(), folder.path());
    let store = RunStore::at(folder.path(), |warning| panic!("{warning}"));
    (folder, store)
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/runs-v1")
}

pub(crate) fn copy_all(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (from, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        match from.is_dir() {
            true => copy_all(&from, &to.join(name)),
            false => drop(std::fs::copy(&from, to.join(name)).unwrap()),
        }
    }
}

/// Returns the world that wrote the journal. Its last iteration is cut off.
fn scenario() -> Scenario {
    let small = || ScriptedStep::Makes(30);
    let turns = vec![
        ScriptedStep::Notes(7),
        small(),
        ScriptedStep::Fails,
        small(),
        small(),
        ScriptedStep::Notes(8),
        ScriptedStep::Makes(40_000),
    ];
    Scenario { turns, goal: 7 }
}

#[test]
fn a_store_of_the_first_format_is_listed() {
    let (_folder, store) = copy();
    let runs = store.list().unwrap();
    let told = |run: &loop_telemetry::RunEntry| {
        let iterations = run.last_ending.as_ref().map(|record| record.iterations);
        (run.id.clone(), run.name.clone(), iterations, run.is_open)
    };
    let expected =
        [("first".into(), "greet".into(), None, true), ("second".into(), "greet".into(), Some(3), false)];
    assert_eq!(runs.iter().map(told).collect::<Vec<_>>(), expected);
    let info = store.info("first").unwrap();
    assert_eq!(info.manifest.unwrap().text, "goal: say hello\n");
    assert_eq!(store.last_unfinished_in("/home/ann/project").unwrap().unwrap().id, "first");
}

#[tokio::test]
async fn a_run_of_the_first_format_goes_on() {
    let (_folder, store) = copy();
    let journal: FileJournal<String> = store.resume("first", || jiff::Timestamp::UNIX_EPOCH).unwrap();
    let finished = run(&scenario(), journal, usize::MAX).await;
    assert_eq!((finished.report.unwrap().iterations(), finished.begun), (7, vec![7]));
    let mut reader = store.journal("first").unwrap();
    let mut events = Vec::new();
    while let Some(entry) = reader.next_entry().unwrap() {
        events.push(entry.event);
    }
    let whole = tempfile::tempdir().unwrap();
    run(&scenario(), crate::scenario::create(&whole.path().join("run")), usize::MAX).await;
    assert_eq!(settled(&events), settled(&crate::scenario::read(&whole.path().join("run"))));
}

#[test]
fn its_last_output_is_found() {
    let (_folder, store) = copy();
    let mut journal: FileJournal<String> = store.resume("first", || jiff::Timestamp::UNIX_EPOCH).unwrap();
    let output = journal.load(&mut |_| {}).unwrap().unwrap();
    assert!(output.starts_with("6 ") && output.len() > 39_000);
}
