//! A year of fifty jobs on a virtual clock.

use std::{collections::BTreeMap, sync::Arc};

use jiff::{SignedDuration, Timestamp};
use loop_schedule::{
    Delivering, Delivery, Event, Fire, Job, JobId, Reach, Runner, Scheduler, Settings, Standing, async_trait,
};
use tokio::time::{Duration, sleep};
use tokio_util::sync::CancellationToken;

use crate::{cron, start, virtual_clock};

const YEAR: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Fifty jobs as people have them: most once a day or week, some each hour.
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

fn settings() -> Settings {
    Settings::classic().with_expiry(std::time::Duration::ZERO).with_max_running(50)
}

/// How often each job fires in the year, by the calendar alone. Jitter moves no fire over the year's end
/// here.
fn expected(jobs: &[Job]) -> BTreeMap<JobId, u64> {
    let end = start() + YEAR;
    let count = |job: &Job| {
        let slots = std::iter::successors(job.when.next_after(start()), |slot| job.when.next_after(*slot));
        slots.take_while(|slot| *slot <= end).count() as u64
    };
    jobs.iter().map(|job| (job.id, count(job))).collect()
}

struct Counted;

#[async_trait]
impl Delivery for Counted {
    async fn deliver(&self, _fire: Fire, work: Delivering) {
        assert!(work.started().await.unwrap());
    }
}

#[tokio::test(start_paused = true)]
async fn the_runner_misses_nothing_in_a_year() {
    let (jobs, store) = (fifty(), loop_schedule::MemoryStore::new());
    for job in &jobs {
        let add = |jobs: &mut loop_schedule::Jobs| jobs.add(job.clone(), &settings(), Reach::Far, start());
        store.update(add).unwrap();
    }
    let end = CancellationToken::new();
    let runner = Runner::new(store.clone(), Counted, virtual_clock()).with_settings(settings());
    let task = tokio::spawn(runner.run(end.clone()));
    sleep(Duration::from_secs(YEAR.as_secs().unsigned_abs() + 3_600)).await;
    end.cancel();
    task.await.unwrap().unwrap();
    for (id, expected) in expected(&jobs) {
        let fires = store.read().get(id).unwrap().standing.fires;
        // The hour after the year's end belongs to jitter.
        assert!((expected..expected + 2).contains(&fires), "{id}: {fires} of {expected}");
    }
}

/// The scheduler alone, from one instant at which something is due to the next.
#[test]
fn the_scheduler_fires_each_slot_of_a_year_once() {
    let jobs = fifty();
    let mut scheduler = Scheduler::new(settings());
    for job in &jobs {
        scheduler.set(job.clone(), &Standing::new(start()), start());
    }
    let mut fires: BTreeMap<JobId, u64> = BTreeMap::new();
    let mut last: BTreeMap<JobId, Timestamp> = BTreeMap::new();
    let end = start() + YEAR;
    let mut now = start();
    scheduler.tick(now, true);
    while let Some(due) = scheduler.next_wake().filter(|due| *due <= end + SignedDuration::from_hours(1)) {
        // Awake in each minute, as a runner is.
        now = due.min(now + SignedDuration::from_mins(1));
        for event in scheduler.tick(now, true) {
            let Event::Fired(fire) = event else { panic!("nothing but fires: {event:?}") };
            let slots = fire.slots.unwrap();
            assert_eq!(slots.count, 1);
            assert!(last.insert(fire.job.id, slots.last).is_none_or(|before| before < slots.first));
            *fires.entry(fire.job.id).or_default() += u64::from(slots.last <= end);
            scheduler.finished(Arc::as_ref(&fire.job).id);
        }
    }
    assert_eq!(fires, expected(&jobs));
}
