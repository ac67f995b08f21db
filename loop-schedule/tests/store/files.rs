//! The file loses no data, and nothing is read through a link.

use std::fs;

use loop_schedule::{
    FileStore, FireRecord, FireStage, Horizon, JobError, JobId, Jobs, ScheduleSettings, StoreError,
    StoreWarning,
};
use serde_json::{Value, json};

use crate::{job, minutes, now};

fn store() -> (tempfile::TempDir, FileStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = FileStore::at(folder.path().join("project-1"));
    (folder, store)
}

fn add(store: &FileStore, bits: u32) -> Result<(), JobError> {
    store
        .update(|jobs| jobs.add(job(bits), &ScheduleSettings::classic(), Horizon::Year, now()))
        .unwrap()
        .report(drop)
        .map(drop)
}

fn read(store: &FileStore) -> Jobs {
    store.read().unwrap().report(drop)
}

fn file(store: &FileStore) -> Value {
    serde_json::from_slice(&fs::read(store.folder().join("jobs.json")).unwrap()).unwrap()
}

#[test]
fn jobs_are_there_again() {
    let (_folder, store) = store();
    add(&store, 1).unwrap();
    add(&store, 2).unwrap();
    let jobs = read(&store);
    let kept: Vec<_> = jobs.records().iter().map(|record| record.job.clone()).collect();
    assert_eq!(kept, [job(1), job(2)]);
    store.read().unwrap().report(|warning| panic!("{warning}"));
}

#[test]
fn looking_leaves_no_traces() {
    let (_folder, store) = store();
    assert_eq!(read(&store).records(), []);
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

    let mut warnings = Vec::new();
    store.read().unwrap().report(|warning| warnings.push(warning));
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
fn a_damaged_file_is_refused_and_left_as_it_is() {
    let (_folder, store) = store();
    add(&store, 1).unwrap();
    let path = store.folder().join("jobs.json");
    for damaged in ["{\"v\":1,\"jobs\":[", "", "\n", "[]", "{\"v\":1}", "{\"v\":0,\"jobs\":[]}", "\u{0}\u{0}"]
    {
        fs::write(&path, damaged).unwrap();
        let error = store.read().map(|jobs| jobs.report(drop)).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
        let folder = store.folder().to_str().unwrap();
        for part in [path.to_str().unwrap(), "backup", &format!("mv '{folder}' '{folder}.damaged'")] {
            assert!(error.to_string().contains(part), "{error}");
        }
        assert!(matches!(store.update(|_| ()), Err(StoreError::Damaged { .. })));
        assert_eq!(fs::read_to_string(&path).unwrap(), damaged);
    }
}

#[test]
fn a_removed_file_is_not_an_empty_one() {
    let (_folder, store) = store();
    assert_eq!(read(&store).records().len(), 0);
    add(&store, 1).unwrap();
    let path = store.folder().join("jobs.json");
    fs::remove_file(&path).unwrap();
    let error = store.read().map(|jobs| jobs.report(drop)).unwrap_err();
    assert!(matches!(error, StoreError::Missing { .. }), "{error:?}");
    assert!(matches!(store.update(|_| ()), Err(StoreError::Missing { .. })));
    let lock = store.folder().join("jobs.lock");
    assert!(error.to_string().ends_with(&format!("rm '{}'", lock.display())), "{error}");
    fs::remove_file(lock).unwrap();
    assert_eq!(read(&store).records().len(), 0);
}

#[test]
fn the_jobs_of_another_project_are_refused() {
    let state = tempfile::tempdir().unwrap();
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let [store, copied] = [&one, &other].map(|it| FileStore::for_project(state.path(), it.path()).unwrap());
    add(&store, 1).unwrap();
    add(&copied, 2).unwrap();
    fs::copy(store.folder().join("jobs.json"), copied.folder().join("jobs.json")).unwrap();
    let error = copied.read().map(|jobs| jobs.report(drop)).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
    assert!(error.to_string().contains(one.path().to_str().unwrap()), "{error}");
}

#[test]
fn a_file_of_an_earlier_version_has_no_checksum_and_is_read() {
    let (_folder, store) = store();
    add(&store, 1).unwrap();
    let mut json = file(&store);
    let checksum = json.as_object_mut().unwrap().remove("crc").unwrap();
    let path = store.folder().join("jobs.json");
    fs::write(&path, json.to_string()).unwrap();
    assert_eq!(read(&store).records().len(), 1);
    // An earlier version sorts the key among the others, with the checksum from before.
    json["crc"] = checksum;
    fs::write(&path, format!("{json:#}\n")).unwrap();
    assert_eq!(read(&store).records().len(), 1);
    add(&store, 2).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap().matches("crc").count(), 1);
}

