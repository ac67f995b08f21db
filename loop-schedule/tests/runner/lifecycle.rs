//! The life of a runner from start to end.

use std::sync::atomic::Ordering;

use jiff::SignedDuration;
use loop_schedule::{
    CatchUp, FireStage, JobId, Overlap, RunnerNotice, ScheduleSettings, SchedulerEvent, Trigger,
};
use tokio::time::{Duration, sleep};

use crate::{TestRunner, cron, start, store_with, virtual_clock};

#[tokio::test(start_paused = true)]
async fn a_job_fires_in_its_minute() {
    let store = store_with([cron(1, "*/10 * * * *")]);
    let clock = virtual_clock();
    let mut runner = TestRunner::new(store.clone(), ScheduleSettings::classic(), virtual_clock(), 9);
    for number in 1..4 {
        let fire = runner.fire().await;
        assert_eq!(fire.number, number);
        let late = clock().duration_since(fire.slots.unwrap().last);
        assert!(late >= SignedDuration::ZERO && late < SignedDuration::from_secs(1), "{late:?}");
    }
    runner.end().await;
    let jobs = store.read();
    let fire = jobs.records()[0].state.last_fire.as_ref().unwrap();
    assert_eq!((fire.number, fire.stage()), (3, FireStage::Finished));
}

#[tokio::test(start_paused = true)]
async fn nothing_fires_in_the_middle_of_a_turn() {
    let store = store_with([cron(1, "*/10 * * * *")]);
    let mut runner = TestRunner::new(store, ScheduleSettings::classic(), virtual_clock(), 9);
    runner.delivery.is_busy.store(true, Ordering::Relaxed);
    sleep(Duration::from_mins(35)).await;
    let is_overdue =
        |notice: &RunnerNotice| matches!(notice, RunnerNotice::Event(SchedulerEvent::Overdue { .. }));
    runner.notice(is_overdue).await;
    assert!(runner.heard.is_empty(), "it is told once");
    runner.delivery.is_busy.store(false, Ordering::Relaxed);
    runner.handle.wake();
    let fire = runner.fire().await;
    assert_eq!(fire.slots.map(|slots| slots.count), Some(3));
    runner.end().await;
}

