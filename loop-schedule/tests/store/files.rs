//! The file: nothing in it is lost, and nothing is read through a link.

use std::fs;

use loop_schedule::{
    FileStore, FireRecord, JobError, JobId, Reach, Settings, Stage, StoreError, StoreWarning,
};
use serde_json::{Value, json};

use crate::{job, minutes, now};

fn store() -> (tempfile::TempDir, FileStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = FileStore::at(folder.path().join("project-1"));
    (folder, store)
}

fn add(store: &FileStore, bits: u32) -> Result<(), JobError> {
    store.update(|jobs| jobs.add(job(bits), &Settings::classic(), Reach::Year, now())).unwrap().map(drop)
}

fn file(store: &FileStore) -> Value {
    serde_json::from_slice(&fs::read(store.folder().join("jobs.json")).unwrap()).unwrap()
}

#[test]
fn jobs_are_there_again() {
    let (_folder, store) = store();
    add(&store, 1).unwrap();
    add(&store, 2).unwrap();
    let jobs = store.read().unwrap();
    let kept: Vec<_> = jobs.records().iter().map(|record| record.job.clone()).collect();
    assert_eq!(kept, [job(1), job(2)]);
    assert_eq!(jobs.warnings(), []);
}

#[test]
fn looking_leaves_no_traces() {
    let (_folder, store) = store();
    assert_eq!(store.read().unwrap().records(), []);
    assert!(!store.is_firing().unwrap());
    assert!(!store.folder().exists());
}

#[test]
fn what_a_later_version_wrote_is_kept() {
    let (_folder, store) = store();
    add(&store, 1).unwrap();
    let mut json = file(&store);
    json["colour"] = json!("red");
    json["jobs"][0]["model"] = json!({ "name": "x" });
    json["jobs"][0]["standing"]["mood"] = json!(7);
    let strange = json!({ "id": "00000009", "when": { "kind": "full_moon" } });
    json["jobs"].as_array_mut().unwrap().push(strange.clone());
    fs::write(store.folder().join("jobs.json"), json.to_string()).unwrap();

    let warnings = store.read().unwrap().warnings().to_vec();
    assert!(matches!(&warnings[..], [StoreWarning::Unreadable { job, .. }] if job.contains("00000009")));
    add(&store, 2).unwrap();
    let json = file(&store);
    assert_eq!(json["colour"], "red");
    assert_eq!(json["jobs"][0]["model"]["name"], "x");
    assert_eq!(json["jobs"][0]["standing"]["mood"], 7);
    assert!(json["jobs"].as_array().unwrap().contains(&strange));
}

#[test]
fn a_file_of_a_later_format_is_left_alone() {
    let (_folder, store) = store();
    add(&store, 1).unwrap();
    let path = store.folder().join("jobs.json");
    fs::write(&path, r#"{"v":2,"tasks":{}}"#).unwrap();
    assert!(matches!(store.read(), Err(StoreError::Newer { found: 2, known: 1, .. })));
    assert!(matches!(store.update(|_| ()), Err(StoreError::Newer { .. })));
    assert_eq!(fs::read_to_string(path).unwrap(), r#"{"v":2,"tasks":{}}"#);
}

#[test]
fn a_damaged_file_is_set_aside_and_told_of() {
    let (_folder, store) = store();
    for (number, damaged) in
        ["{\"v\":1,\"jobs\":[", "", "[]", "{\"v\":1}", "{\"v\":0,\"jobs\":[]}"].iter().enumerate()
    {
        add(&store, 1).unwrap();
        fs::write(store.folder().join("jobs.json"), damaged).unwrap();
        let warnings = store.read().unwrap().warnings().to_vec();
        let [StoreWarning::SetAside { kept, .. }] = &warnings[..] else { panic!("{warnings:?}") };
        assert_eq!(kept, &store.folder().join(format!("jobs.damaged-{}.json", number + 1)));
        assert_eq!(&fs::read_to_string(kept).unwrap(), damaged);
        assert_eq!(store.read().unwrap().records(), []);
    }
}

#[cfg(unix)]
#[test]
fn links_are_refused() {
    use std::os::unix::fs::symlink;
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("target");
    fs::write(&target, r#"{"v":1,"jobs":[]}"#).unwrap();
    for name in ["jobs.json", "jobs.lock", "jobs.draft", "firing.lock"] {
        let (_folder, store) = store();
        fs::create_dir_all(store.folder()).unwrap();
        symlink(&target, store.folder().join(name)).unwrap();
        let refused = match name {
            "firing.lock" => store.try_firing().map(drop),
            _ => store.update(|jobs| drop(jobs.add(job(1), &Settings::classic(), Reach::Year, now()))),
        };
        assert!(matches!(refused, Err(StoreError::NotPlain { .. })), "{name}: {refused:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    symlink(elsewhere.path(), folder.path().join("linked")).unwrap();
    let store = FileStore::at(folder.path().join("linked"));
    assert!(matches!(store.read(), Err(StoreError::NotPlain { .. })));
    assert_eq!(fs::read_to_string(&target).unwrap(), r#"{"v":1,"jobs":[]}"#);
}

#[cfg(unix)]
#[test]
fn files_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, store) = store();
    add(&store, 1).unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(store.folder()), 0o700);
    assert_eq!(mode(&store.folder().join("jobs.json")), 0o600);
}

#[test]
fn each_project_has_its_own_store() {
    let state = tempfile::tempdir().unwrap();
    let folders = ["a b", "a-b", "c"].map(|name| state.path().join("projects").join(name));
    let stores = folders.each_ref().map(|folder| {
        fs::create_dir_all(folder).unwrap();
        FileStore::for_project(state.path().join("schedule"), folder).unwrap()
    });
    assert_ne!(stores[0], stores[1]);
    add(&stores[0], 1).unwrap();
    assert_eq!(stores[1].read().unwrap().records(), []);
    assert_eq!(file(&stores[0])["project"], folders[0].canonicalize().unwrap().to_str().unwrap());
    let roundabout = folders[0].join("..").join("a b");
    assert_eq!(FileStore::for_project(state.path().join("schedule"), roundabout).unwrap(), stores[0]);
    assert!(FileStore::for_project(state.path(), state.path().join("nowhere")).is_err());
}

#[test]
fn many_who_write_at_once_lose_nothing() {
    let (_folder, store) = store();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let store = &store;
            scope.spawn(move || (0..4).for_each(|bits| add(store, writer * 4 + bits).unwrap()));
        }
    });
    assert_eq!(store.read().unwrap().records().len(), 32);
}

