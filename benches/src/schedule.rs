//! Measures the cost of the scheduler with few jobs and with a million, and while nothing is due.

use std::{
    fs,
    hint::black_box,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use jiff::{SignedDuration, Timestamp};
use loop_schedule::{
    ExactPeriod, FileStore, Horizon, Job, JobId, JobState, ScheduleSettings, Scheduler, SchedulerEvent,
    Trigger,
};

use crate::{
    command::{loop_binary, timed},
    pairs::{Pairs, in_turn},
    stopwatch::Stopwatch,
    supervision::{calls_within, time},
    table::{Growth, Row, Table},
};

const FEW: u32 = 10;
const SIZES: [u32; 6] = [10, 100, 1_000, 10_000, 100_000, 1_000_000];
const SCANNED: u32 = 100_000;
/// The jobs of a folder to which a command adds one.
const STORED: u32 = 10_000;
const ADD: &str = "loop schedule add: a job to 10000 / reading their file";
const IDLE: &str = "loop schedule run: system calls in 4 s without a fire / 10";

/// Runs the measurements.
///
/// # Errors
/// If a job cannot be created, or `loop schedule` exits in an unexpected way.
pub fn measure(table: &mut Table) -> Result<()> {
    let start = Timestamp::UNIX_EPOCH;
    let mut tick = Growth::new("a tick with nothing due / with 10 jobs", "jobs").at_most(2.0);
    let mut fire = Growth::new("a fire / with 10 jobs", "jobs").at_most(10.0);
    let mut add = Growth::new("adding and removing a job / with 10 jobs", "jobs").at_most(10.0);
    for size in SIZES {
        let (mut few, mut many) = (scheduler(FEW, start)?, scheduler(size, start)?);
        let ticks = in_turn(|| quiet_ticks(&mut many, start), || quiet_ticks(&mut few, start))?;
        tick.point(size.to_string(), ticks.ratio);
        let adds = in_turn(|| adds(&mut many, size, start), || adds(&mut few, size, start))?;
        add.point(size.to_string(), adds.ratio);
        // With a million jobs, creating them would take most of the time.
        if size <= SCANNED {
            fire.point(size.to_string(), in_turn(|| fires(size, start), || fires(FEW, start))?.ratio);
        }
    }
    [tick, fire, add].into_iter().for_each(|growth| table.grow(growth));

    let jobs = (0..SCANNED).map(|at| job(at, start)).collect::<Result<Vec<Job>>>()?;
    let mut many = scheduler(SCANNED, start)?;
    let scanned = in_turn(|| quiet_ticks(&mut many, start), || Ok(scans(&jobs, start)))?;
    let row = Row::new("a tick among 100000 jobs / looking at each of them", scanned.ratio).at_most(0.01);
    table.add(row.note(format!("{:.0} ns", scanned.first.median * 1e9)));
    table.add(match added()? {
        Some(pairs) => {
            Row::new(ADD, pairs.ratio).at_most(3.0).note(format!("{:.0} ms", pairs.first.median * 1e3))
        }
        None => Row::skipped(ADD, "loop cannot be built"),
    });
    table.add(match idle()? {
        Some(count) => {
            Row::single(IDLE, count as f64 / 10.0).at_most(1.0).note(format!("{count}, by strace"))
        }
        None => Row::skipped(IDLE, "strace cannot be run"),
    });
    Ok(())
}

/// Creates a job with an odd period of about a day, so that the due times are spread.
fn job(at: u32, start: Timestamp) -> Result<Job> {
    let period = Duration::from_secs(86_400 + u64::from(at % 3_600));
    let every = ExactPeriod::new(period, start)?;
    Ok(Job::new(JobId::from_bits(at.wrapping_mul(2_654_435_761)), Trigger::Every(every), "x", start))
}

fn scheduler(jobs: u32, start: Timestamp) -> Result<Scheduler> {
    let settings = ScheduleSettings::classic().with_expiry(Duration::ZERO);
    let mut scheduler = Scheduler::new(settings);
    let standing = JobState::new(start);
    for at in 0..jobs {
        scheduler.set(job(at, start)?, &standing, start);
    }
    scheduler.tick(start, true);
    Ok(scheduler)
}

/// Times a tick. The clock advances from turn to turn, and never reaches the first job.
fn quiet_ticks(scheduler: &mut Scheduler, start: Timestamp) -> Result<Duration> {
    const TICKS: u32 = 80_000;
    let mut now = scheduler.last_tick().unwrap_or(start);
    let begun = Stopwatch::start();
    for _ in 0..TICKS {
        now += SignedDuration::from_millis(1);
        ensure!(black_box(scheduler.tick(now, true)).is_empty(), "something was due");
    }
    Ok(begun.elapsed() / TICKS)
}

/// Times a check of all jobs, one by one, as a scheduler without an order has to: is it due this second?
fn scans(jobs: &[Job], start: Timestamp) -> Duration {
    const LOOKS: u32 = 20;
    let begun = Stopwatch::start();
    for second in 0..LOOKS {
        let now = start + SignedDuration::from_secs(second.into());
        let is_due = |job: &&Job| job.trigger.next_after(now - SignedDuration::from_secs(1)) <= Some(now);
        black_box(jobs.iter().filter(is_due).count());
    }
    begun.elapsed() / LOOKS
}

/// Times a fire, including its ticks and its completion.
fn fires(jobs: u32, start: Timestamp) -> Result<Duration> {
    const FIRES: u32 = 5_000;
    let mut scheduler = scheduler(jobs, start)?;
    let mut fired = 0;
    let begun = Stopwatch::start();
    while fired < FIRES {
        let due = scheduler.next_wake().context("no job is left")?;
        // The scheduler is always awake, so that no slot counts as missed.
        scheduler.tick(due - SignedDuration::from_secs(1), true);
        let mut events = scheduler.tick(due, true);
        while let Some(SchedulerEvent::Fired(fire)) = events.pop() {
            fired += 1;
            scheduler.finished(fire.job.id);
            events.extend(scheduler.tick(due, true));
        }
    }
    Ok(begun.elapsed() / fired)
}

/// Times adding and removing a job, whose number is after all others.
fn adds(scheduler: &mut Scheduler, from: u32, start: Timestamp) -> Result<Duration> {
    const ADDED: u32 = 5_000;
    let standing = JobState::new(start);
    let new = (0..ADDED).map(|at| job(from + at, start)).collect::<Result<Vec<_>>>()?;
    let begun = Stopwatch::start();
    for job in new {
        let id = job.id;
        scheduler.set(job, &standing, start);
        black_box(scheduler.remove(id));
    }
    Ok(begun.elapsed() / ADDED)
}

/// Measures `loop schedule add`, whose whole process counts, and parsing the file that it reads.
fn added() -> Result<Option<Pairs>> {
    let Ok(binary) = loop_binary() else { return Ok(None) };
    let folder = tempfile::tempdir()?;
    let (project, state) = (folder.path().join("project"), folder.path().join("state"));
    fs::create_dir(&project)?;
    let store = FileStore::for_project(state.join("schedule"), &project)?;
    let (start, settings) =
        (Timestamp::now(), ScheduleSettings::default().with_max_jobs(2 * STORED as usize));
    store
        .update(|jobs| {
            let add = |at| anyhow::Ok(jobs.add(job(at, start)?, &settings, Horizon::Year, start)?);
            (0..STORED).map(add).collect::<Result<Vec<_>>>()
        })?
        .report(drop)?;
    let own_settings = folder.path().join("own.toml");
    fs::write(&own_settings, format!("[schedule]\nmax_jobs = {}\n", 2 * STORED))?;
    let mut command = Command::new(binary);
    command.args(["schedule", "add", "3h wait", "--agent", "true"]).current_dir(&project);
    command.env("LOOP_HOME", &state).env("LOOP_CONFIG", own_settings);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let parse = || {
        let begun = Instant::now();
        black_box(serde_json::from_slice::<serde_json::Value>(&fs::read(store.folder().join("jobs.json"))?)?);
        anyhow::Ok(begun.elapsed())
    };
    Ok(Some(in_turn(|| timed(&mut command, 0), parse)?))
}

/// Returns the number of system calls of `loop schedule run` while its only job is hours away; `None` without strace.
fn idle() -> Result<Option<usize>> {
    let folder = tempfile::tempdir()?;
    let binary = loop_binary()?;
    let within = |command: &mut Command| {
        command.current_dir(folder.path()).env("LOOP_HOME", folder.path().join("state"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()
    };
    let added = within(Command::new(&binary).args(["schedule", "add", "3h wait", "--agent", "true"]))?;
    ensure!(added.success(), "no job was added: {added}");
    let trace = folder.path().join("trace");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-ttt", "-o"]).arg(&trace).args(["timeout", "-s", "INT", "6"]).arg(&binary);
    if within(strace.args(["schedule", "run"])).is_err() {
        return Ok(None);
    }
    let trace = fs::read_to_string(&trace)?;
    let began = trace.lines().find_map(time).context("strace traced nothing")?;
    Ok(Some(calls_within(&trace, began + 1.5..began + 5.5)))
}