#[tokio::test(start_paused = true)]
async fn jobs_come_and_go_while_it_runs() {
    let store = store_with([]);
    let mut runner = TestRunner::new(store.clone(), ScheduleSettings::classic(), virtual_clock(), 9);
    sleep(Duration::from_secs(90)).await;
    let now = start() + SignedDuration::from_secs(90);
    let job = cron(1, "*/5 * * * *");
    store
        .update(|jobs| jobs.add(job, &ScheduleSettings::classic(), loop_schedule::Horizon::Year, now))
        .unwrap();
    assert_eq!(runner.fire().await.number, 1);

    runner.delivery.is_busy.store(true, Ordering::Relaxed);
    sleep(Duration::from_mins(7)).await;
    store.update(|jobs| jobs.remove(JobId::from_bits(1)));
    runner.delivery.is_busy.store(false, Ordering::Relaxed);
    runner.handle.wake();
    sleep(Duration::from_mins(30)).await;
    while let Ok(heard) = runner.heard.try_recv() {
        assert!(!matches!(heard, crate::TestEvent::Fire(_)), "a job that is deleted never fires");
    }
    runner.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_wish_is_a_fire_beside_the_slots() {
    let store = store_with([cron(1, "0 0 1 * *")]);
    let mut runner = TestRunner::new(store.clone(), ScheduleSettings::classic(), virtual_clock(), 9);
    assert!(store.update(|jobs| jobs.request_fire(JobId::from_bits(1))));
    assert_eq!(runner.fire().await.slots, None);
    runner.run_end().await;
    runner.end().await;
    assert!(!store.read().records()[0].state.is_wanted);
}

#[tokio::test(start_paused = true)]
async fn a_job_that_still_runs_does_as_it_says() {
    for (overlap, cancelled) in [(Overlap::Cancel, true), (Overlap::QueueOne, false), (Overlap::Skip, false)]
    {
        let store = store_with([cron(1, "*/10 * * * *").overlap(overlap)]);
        let mut runner = TestRunner::new(store, ScheduleSettings::classic(), virtual_clock(), 0);
        runner.fire().await;
        sleep(Duration::from_mins(25)).await;
        runner.delivery.ends.add_permits(usize::from(!cancelled));
        assert_eq!(runner.run_end().await, cancelled, "{overlap:?}");
        let next = runner.fire().await;
        let first_minute = next.slots.unwrap().first.duration_since(start()).as_mins();
        assert_eq!(first_minute, if overlap == Overlap::Skip { 40 } else { 20 }, "{overlap:?}");
        runner.end().await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_switch_stops_everything_in_mid_run() {
    let store = store_with([cron(1, "*/10 * * * *").catch_up(CatchUp::None)]);
    let mut runner = TestRunner::new(store, ScheduleSettings::classic(), virtual_clock(), 0);
    runner.fire().await;
    runner.switch.set(false);
    assert!(runner.run_end().await, "the run is cancelled");
    sleep(Duration::from_mins(60)).await;
    runner.switch.set(true);
    runner.delivery.ends.add_permits(1);
    let next = runner.fire().await;
    assert!(next.slots.unwrap().first.duration_since(start()).as_mins() >= 70);
    runner.end().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_one_shot_missed_is_asked_about() {
    let store = store_with([1, 2].map(|bits| {
        let mut job = cron(bits, "* * * * *");
        job.trigger = Trigger::At { time: start() + SignedDuration::from_mins(10) };
        job.catch_up(CatchUp::Ask)
    }));
    sleep(Duration::from_hours(1)).await;
    let begun = tokio::time::Instant::now();
    let clock = move || start() + SignedDuration::from_hours(1) + begun.elapsed();
    let mut runner = TestRunner::new(store.clone(), ScheduleSettings::classic(), clock, 9);
    for _ in 0..2 {
        runner.notice(|notice| matches!(notice, RunnerNotice::Event(SchedulerEvent::Asked { .. }))).await;
    }
    runner.handle.answer(JobId::from_bits(1), false);
    runner.handle.answer(JobId::from_bits(2), true);
    let fire = runner.fire().await;
    assert_eq!(fire.job.id, JobId::from_bits(2));
    assert!(fire.is_last && fire.is_catch_up);
    runner.end().await;
    assert_eq!(store.read().records(), []);
}

#[tokio::test(start_paused = true)]
async fn what_a_person_declines_is_not_asked_again() {
    let store = store_with([cron(1, "*/10 * * * *").catch_up(CatchUp::Ask)]);
    let later = || {
        let begun = tokio::time::Instant::now();
        move || start() + SignedDuration::from_mins(65) + begun.elapsed()
    };
    let is_question =
        |notice: &RunnerNotice| matches!(notice, RunnerNotice::Event(SchedulerEvent::Asked { .. }));
    let mut runner = TestRunner::new(store.clone(), ScheduleSettings::classic(), later(), 9);
    runner.notice(is_question).await;
    runner.handle.answer(JobId::from_bits(1), false);
    runner.notice(|notice| matches!(notice, RunnerNotice::Event(SchedulerEvent::Missed { .. }))).await;
    runner.end().await;
    let mut next = TestRunner::new(store, ScheduleSettings::classic(), later(), 9);
    let first = next.fire().await.slots.unwrap().first;
    assert!(first >= start() + SignedDuration::from_hours(1));
    next.end().await;
}

#[tokio::test(start_paused = true)]
async fn once_is_what_is_due_now() {
    let store = store_with([cron(1, "*/10 * * * *"), cron(2, "*/20 * * * *"), cron(3, "0 0 * * *")]);
    let clock = || start() + SignedDuration::from_mins(45);
    let (tell, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let ends = std::sync::Arc::new(tokio::sync::Semaphore::new(9));
    let delivery =
        crate::TestDelivery { heard: tell, is_busy: Default::default(), ends, panics: Default::default() };
    let mut settings = ScheduleSettings::classic();
    settings.stagger = Duration::ZERO;
    let runner = loop_schedule::Runner::new(store, delivery, clock).with_settings(settings);
    assert!(runner.run_once(Default::default()).await.unwrap());
    let mut fired = Vec::new();
    while let Some(heard) = heard.recv().await {
        if let crate::TestEvent::Fire(fire) = heard {
            fired.push((fire.job.id.to_bits(), fire.slots.unwrap().count));
        }
    }
    assert_eq!(fired, [(1, 4), (2, 2)]);
}

#[tokio::test(start_paused = true)]
async fn a_delivery_that_panics_holds_up_nobody() {
    let store = store_with([cron(1, "*/10 * * * *")]);
    let mut runner = TestRunner::new(store.clone(), ScheduleSettings::classic(), virtual_clock(), 9);
    runner.delivery.panics.store(true, Ordering::Relaxed);
    runner.fire().await;
    runner.notice(|notice| matches!(notice, RunnerNotice::Panicked { .. })).await;
    let stage = || store.read().records()[0].state.last_fire.as_ref().unwrap().stage();
    assert_eq!(stage(), FireStage::Interrupted);
    runner.delivery.panics.store(false, Ordering::Relaxed);
    assert_eq!(runner.fire().await.number, 2);
    runner.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_dropped_runner_leaves_what_the_next_one_reports() {
    let store = store_with([cron(1, "*/10 * * * *")]);
    let mut runner = TestRunner::new(store.clone(), ScheduleSettings::classic(), virtual_clock(), 0);
    runner.fire().await;
    runner.task.abort();
    let mut next = TestRunner::new(store.clone(), ScheduleSettings::classic(), virtual_clock(), 9);
    let unfinished = next.notice(|notice| matches!(notice, RunnerNotice::Unfinished { .. })).await;
    let RunnerNotice::Unfinished { fire, .. } = unfinished else { panic!("it is") };
    assert_eq!(fire.stage(), FireStage::Started);
    assert_eq!(next.fire().await.number, 2);
    next.end().await;
}