#[test]
fn what_cannot_be_scheduled_is_refused() {
    let (_folder, store) = store();
    add(&store, 1).unwrap();
    assert_eq!(add(&store, 1), Err(JobError::IdTaken { id: JobId::from_bits(1) }));
    (2..51).for_each(|bits| add(&store, bits).unwrap());
    assert_eq!(add(&store, 51), Err(JobError::TooMany { most: 50 }));
}

#[test]
fn a_job_that_goes_on_makes_up_for_nothing() {
    let (_folder, store) = store();
    add(&store, 1).unwrap();
    let (id, later) = (JobId::from_bits(1), now() + minutes(100));
    assert!(store.update(|jobs| jobs.set_paused(id, true, now())).unwrap());
    assert!(store.update(|jobs| jobs.set_paused(id, false, later)).unwrap());
    assert_eq!(store.read().unwrap().get(id).unwrap().standing.cursor, later);
    assert!(!store.update(|jobs| jobs.set_paused(JobId::from_bits(9), true, later)).unwrap());
}

/// A job is paused in the moment in which its last fire is claimed: it is not over, and goes on later.
#[test]
fn a_job_whose_last_fire_could_not_be_claimed_stays() {
    use loop_schedule::{Event, Scheduler, When};
    let (_folder, store) = store();
    let (id, due) = (JobId::from_bits(1), now() + minutes(10));
    let mut once = job(1);
    once.when = When::At { time: due };
    store.update(|jobs| jobs.add(once.clone(), &Settings::classic(), Reach::Year, now())).unwrap().unwrap();
    let mut scheduler = Scheduler::new(Settings::classic());
    scheduler.set(once, &store.read().unwrap().get(id).unwrap().standing, now());
    let Some(Event::Fired(fire)) = scheduler.tick(due, true).into_iter().next() else { panic!("it is due") };
    store
        .update(|jobs| {
            assert!(jobs.set_paused(id, true, due));
            assert!(!jobs.claim(&fire, due) && !jobs.ended(id));
            jobs.set_paused(id, false, now());
            assert!(jobs.claim(&fire, due) && !jobs.ended(id), "its run has no end yet");
            assert!(jobs.finished(id, fire.number, due));
        })
        .unwrap();
    assert_eq!(store.read().unwrap().records(), []);
}

#[test]
fn each_stage_of_a_fire_is_kept() {
    use loop_schedule::{Event, Scheduler};
    let (_folder, store) = store();
    add(&store, 1).unwrap();
    let id = JobId::from_bits(1);
    let stage = || store.read().unwrap().get(id).unwrap().standing.last_fire.as_ref().map(FireRecord::stage);
    let mut scheduler = Scheduler::new(Settings::classic());
    scheduler.set(job(1), &store.read().unwrap().get(id).unwrap().standing, now());
    assert_eq!(stage(), None);
    for number in 1..3 {
        let due = now() + minutes(10 * number);
        let Some(Event::Fired(fire)) = scheduler.tick(due, true).into_iter().next() else {
            panic!("it is due")
        };
        assert!(store.update(|jobs| jobs.claim(&fire, due)).unwrap());
        assert!(!store.update(|jobs| jobs.claim(&fire, due)).unwrap(), "nothing is claimed twice");
        assert_eq!(stage(), Some(Stage::Claimed));
        assert_eq!(store.read().unwrap().open_fires().count(), 1);
        assert!(store.update(|jobs| jobs.started(id, fire.number, due)).unwrap());
        assert_eq!(stage(), Some(Stage::Started));
        assert!(store.update(|jobs| jobs.finished(id, fire.number, due)).unwrap());
        assert_eq!(stage(), Some(Stage::Finished));
        assert_eq!(store.read().unwrap().open_fires().count(), 0);
        scheduler.finished(id);
    }
}
