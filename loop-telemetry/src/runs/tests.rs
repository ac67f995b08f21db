//! A process dies at each step of each change to the store. All that remains is readable, no run is listed twice, and
//! after the next run begins nothing is left over.

use std::{collections::BTreeSet, fs};

use jiff::Timestamp;
use loop_core::{Ending, Event, EventKind, Journal as _, Progress, RunTime, WorkResult};
use tempfile::TempDir;

use crate::{FileJournal, ParallelRuns, Record, RunInfo, RunStore, StoreError, failpoint};

const PROJECT: &str = "/home/ann/project";

fn begin(store: &RunStore, id: &str) -> Result<FileJournal<String>, StoreError> {
    let info =
        RunInfo::new(id, "greet", PROJECT, Timestamp::UNIX_EPOCH).manifest("greet.yaml", "goal: hello\n");
    store.begin(&info, ParallelRuns::Refused, Timestamp::now)
}

/// Returns the events of a run that met its goal in its first step.
fn success() -> Vec<Event> {
    let kinds = [
        EventKind::RunStarted { evaluated: false, evaluates_first: false },
        EventKind::IterationStarted { iteration: 1, attempt: 1 },
        EventKind::IterationFinished { result: WorkResult::Done(()), notes: None },
        EventKind::StepSettled { met: true, by: None },
        EventKind::RunFinished { ending: Box::new(Ending::goal_met("")) },
    ];
    kinds.map(|kind| Event::new(RunTime::ZERO, kind)).into()
}

/// Stores a run that did something, and ended.
fn ended(store: &RunStore, id: &str) {
    let ending = Ending::goal_met("");
    let mut journal = begin(store, id).unwrap();
    journal.append(&success(), None).unwrap();
    let record = Record::of("greet", &ending, &Progress::default()).run_id(id);
    store.note_end(&record.between(Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH)).unwrap();
}

/// Returns the listed ids in order, and checks that each is unique.
fn listed(store: &RunStore) -> Vec<String> {
    let ids: Vec<_> = store.list().unwrap().into_iter().map(|run| run.id).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
    ids
}

/// Returns the entries of the store's folder except the index.
fn lying(store: &RunStore) -> BTreeSet<String> {
    let entries = store.entries().unwrap().into_iter();
    let names = entries.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned());
    names.filter(|name| !matches!(name.as_str(), "index.jsonl" | "index.lock")).collect()
}

/// Interrupts `change` at each step, in a store with a run that ended, and then runs the check.
fn at_each_place<T>(change: impl Fn(&RunStore) -> T, check: impl Fn(&RunStore)) {
    for places in 0.. {
        let folder: TempDir = tempfile::tempdir().unwrap();
        let store = RunStore::at(folder.path().join("runs"), |_| ());
        ended(&store, "first");
        let done = failpoint::after(places, || change(&store)).is_some();
        listed(&store);
        // No process works on it any more, so it must not block others.
        assert_eq!(store.active_in(PROJECT).unwrap(), None, "after {places}");
        check(&store);
        drop(begin(&store, "next").unwrap());
        let ids = listed(&store);
        assert!(ids.contains(&"next".to_owned()), "after {places}: {ids:?}");
        assert_eq!(lying(&store), ids.iter().cloned().collect(), "after {places}");
        for id in &ids {
            assert_eq!(store.info(id).unwrap().folder, PROJECT);
            let mut journal = store.resume::<String>(id, Timestamp::now).unwrap();
            journal.load(&mut |_| {}).unwrap();
        }
        if done {
            assert!(places > 3, "it has {places} places");
            return;
        }
    }
}

#[test]
fn a_run_that_dies_while_it_begins_is_listed_once_or_not_at_all() {
    let first_stays = |store: &RunStore| assert_eq!(listed(store)[0], "first");
    at_each_place(|store| drop(begin(store, "second").unwrap()), first_stays);
}

#[test]
fn the_very_first_run_that_dies_while_it_begins_leaves_a_store() {
    let forget = |store: &RunStore| {
        fs::remove_dir_all(store.path()).unwrap();
        drop(begin(store, "second").unwrap());
    };
    at_each_place(forget, |_| ());
}

#[test]
fn a_run_that_keeps_nothing_leaves_nothing_wherever_it_dies() {
    let begin_without_journal = |store: &RunStore| {
        let info = RunInfo::new("second", "greet", PROJECT, Timestamp::UNIX_EPOCH);
        drop(store.begin_without_journal(&info, ParallelRuns::Refused).unwrap());
    };
    at_each_place(begin_without_journal, |store| assert_eq!(listed(store), ["first"]));
}

#[test]
fn a_removal_that_dies_is_done_or_can_be_done_again() {
    at_each_place(|store| store.remove("first").unwrap(), |_| ());
    at_each_place(|store| store.keep_last(0, |_| true).unwrap(), |_| ());
}

#[test]
fn an_index_that_is_made_anew_by_a_process_that_dies_lacks_nothing() {
    let anew = |store: &RunStore| {
        fs::remove_file(store.path().join("index.jsonl")).unwrap();
        drop(begin(store, "second").unwrap());
    };
    at_each_place(anew, |store| assert_eq!(listed(store)[0], "first"));
}

#[test]
fn an_index_that_is_cut_off_in_its_last_line_is_mended() {
    let folder = tempfile::tempdir().unwrap();
    let store = RunStore::at(folder.path().join("runs"), |_| ());
    ended(&store, "first");
    let index = store.path().join("index.jsonl");
    let before = fs::read(&index).unwrap().len();
    drop(begin(&store, "second").unwrap());
    let whole = fs::read(&index).unwrap();
    for cut in (before..whole.len()).step_by(7) {
        drop(begin(&store, "second"));
        fs::write(&index, &whole[..cut]).unwrap();
        drop(begin(&store, "next").unwrap());
        assert_eq!(listed(&store)[0], "first", "cut at {cut}");
        assert_eq!(lying(&store), listed(&store).into_iter().collect(), "cut at {cut}");
        store.remove("next").unwrap();
    }
}

#[test]
fn what_the_store_did_not_make_stays() {
    let folder = tempfile::tempdir().unwrap();
    let store = RunStore::at(folder.path().join("runs"), |_| ());
    let make = |path: &str, text: &str| {
        let path = store.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    make("notes/about.txt", "mine");
    make("lost/events.jsonl", "a journal whose run.json is gone\n");
    make("README.md", "mine");
    drop(begin(&store, "next").unwrap());
    for kept in ["notes/about.txt", "lost/events.jsonl", "README.md"] {
        assert!(store.path().join(kept).exists(), "{kept}");
    }
}

#[test]
fn a_run_that_was_put_back_is_listed_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = RunStore::at(folder.path().join("runs"), |_| ());
    ended(&store, "first");
    let (kept, aside) = (store.path().join("first"), folder.path().join("first"));
    fs::rename(&kept, &aside).unwrap();
    store.remove("first").unwrap();
    assert!(listed(&store).is_empty());
    fs::rename(&aside, &kept).unwrap();
    drop(begin(&store, "next").unwrap());
    let back = store.find("first").unwrap();
    assert!(!back.is_open);
    assert_eq!(back.last_ending.unwrap().stop_reason, None);
}