/// After cutting the file anywhere or flipping a bit of any byte, it is refused, or its jobs are unchanged.
#[test]
fn damage_is_found_wherever_it_is() {
    let (_folder, store) = store();
    (1..4).for_each(|bits| add(&store, bits).unwrap());
    let path = store.folder().join("jobs.json");
    let (whole, jobs) = (fs::read(&path).unwrap(), read(&store));
    let check = |damaged: &[u8], what: &str| {
        fs::write(&path, damaged).unwrap();
        match store.read() {
            Ok(read) => assert_eq!(read.report(|_| ()).records(), jobs.records(), "{what}"),
            Err(StoreError::Damaged { .. } | StoreError::Newer { .. }) => {}
            Err(error) => panic!("{what}: {error:?}"),
        }
    };
    (0..whole.len()).for_each(|length| check(&whole[..length], &format!("cut at {length}")));
    for bit in (0..whole.len() * 8).step_by(7) {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        check(&flipped, &format!("bit {bit}"));
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
            "firing.lock" => store.try_lock_firing().map(drop),
            _ => {
                let add = |jobs: &mut Jobs| {
                    drop(jobs.add(job(1), &ScheduleSettings::classic(), Horizon::Year, now()));
                };
                store.update(add).map(|added| added.report(drop))
            }
        };
        assert!(matches!(refused, Err(StoreError::NotPlain { .. })), "{name}: {refused:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    symlink(elsewhere.path(), folder.path().join("linked")).unwrap();
    let store = FileStore::at(folder.path().join("linked"));
    assert!(matches!(store.read(), Err(StoreError::NotPlain { .. })));
    assert_eq!(fs::read_to_string(&target).unwrap(), r#"{"v":1,"jobs":[]}"#);
}

/// This also holds if the link is broken, or if it is the folder of all schedules. Nothing is created behind it.
#[cfg(unix)]
#[test]
fn a_linked_folder_is_refused() {
    use std::os::unix::fs::symlink;
    let (state, elsewhere, project) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let schedules = state.path().join("schedule");
    let refused = |store: &FileStore, path: &std::path::Path| {
        let is_refused = |result: Result<(), StoreError>| matches!(result, Err(StoreError::NotPlain { path: named }) if named == path);
        assert!(is_refused(store.read().map(|jobs| drop(jobs.report(drop)))), "read");
        assert!(is_refused(store.update(|_| ()).map(|done| done.report(drop))), "update");
        assert!(is_refused(store.try_lock_firing().map(drop)), "firing");
        assert!(is_refused(store.is_firing().map(drop)), "is firing");
    };
    let store = FileStore::for_project(&schedules, project.path()).unwrap();
    for target in [elsewhere.path().to_owned(), elsewhere.path().join("nowhere")] {
        symlink(&target, &schedules).unwrap();
        refused(&store, &schedules);
        fs::remove_file(&schedules).unwrap();
        fs::create_dir(&schedules).unwrap();
        symlink(&target, store.folder()).unwrap();
        refused(&store, store.folder());
        fs::remove_dir_all(&schedules).unwrap();
    }
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

/// A path always has the same store, whatever part of the path is redacted.
#[test]
fn a_project_whose_path_holds_a_secret_is_found_again() {
    let state = tempfile::tempdir().unwrap();
    let project = state.path().join("hunter2-hunter2");
    fs::create_dir(&project).unwrap();
    let schedules = state.path().join("schedule");
    let show = |path: &str| path.replace("hunter2-hunter2", "[redacted]");
    let store = FileStore::for_project_shown(&schedules, &project, show).unwrap();
    add(&store, 1).unwrap();
    assert!(!store.folder().to_string_lossy().contains("hunter2"));
    assert!(!file(&store).to_string().contains("hunter2"));
    let shown = FileStore::for_project(&schedules, &project).unwrap();
    assert_eq!(shown.folder(), store.folder());
    assert_eq!(read(&shown).records().len(), 1);
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
    assert_eq!(read(&stores[1]).records(), []);
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
    assert_eq!(read(&store).records().len(), 32);
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
    assert!(store.update(|jobs| jobs.set_paused(id, true, now())).unwrap().report(drop));
    assert!(store.update(|jobs| jobs.set_paused(id, false, later)).unwrap().report(drop));
    assert_eq!(read(&store).get(id).unwrap().state.cursor, later);
    assert!(!store.update(|jobs| jobs.set_paused(JobId::from_bits(9), true, later)).unwrap().report(drop));
}

/// If a job is paused while its last fire is claimed, it is not over, and can continue later.
#[test]
fn a_job_whose_last_fire_could_not_be_claimed_stays() {
    use loop_schedule::{Scheduler, SchedulerEvent, Trigger};
    let (_folder, store) = store();
    let (id, due) = (JobId::from_bits(1), now() + minutes(10));
    let mut once = job(1);
    once.trigger = Trigger::At { time: due };
    store
        .update(|jobs| jobs.add(once.clone(), &ScheduleSettings::classic(), Horizon::Year, now()))
        .unwrap()
        .report(drop)
        .unwrap();
    let mut scheduler = Scheduler::new(ScheduleSettings::classic());
    scheduler.set(once, &read(&store).get(id).unwrap().state, now());
    let Some(SchedulerEvent::Fired(fire)) = scheduler.tick(due, true).into_iter().next() else {
        panic!("it is due")
    };
    store
        .update(|jobs| {
            assert!(jobs.set_paused(id, true, due));
            assert!(!jobs.claim(&fire, due) && !jobs.ended(id));
            jobs.set_paused(id, false, now());
            assert!(jobs.claim(&fire, due) && !jobs.ended(id), "its run has no end yet");
            assert!(jobs.finished(id, fire.number, due));
        })
        .unwrap()
        .report(drop);
    assert_eq!(read(&store).records(), []);
}

#[test]
fn each_stage_of_a_fire_is_kept() {
    use loop_schedule::{Scheduler, SchedulerEvent};
    let (_folder, store) = store();
    add(&store, 1).unwrap();
    let id = JobId::from_bits(1);
    let stage = || read(&store).get(id).unwrap().state.last_fire.as_ref().map(FireRecord::stage);
    let mut scheduler = Scheduler::new(ScheduleSettings::classic());
    scheduler.set(job(1), &read(&store).get(id).unwrap().state, now());
    assert_eq!(stage(), None);
    for number in 1..3 {
        let due = now() + minutes(10 * number);
        let Some(SchedulerEvent::Fired(fire)) = scheduler.tick(due, true).into_iter().next() else {
            panic!("it is due")
        };
        assert!(store.update(|jobs| jobs.claim(&fire, due)).unwrap().report(drop));
        assert!(
            !store.update(|jobs| jobs.claim(&fire, due)).unwrap().report(drop),
            "nothing is claimed twice"
        );
        assert_eq!(stage(), Some(FireStage::Claimed));
        assert_eq!(read(&store).open_fires().count(), 1);
        assert!(store.update(|jobs| jobs.started(id, fire.number, due)).unwrap().report(drop));
        assert_eq!(stage(), Some(FireStage::Started));
        assert!(store.update(|jobs| jobs.finished(id, fire.number, due)).unwrap().report(drop));
        assert_eq!(stage(), Some(FireStage::Finished));
        assert_eq!(read(&store).open_fires().count(), 0);
        scheduler.finished(id);
    }
}
