//! Runners of one store on the disk.

use jiff::{SignedDuration, Timestamp};
use loop_schedule::{FileStore, JobId, Jobs, Notice, Reach, Settings, Stage};

use crate::{Running, cron};

pub(crate) fn store() -> (tempfile::TempDir, FileStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = FileStore::at(folder.path().join("project"));
    let now = Timestamp::now();
    // It is never due by itself while the test runs, which is for less than half a year.
    let far = now + SignedDuration::from_hours(183 * 24);
    let month = far.to_zoned(jiff::tz::TimeZone::UTC).month();
    let job = cron(1, &format!("0 0 1 {month} *"));
    let add = |jobs: &mut Jobs| jobs.add(job, &Settings::classic(), Reach::Year, now);
    store.update(add).unwrap().report(drop).unwrap();
    (folder, store)
}

pub(crate) fn run(store: &FileStore, ends: usize) -> Running {
    Running::new(store.clone(), Settings::classic(), Timestamp::now, ends)
}

pub(crate) fn want(store: &FileStore) {
    assert!(store.update(|jobs| jobs.want(JobId::from_bits(1))).unwrap().report(drop));
}

#[tokio::test]
async fn changes_of_other_processes_wake_it() {
    let (_folder, store) = store();
    let mut running = run(&store, 9);
    for number in 1..3 {
        want(&store);
        assert_eq!(running.fire().await.number, number);
        running.run_end().await;
    }
    running.end().await;
    let jobs = store.read().unwrap().report(drop);
    assert_eq!(jobs.records()[0].standing.last_fire.as_ref().unwrap().stage(), Stage::Finished);
    let checked = store.last_check().unwrap().unwrap();
    assert!(Timestamp::now().duration_since(checked).as_secs() < 60, "{checked} was a moment ago");
}

#[tokio::test]
async fn one_of_two_fires_and_the_other_takes_over() {
    let (_folder, store) = store();
    let mut first = run(&store, 9);
    first.notice(|notice| matches!(notice, Notice::Firing)).await;
    let mut second = run(&store, 9);
    want(&store);
    assert_eq!(first.fire().await.number, 1);
    first.run_end().await;
    first.end().await;
    second.notice(|notice| matches!(notice, Notice::Firing)).await;
    want(&store);
    assert_eq!(second.fire().await.number, 2);
    second.end().await;
}

#[tokio::test]
async fn who_waits_for_the_right_can_be_cancelled() {
    let (_folder, store) = store();
    let right = store.try_firing().unwrap();
    assert!(right.is_some());
    run(&store, 9).end().await;
    drop(right);
    let mut next = run(&store, 9);
    next.notice(|notice| matches!(notice, Notice::Firing)).await;
    next.end().await;
}
