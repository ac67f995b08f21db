//! Several runners of one store on disk.

use jiff::{SignedDuration, Timestamp};
use loop_schedule::{FileStore, FireStage, Horizon, JobId, Jobs, RunnerNotice, ScheduleSettings};

use crate::{TestRunner, cron};

pub(crate) fn store() -> (tempfile::TempDir, FileStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = FileStore::at(folder.path().join("project"));
    let now = Timestamp::now();
    // It is never due by itself, because the test takes less than half a year.
    let far = now + SignedDuration::from_hours(183 * 24);
    let month = far.to_zoned(jiff::tz::TimeZone::UTC).month();
    let job = cron(1, &format!("0 0 1 {month} *"));
    let add = |jobs: &mut Jobs| jobs.add(job, &ScheduleSettings::classic(), Horizon::Year, now);
    store.update(add).unwrap().report(drop).unwrap();
    (folder, store)
}

pub(crate) fn run(store: &FileStore, ends: usize) -> TestRunner {
    TestRunner::new(store.clone(), ScheduleSettings::classic(), Timestamp::now, ends)
}

pub(crate) fn request_fire(store: &FileStore) {
    assert!(store.update(|jobs| jobs.request_fire(JobId::from_bits(1))).unwrap().report(drop));
}

#[tokio::test]
async fn changes_of_other_processes_wake_it() {
    let (_folder, store) = store();
    let mut runner = run(&store, 9);
    for number in 1..3 {
        request_fire(&store);
        assert_eq!(runner.fire().await.number, number);
        runner.run_end().await;
    }
    runner.end().await;
    let jobs = store.read().unwrap().report(drop);
    assert_eq!(jobs.records()[0].state.last_fire.as_ref().unwrap().stage(), FireStage::Finished);
    let checked = store.last_check().unwrap().unwrap();
    assert!(Timestamp::now().duration_since(checked).as_secs() < 60, "{checked} was a moment ago");
}

#[tokio::test]
async fn one_of_two_fires_and_the_other_takes_over() {
    let (_folder, store) = store();
    let mut first = run(&store, 9);
    first.notice(|notice| matches!(notice, RunnerNotice::Firing)).await;
    let mut second = run(&store, 9);
    request_fire(&store);
    assert_eq!(first.fire().await.number, 1);
    first.run_end().await;
    first.end().await;
    second.notice(|notice| matches!(notice, RunnerNotice::Firing)).await;
    request_fire(&store);
    assert_eq!(second.fire().await.number, 2);
    second.end().await;
}

#[tokio::test]
async fn waiting_for_the_firing_lock_can_be_cancelled() {
    let (_folder, store) = store();
    let lock = store.try_lock_firing().unwrap();
    assert!(lock.is_some());
    run(&store, 9).end().await;
    drop(lock);
    let mut next = run(&store, 9);
    next.notice(|notice| matches!(notice, RunnerNotice::Firing)).await;
    next.end().await;
}
