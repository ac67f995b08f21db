//! The store of runs: concurrent runs, dead runs and removed runs.

#![cfg(test)]

use std::{
    fs,
    io::Write,
    sync::{
        Arc, Barrier, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use loop_core::{Ending, Event, EventKind, Journal, Progress, RunTime, WorkResult};
use loop_telemetry::{
    FileJournal, JournalError, ParallelRuns, Record, Retention, RunEntry, RunInfo, RunStore, StoreError,
    StoreWarning,
};
use tempfile::TempDir;

const PROJECT: &str = "/home/ann/project";

fn store() -> (TempDir, RunStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = RunStore::at(folder.path().join("state/runs"), |warning| panic!("{warning}"));
    (folder, store)
}

/// Returns a store, and a function that returns its warnings.
fn heard() -> (TempDir, RunStore, impl Fn() -> Vec<StoreWarning>) {
    let (folder, told) = (tempfile::tempdir().unwrap(), Arc::<Mutex<Vec<_>>>::default());
    let hear = Arc::clone(&told);
    let store = RunStore::at(folder.path().join("state/runs"), move |warning| {
        hear.lock().unwrap().push(warning.clone());
    });
    (folder, store, move || std::mem::take(&mut *told.lock().unwrap()))
}

fn info(id: &str, folder: &str) -> RunInfo {
    RunInfo::new(id, "greet", folder, Timestamp::UNIX_EPOCH)
}

fn begin(store: &RunStore, id: &str, folder: &str) -> Result<FileJournal<String>, StoreError> {
    store.begin(&info(id, folder), ParallelRuns::Refused, Timestamp::now)
}

fn end(store: &RunStore, id: &str) {
    let ending = Ending::goal_met("");
    let record = Record::of("greet", &ending, &Progress::default()).run_id(id);
    let began = Timestamp::UNIX_EPOCH;
    store.note_end(&record.between(began, began + SignedDuration::from_secs(5))).unwrap();
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

fn ids(store: &RunStore) -> Vec<String> {
    store.list().unwrap().into_iter().map(|run| run.id).collect()
}

#[test]
fn twenty_runs_begin_and_end_at_once() {
    let (_folder, store) = store();
    let together = Barrier::new(20);
    thread::scope(|scope| {
        for number in 0..20 {
            let (store, together) = (&store, &together);
            scope.spawn(move || {
                together.wait();
                let id = format!("run-{number}");
                let journal = begin(store, &id, &format!("{PROJECT}/{number}")).unwrap();
                assert!(store.is_alive(&id).unwrap());
                drop(journal);
                end(store, &id);
            });
        }
    });
    let runs = store.list().unwrap();
    assert_eq!(runs.len(), 20);
    assert!(runs.iter().all(|run| !run.is_open && run.last_ending.is_some()));
}

#[test]
fn the_second_loop_in_a_folder_is_refused_with_the_id_of_the_first() {
    let (_folder, store) = store();
    let first = begin(&store, "first", PROJECT).unwrap();
    let refused = begin(&store, "second", PROJECT).unwrap_err();
    assert!(matches!(&refused, StoreError::FolderBusy { id, .. } if id == "first"), "{refused}");
    assert_eq!(ids(&store), ["first"]);
    let beside =
        store.begin::<String>(&info("beside", PROJECT), ParallelRuns::Allowed, Timestamp::now).unwrap();
    begin(&store, "elsewhere", "/home/ann/other").unwrap();
    // A dead run does not block others.
    drop((first, beside));
    begin(&store, "third", PROJECT).unwrap();
}

#[test]
fn of_many_that_begin_in_one_folder_at_once_one_does() {
    let (_folder, store) = store();
    let together = Barrier::new(8);
    let begun = AtomicUsize::new(0);
    thread::scope(|scope| {
        for number in 0..8 {
            let (store, together, begun) = (&store, &together, &begun);
            scope.spawn(move || {
                together.wait();
                let journal = begin(store, &format!("run-{number}"), PROJECT);
                begun.fetch_add(usize::from(journal.is_ok()), Ordering::SeqCst);
                together.wait();
            });
        }
    });
    assert_eq!(begun.into_inner(), 1);
}

#[test]
fn of_two_resumes_at_once_one_goes_on() {
    let (_folder, store) = store();
    drop(begin(&store, "run", PROJECT).unwrap());
    let together = Barrier::new(2);
    let outcomes = thread::scope(|scope| {
        let resume = || {
            together.wait();
            let journal = store.resume::<String>("run", Timestamp::now);
            together.wait();
            journal.map(drop).map_err(|error| matches!(error, StoreError::Alive { .. }))
        };
        let both = [scope.spawn(resume), scope.spawn(resume)];
        both.map(|thread| thread.join().unwrap())
    });
    assert!(matches!(outcomes, [Ok(()), Err(true)] | [Err(true), Ok(())]), "{outcomes:?}");
}

#[test]
fn the_last_run_that_died_is_found_and_those_that_live_or_ended_are_not() {
    let (_folder, store) = store();
    assert!(store.last_unfinished_in(PROJECT).unwrap().is_none());
    let unfinished = || store.last_unfinished_in(PROJECT).unwrap().map(|run| run.id);
    drop(begin(&store, "died-1", PROJECT).unwrap());
    drop(begin(&store, "died-2", PROJECT).unwrap());
    drop(begin(&store, "elsewhere", "/home/ann/other").unwrap());
    drop(begin(&store, "ended", PROJECT).unwrap());
    end(&store, "ended");
    assert_eq!(unfinished().as_deref(), Some("died-2"));
    let living = store.resume::<String>("died-2", Timestamp::now).unwrap();
    store.note_resumed("died-2", Timestamp::now()).unwrap();
    assert_eq!(unfinished().as_deref(), Some("died-1"));
    assert_eq!(store.active_in(PROJECT).unwrap().unwrap().id, "died-2");
    drop(living);
    end(&store, "died-2");
    assert_eq!(unfinished().as_deref(), Some("died-1"));
    // This run had ended, was resumed, and died.
    drop(store.resume::<String>("ended", Timestamp::now).unwrap());
    assert_eq!(unfinished().as_deref(), Some("died-1"));
    store.note_resumed("ended", Timestamp::now()).unwrap();
    assert_eq!(unfinished().as_deref(), Some("ended"));
    assert!(store.find("ended").unwrap().last_ending.is_some());
}

#[test]
fn a_run_is_found_by_what_no_other_begins_with() {
    let (_folder, store) = store();
    for id in ["ab", "abc", "abd", "x"] {
        drop(begin(&store, id, PROJECT).unwrap());
    }
    assert_eq!(store.find("x").unwrap().id, "x");
    assert_eq!(store.find("abc").unwrap().id, "abc");
    assert_eq!(store.find("ab").unwrap().id, "ab");
    assert!(matches!(store.find("a"), Err(StoreError::Ambiguous { count: 3, .. })));
    assert!(matches!(store.find("y"), Err(StoreError::NoSuchRun { .. })));
    assert!(matches!(store.find(""), Err(StoreError::NoSuchRun { .. })));
    assert!(matches!(store.info("y"), Err(StoreError::NoSuchRun { .. })));
}

#[test]
fn what_a_run_was_begun_with_is_kept() {
    let (_folder, store) = store();
    let info = info("run", PROJECT).manifest("greet.yaml", "goal: say \"hello\"\n");
    drop(store.begin::<String>(&info, ParallelRuns::Refused, Timestamp::now).unwrap());
    assert_eq!(store.info("run").unwrap(), info);
    assert_eq!(store.list().unwrap()[0].manifest.as_deref(), Some("greet.yaml"));
    let taken = begin(&store, "run", "/elsewhere").unwrap_err();
    assert!(matches!(taken, StoreError::Journal(JournalError::Create { .. })), "{taken}");
}

#[test]
fn a_living_run_is_not_removed_and_a_dead_one_leaves_nothing() {
    let (_folder, store) = store();
    let journal = begin(&store, "run", PROJECT).unwrap();
    begin(&store, "other", "/elsewhere").unwrap();
    assert!(matches!(store.remove("run"), Err(StoreError::Alive { .. })));
    drop(journal);
    store.remove("run").unwrap();
    assert_eq!(ids(&store), ["other"]);
    assert!(!store.path().join("run").exists());
    assert!(matches!(store.remove("run"), Err(StoreError::NoSuchRun { .. })));
    // A person removed the folder of this run.
    fs::remove_dir_all(store.path().join("other")).unwrap();
    store.remove("other").unwrap();
    assert!(ids(&store).is_empty());
}

#[test]
fn the_oldest_that_ended_go_first_and_open_ones_stay() {
    let (_folder, store) = store();
    for number in 0..6 {
        let id = format!("run-{number}");
        drop(begin(&store, &id, PROJECT).unwrap());
        if number != 1 {
            end(&store, &id);
        }
    }
    drop(store.resume::<String>("run-2", Timestamp::now).unwrap());
    store.note_resumed("run-2", Timestamp::now()).unwrap();
    let before = store.list().unwrap();
    assert_eq!(store.keep_last(2, |_| true).unwrap(), ["run-0", "run-3"]);
    let left = store.list().unwrap();
    assert_eq!(ids(&store), ["run-1", "run-2", "run-4", "run-5"]);
    assert!(left.iter().all(|run| before.contains(run)), "the rest is as it was");
    assert!(!store.path().join("run-3").exists());
    assert!(store.keep_last(2, |_| true).unwrap().is_empty());
    assert!(store.keep_last(0, |_| false).unwrap().is_empty());
}

#[test]
fn what_began_too_long_ago_is_not_kept_unless_it_is_open() {
    let (_folder, store) = store();
    let began = |hours| Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hours);
    for (id, hours) in [("old", 0), ("open", 1), ("young", 20), ("tomorrow", 90)] {
        let info = RunInfo::new(id, "greet", PROJECT, began(hours));
        drop(store.begin::<String>(&info, ParallelRuns::Refused, Timestamp::now).unwrap());
        if id != "open" {
            end(&store, id);
        }
    }
    let day = Retention { age: Duration::from_hours(24), ..Retention::default() };
    assert!(store.retain(day, began(24)).unwrap().is_empty());
    assert_eq!(store.retain(day, began(25)).unwrap(), ["old"]);
    assert_eq!(ids(&store), ["open", "young", "tomorrow"]);
    // The clock is set back, so no run is too old.
    assert!(store.retain(day, began(-99)).unwrap().is_empty());
}

/// A person waits for the run that removes the others.
#[test]
fn a_run_removes_a_bounded_number_of_others() {
    let (_folder, store) = store();
    for number in 0..103 {
        let id = format!("run-{number:03}");
        drop(begin(&store, &id, PROJECT).unwrap());
        end(&store, &id);
    }
    let one = Retention { ended: 1, ..Retention::default() };
    let oldest: Vec<_> = (0..100).map(|number| format!("run-{number:03}")).collect();
    assert_eq!(store.retain(one, Timestamp::UNIX_EPOCH).unwrap(), oldest);
    assert_eq!(store.retain(one, Timestamp::UNIX_EPOCH).unwrap(), ["run-100", "run-101"]);
    assert_eq!(ids(&store), ["run-102"]);
}

#[test]
fn a_resumed_run_is_not_removed_although_it_had_ended() {
    let (_folder, store) = store();
    drop(begin(&store, "run", PROJECT).unwrap());
    end(&store, "run");
    let journal = store.resume::<String>("run", Timestamp::now).unwrap();
    let lock = journal.hold();
    drop(journal);
    assert!(store.is_alive("run").unwrap(), "the lock outlives the journal");
    assert!(store.keep_last(0, |_| true).unwrap().is_empty());
    drop(lock);
    assert_eq!(store.keep_last(0, |_| true).unwrap(), ["run"]);
}

#[test]
fn a_damaged_or_torn_index_line_hides_nothing_else() {
    let (_folder, store, told) = heard();
    drop(begin(&store, "first", PROJECT).unwrap());
    let path = store.path().join("index.jsonl");
    let add = |text: &str| {
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    };
    add("\u{0}\u{0}nonsense\n{\"v\":1,\"change\":{\"beg");
    drop(begin(&store, "second", PROJECT).unwrap());
    assert_eq!(ids(&store), ["first", "second"]);
    let warnings = told();
    assert!(matches!(&warnings[..], [StoreWarning::Index { line: 2, .. }]), "{warnings:?}");
    assert!(warnings[0].to_string().contains("index.jsonl"), "{}", warnings[0]);
    add("{\"v\":2,\"change\":{\"renamed\":{}}}\n");
    let newer = store.list().unwrap_err();
    assert!(matches!(newer, StoreError::Newer { found: 2, known: 1, .. }), "{newer}");
    assert!(newer.to_string().contains("use the version that wrote it"), "{newer}");
}

#[test]
fn what_cannot_be_written_is_found_before_a_run_begins() {
    let folder = tempfile::tempdir().unwrap();
    let in_the_way = folder.path().join("file");
    fs::write(&in_the_way, "").unwrap();
    let error = begin(&RunStore::at(in_the_way.join("runs"), |warning| panic!("{warning}")), "run", PROJECT)
        .unwrap_err();
    assert!(matches!(error, StoreError::File { .. }), "{error}");
    assert!(error.to_string().contains("check that"), "{error}");
}

#[test]
fn an_id_that_leaves_the_store_is_none() {
    let (_folder, store) = store();
    for id in ["", "..", "a/b", "a.b", "ü", &"x".repeat(65)] {
        assert!(matches!(begin(&store, id, PROJECT), Err(StoreError::BadId { .. })), "{id}");
        assert!(matches!(store.remove(id), Err(StoreError::BadId { .. })), "{id}");
    }
}

#[cfg(unix)]
#[test]
fn others_cannot_read_a_run() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, store) = store();
    drop(begin(&store, "run", PROJECT).unwrap());
    let mode = |path: &str| fs::metadata(store.path().join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!([mode(""), mode("run")], [0o700; 2]);
    assert_eq!([mode("index.jsonl"), mode("run/run.json"), mode("run/events.jsonl")], [0o600; 3]);
}

#[test]
fn runs_are_found_by_their_folders_where_the_index_is_gone() {
    let (_folder, store, told) = heard();
    let info = info("died", PROJECT).manifest("greet.yaml", "goal: hello\n");
    let mut journal = store.begin::<String>(&info, ParallelRuns::Refused, Timestamp::now).unwrap();
    let started =
        Event::new(RunTime::ZERO, EventKind::RunStarted { evaluated: false, evaluates_first: false });
    journal.append(std::slice::from_ref(&started), None).unwrap();
    drop(journal);
    let mut journal = begin(&store, "ended", PROJECT).unwrap();
    journal.append(&success(), None).unwrap();
    drop(journal);
    end(&store, "ended");
    let before = store.list().unwrap();

    let index = store.path().join("index.jsonl");
    fs::remove_file(&index).unwrap();
    let known = |runs: Vec<RunEntry>| -> Vec<_> {
        let reason = |run: &RunEntry| run.last_ending.as_ref().map(|record| record.stop_reason.clone());
        runs.into_iter().map(|run| (reason(&run), run.is_open, run.manifest, run.id)).collect()
    };
    assert_eq!(known(store.list().unwrap()), known(before.clone()));
    assert_eq!(store.last_unfinished_in(PROJECT).unwrap().unwrap().id, "died");
    // The next run rebuilds the index with all runs.
    drop(begin(&store, "next", "/home/ann/other").unwrap());
    assert!(index.exists());
    assert_eq!(ids(&store), ["died", "ended", "next"]);
    assert_eq!(told(), []);
    // If the index lacks a run, the run is still found, with one warning.
    let lines = fs::read_to_string(&index).unwrap();
    fs::write(&index, lines.lines().filter(|line| !line.contains("died")).collect::<Vec<_>>().join("\n"))
        .unwrap();
    assert_eq!(ids(&store), ["died", "ended", "next"]);
    assert_eq!(store.find("die").unwrap().id, "died");
    let warnings = told();
    assert!(matches!(&warnings[..], [StoreWarning::Lacking { runs: 1, .. }]), "{warnings:?}");
    // The same if it lacks all runs.
    fs::write(&index, "").unwrap();
    assert_eq!(ids(&store), ["died", "ended"]);
    assert!(matches!(&told()[..], [StoreWarning::Lacking { runs: 2, .. }]));
}

#[test]
fn a_journal_that_is_gone_is_named() {
    let (_folder, store) = store();
    drop(begin(&store, "run", PROJECT).unwrap());
    fs::remove_file(store.path().join("run/events.jsonl")).unwrap();
    for said in
        [store.journal("run").err().unwrap(), store.resume::<String>("run", Timestamp::now).err().unwrap()]
    {
        assert!(said.to_string().contains("run/events.jsonl cannot be read"), "{said}");
    }
}

/// After cutting the index anywhere or flipping a bit, the list is complete, with a warning about the damage.
#[test]
fn a_damaged_index_loses_no_run() {
    let (_folder, store, told) = heard();
    for id in ["one", "two"] {
        let mut journal =
            store.begin::<String>(&info(id, PROJECT), ParallelRuns::Allowed, Timestamp::now).unwrap();
        journal.append(&success(), None).unwrap();
        drop(journal);
        end(&store, id);
    }
    let known = || -> Vec<_> {
        let reason = |run: &RunEntry| run.last_ending.as_ref().map(|record| record.stop_reason.clone());
        store.list().unwrap().into_iter().map(|run| (reason(&run), run.folder, run.name, run.id)).collect()
    };
    let (index, before) = (store.path().join("index.jsonl"), known());
    let whole = fs::read(&index).unwrap();
    for bit in (0..whole.len() * 8).step_by(3) {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(&index, &flipped).unwrap();
        match store.list() {
            Ok(_) => assert_eq!(known(), before, "bit {bit}"),
            Err(StoreError::Newer { .. }) => {}
            Err(error) => panic!("bit {bit}: {error}"),
        }
    }
    assert!(!told().is_empty());
    for length in 0..whole.len() {
        fs::write(&index, &whole[..length]).unwrap();
        let ids: Vec<_> = known().into_iter().map(|(.., id)| id).collect();
        assert_eq!(ids, ["one", "two"], "cut at {length}");
    }
}

#[test]
fn a_run_that_cannot_be_listed_is_told_of() {
    let (_folder, store, told) = heard();
    let mut journal = begin(&store, "run", PROJECT).unwrap();
    let started =
        Event::new(RunTime::ZERO, EventKind::RunStarted { evaluated: false, evaluates_first: false });
    journal.append(&[started], None).unwrap();
    drop(journal);
    let file = store.path().join("run/run.json");
    let whole = fs::read_to_string(&file).unwrap();
    fs::write(&file, whole.replace("greet", "great")).unwrap();
    assert!(matches!(store.info("run"), Err(StoreError::Damaged { .. })));
    fs::remove_file(store.path().join("index.jsonl")).unwrap();
    assert_eq!(ids(&store), [""; 0]);
    let warnings = told();
    assert!(matches!(&warnings[..], [StoreWarning::Unlisted { id, .. }] if id == "run"), "{warnings:?}");
    assert!(warnings[0].to_string().contains("run.json is damaged"), "{}", warnings[0]);
}

/// A secret in a folder's path is stored nowhere, but a person in that folder still finds its runs.
#[test]
fn a_folder_whose_path_holds_a_secret_is_found_again() {
    const SECRET: &str = "/home/ann/hunter2-hunter2/work";
    let (_folder, store) = store();
    let redactor = loop_telemetry::Redactor::new(["hunter2-hunter2"]);
    let of = |id: &str| info(id, SECRET).manifest(format!("{SECRET}/a/loop.yaml"), "x").redacted(&redactor);
    drop(store.begin::<String>(&of("run"), ParallelRuns::Refused, Timestamp::now).unwrap());
    for file in ["index.jsonl", "run/run.json"] {
        let text = fs::read_to_string(store.path().join(file)).unwrap();
        assert!(!text.contains("hunter2") && text.contains("[redacted]"), "{text}");
    }
    assert_eq!(store.last_unfinished_in(SECRET).unwrap().unwrap().id, "run");
    assert!(store.last_unfinished_in("/home/ann/[redacted]/work").unwrap().is_none());
    let located = store.info("run").unwrap();
    assert!(located.works_in(SECRET) && !located.works_in(PROJECT));
    let located = located.located_in(SECRET);
    assert_eq!(located.folder, SECRET);
    assert_eq!(located.manifest.unwrap().path, format!("{SECRET}/a/loop.yaml"));

    // Two runs cannot work there at once, whether or not both know the secret.
    let journal = store.resume::<String>("run", Timestamp::now).unwrap();
    for second in [of("second"), info("second", SECRET)] {
        let refused = store.begin::<String>(&second, ParallelRuns::Refused, Timestamp::now).map(drop);
        assert!(matches!(refused, Err(StoreError::FolderBusy { .. })), "{refused:?}");
    }
    drop(journal);
    let lock = store.begin_without_journal(&of("unkept"), ParallelRuns::Refused).unwrap();
    assert_eq!(store.active_in(SECRET).unwrap().unwrap().id, "unkept");
    drop(lock);
}
