//! A year of fifty jobs on a virtual clock.

use std::{collections::BTreeMap, sync::Arc};

use jiff::{SignedDuration, Timestamp};
use loop_schedule::{
    Delivery, DeliveryContext, Fire, Horizon, Job, JobId, JobState, Runner, ScheduleSettings, Scheduler,
    SchedulerEvent, async_trait,
};
use tokio::time::{Duration, sleep};
use tokio_util::sync::CancellationToken;

use crate::{cron, start, virtual_clock};

const YEAR: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Returns fifty typical jobs: most fire daily or weekly, some hourly.
fn fifty() -> Vec<Job> {
    let job = |at: u32| {
        let (minute, hour) = (at * 7 % 60, at % 24);
        let expression = match at % 10 {
            0 => format!("{minute} * * * *"),
            1..6 => format!("{minute} {hour} * * *"),
            6..9 => format!("{minute} {hour} * * {}", at % 7),
            _ => format!("{minute} {hour} 1 * *"),
        };
        let mut job = cron(at << 26 | at, &expression);
        job.jitter = true;
        job
    };
    (0..50).map(job).collect()
}

fn settings() -> ScheduleSettings {
    ScheduleSettings::classic().with_expiry(std::time::Duration::ZERO).with_max_running(50)
}

/// Returns how often each job fires in the year, computed from the calendar alone. Here, jitter moves no fire past the
/// end of the year.
fn expected(jobs: &[Job]) -> BTreeMap<JobId, u64> {
    let end = start() + YEAR;
    let count = |job: &Job| {
        let slots =
            std::iter::successors(job.trigger.next_after(start()), |slot| job.trigger.next_after(*slot));
        slots.take_while(|slot| *slot <= end).count() as u64
    };
    jobs.iter().map(|job| (job.id, count(job))).collect()
}

struct InstantDelivery;

#[async_trait]
impl Delivery for InstantDelivery {
    async fn deliver(&self, _fire: Fire, work: DeliveryContext) {
        assert!(work.started().await.unwrap());
    }
}

#[tokio::test(start_paused = true)]
async fn the_runner_misses_nothing_in_a_year() {
    let (jobs, store) = (fifty(), loop_schedule::MemoryStore::new());
    for job in &jobs {
        let add = |jobs: &mut loop_schedule::Jobs| jobs.add(job.clone(), &settings(), Horizon::Far, start());
        store.update(add).unwrap();
    }
    let end = CancellationToken::new();
    let runner = Runner::new(store.clone(), InstantDelivery, virtual_clock()).with_settings(settings());
    let task = tokio::spawn(runner.run(end.clone()));
    sleep(Duration::from_secs(YEAR.as_secs().unsigned_abs() + 3_600)).await;
    end.cancel();
    task.await.unwrap().unwrap();
    for (id, expected) in expected(&jobs) {
        let fires = store.read().get(id).unwrap().state.fires;
        // The hour after the end of the year allows for jitter.
        assert!((expected..expected + 2).contains(&fires), "{id}: {fires} of {expected}");
    }
}

/// Runs the scheduler alone, from one due instant to the next.
#[test]
fn the_scheduler_fires_each_slot_of_a_year_once() {
    let jobs = fifty();
    let mut scheduler = Scheduler::new(settings());
    for job in &jobs {
        scheduler.set(job.clone(), &JobState::new(start()), start());
    }
    let mut fires: BTreeMap<JobId, u64> = BTreeMap::new();
    let mut last: BTreeMap<JobId, Timestamp> = BTreeMap::new();
    let end = start() + YEAR;
    let mut now = start();
    scheduler.tick(now, true);
    while let Some(due) = scheduler.next_wake().filter(|due| *due <= end + SignedDuration::from_hours(1)) {
        // Awake every minute, like a runner.
        now = due.min(now + SignedDuration::from_mins(1));
        for event in scheduler.tick(now, true) {
            let SchedulerEvent::Fired(fire) = event else { panic!("nothing but fires: {event:?}") };
            let slots = fire.slots.unwrap();
            assert_eq!(slots.count, 1);
            assert!(last.insert(fire.job.id, slots.last).is_none_or(|before| before < slots.first));
            *fires.entry(fire.job.id).or_default() += u64::from(slots.last <= end);
            scheduler.finished(Arc::as_ref(&fire.job).id);
        }
    }
    assert_eq!(fires, expected(&jobs));
}
