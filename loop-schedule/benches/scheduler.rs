//! What the scheduler costs with few jobs and with many, each time as a ratio within the same run.
//!
//! Run it by `cargo bench -p loop-schedule`.

use std::{
    hint::black_box,
    io::{self, Write},
    time::{Duration, Instant},
};

use jiff::{SignedDuration, Timestamp};
use loop_schedule::{Event, Every, Job, JobId, Scheduler, Settings, Standing, When};

const FEW: u32 = 10;
const MANY: u32 = 100_000;
const TURNS: usize = 9;

fn main() -> io::Result<()> {
    let start = Timestamp::UNIX_EPOCH;
    let (mut few, mut many) = (scheduler(FEW, start), scheduler(MANY, start));
    let mut out = io::stdout();

    let (idle_few, idle_many) = in_turn(|| quiet_ticks(&mut few, start), || quiet_ticks(&mut many, start));
    row(&mut out, "a tick with nothing due: 100,000 jobs / 10 jobs", idle_many, idle_few)?;

    let jobs: Vec<Job> = (0..MANY).map(|at| job(at, start)).collect();
    let (tick, scan) = in_turn(|| quiet_ticks(&mut many, start), || scans(&jobs, start));
    row(&mut out, "nothing due among 100,000: scanning all jobs / a tick", scan, tick)?;

    let (fire_few, fire_many) = in_turn(|| fires(FEW, start), || fires(MANY, start));
    row(&mut out, "a fire: 100,000 jobs / 10 jobs", fire_many, fire_few)?;

    let (add_few, add_many) = in_turn(|| adds(&mut few, start), || adds(&mut many, start));
    row(&mut out, "adding a job and removing it: to 100,000 jobs / to 10 jobs", add_many, add_few)
}

/// A job with an odd period of about a day, so that due times are spread.
fn job(at: u32, start: Timestamp) -> Job {
    let period = Duration::from_secs(86_400 + u64::from(at % 3_600));
    let every = Every::new(period, start).unwrap_or_else(|error| unreachable!("a day is a period: {error}"));
    Job::new(JobId::from_bits(at.wrapping_mul(2_654_435_761)), When::Every(every), "x", start)
}

fn scheduler(jobs: u32, start: Timestamp) -> Scheduler {
    let settings = Settings::classic().with_expiry(Duration::ZERO);
    let mut scheduler = Scheduler::new(settings);
    let standing = Standing::new(start);
    (0..jobs).for_each(|at| scheduler.set(job(at, start), &standing, start));
    scheduler.tick(start, true);
    scheduler
}

/// Per tick, in nanoseconds. The clock goes on from turn to turn, and never comes to the first job.
fn quiet_ticks(scheduler: &mut Scheduler, start: Timestamp) -> f64 {
    const TICKS: u32 = 80_000;
    let mut now = scheduler.last_tick().unwrap_or(start);
    per(f64::from(TICKS), || {
        for _ in 0..TICKS {
            now += SignedDuration::from_millis(1);
            black_box(scheduler.tick(now, true));
        }
    })
}

/// Per look at all jobs, as one does who keeps no order: is it due this second?
fn scans(jobs: &[Job], start: Timestamp) -> f64 {
    const LOOKS: i32 = 20;
    per(f64::from(LOOKS), || {
        for second in 0..LOOKS {
            let now = start + SignedDuration::from_secs(second.into());
            let is_due = |job: &&Job| job.when.next_after(now - SignedDuration::from_secs(1)) <= Some(now);
            black_box(jobs.iter().filter(is_due).count());
        }
    })
}

/// Per fire, ticks and what follows on a fire included.
fn fires(jobs: u32, start: Timestamp) -> f64 {
    const FIRES: u32 = 5_000;
    let mut scheduler = scheduler(jobs, start);
    let mut fired = 0;
    per(f64::from(FIRES), || {
        while fired < FIRES {
            let Some(due) = scheduler.next_wake() else { break };
            // Awake all the time, so that nothing counts as missed.
            scheduler.tick(due - SignedDuration::from_secs(1), true);
            let mut events = scheduler.tick(due, true);
            while let Some(Event::Fired(fire)) = events.pop() {
                fired += 1;
                scheduler.finished(fire.job.id);
                events.extend(scheduler.tick(due, true));
            }
        }
    })
}

/// Per job that comes and goes.
fn adds(scheduler: &mut Scheduler, start: Timestamp) -> f64 {
    const ADDED: u32 = 5_000;
    let standing = Standing::new(start);
    let new = (0..ADDED).map(|at| job(MANY + at, start)).collect::<Vec<_>>();
    per(f64::from(ADDED), || {
        for job in new {
            let id = job.id;
            scheduler.set(job, &standing, start);
            black_box(scheduler.remove(id));
        }
    })
}

fn per(count: f64, work: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    work();
    begun.elapsed().as_secs_f64() * 1e9 / count
}

/// The medians of two things that are measured in turn, so that a slow moment hits both.
fn in_turn(mut first: impl FnMut() -> f64, mut second: impl FnMut() -> f64) -> (f64, f64) {
    let (mut firsts, mut seconds): (Vec<_>, Vec<_>) = (0..TURNS).map(|_| (first(), second())).unzip();
    firsts.sort_by(f64::total_cmp);
    seconds.sort_by(f64::total_cmp);
    (firsts[TURNS / 2], seconds[TURNS / 2])
}

fn row(out: &mut impl Write, what: &str, one: f64, other: f64) -> io::Result<()> {
    writeln!(out, "{what:<60} {:>10.2}  ({one:.0} ns / {other:.0} ns)", one / other)
}
