//! The scheduler decides which prompt is due now.
//!
//! It is pure: the caller passes the time and whether a delivery is free, and it returns events. It reads no clock,
//! does not wait and writes nothing. So tests can cover all effects of clocks, sleep and restarts in a table, and
//! nothing depends on how often it is called.
//!
//! Each job has a cursor: an instant up to which all its slots are settled. It only moves forward, and that alone
//! guarantees that no slot fires twice. Jitter applies to slots and never to the cursor.

mod catch_up;
mod event;
mod fire_queue;
mod job_changes;
mod job_state;
mod scheduled_job;

use std::collections::{BTreeSet, HashMap};

use jiff::{SignedDuration, Timestamp};

pub use self::{
    event::{EndReason, Fire, SchedulerEvent, Slots},
    job_changes::JobStatus,
    job_state::{FireRecord, FireStage, JobState},
};
use self::{
    fire_queue::FireQueue,
    scheduled_job::{AskedSlots, PendingFire, ScheduledJob},
};
use crate::{JobId, Overlap, ScheduleSettings};

/// A clock may be set back by this much without a report.
const CLOCK_SLACK: SignedDuration = SignedDuration::from_mins(1);

/// All jobs, ordered by when they are due.
///
/// A tick with nothing due costs the same for any number of jobs. The cost of adding or firing a job is logarithmic in
/// that number.
///
/// ```
/// use loop_schedule::{SchedulerEvent, Job, JobId, Scheduler, ScheduleSettings, JobState, Trigger, Zone};
/// let start = "2026-03-02T08:00:00Z".parse()?;
/// let trigger = Trigger::Cron { expression: "*/10 * * * *".parse()?, zone: Zone::utc() };
/// let job = Job::new(JobId::from_bits(1), trigger, "look at the build", start).without_jitter();
///
/// let mut scheduler = Scheduler::new(ScheduleSettings::classic());
/// scheduler.set(job, &JobState::new(start), start);
/// assert_eq!(scheduler.next_wake(), Some("2026-03-02T08:10:00Z".parse()?));
///
/// // A long turn: nobody is free for 35 minutes, and asked every minute.
/// for minute in 0..35 {
///     let now = start + jiff::SignedDuration::from_mins(minute);
///     assert!(scheduler.tick(now, false).iter().all(|event| !matches!(event, SchedulerEvent::Fired(_))));
/// }
/// let events = scheduler.tick("2026-03-02T08:35:00Z".parse()?, true);
/// let [SchedulerEvent::Fired(fire)] = &events[..] else { panic!("it fires once") };
/// assert_eq!(fire.slots.map(|slots| slots.count), Some(3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Scheduler {
    settings: ScheduleSettings,
    entries: HashMap<JobId, ScheduledJob>,
    /// When each job is due next. A job that is over but has not been reported is due at the beginning of time.
    agenda: BTreeSet<(Timestamp, JobId)>,
    queue: FireQueue,
    last_tick: Option<Timestamp>,
    /// Until then, nothing changes unless a delivery becomes free.
    quiet_until: Option<Timestamp>,
}

impl Scheduler {
    /// Creates a scheduler without jobs.
    pub fn new(settings: ScheduleSettings) -> Self {
        Self {
            settings,
            entries: HashMap::new(),
            agenda: BTreeSet::new(),
            queue: FireQueue::default(),
            last_tick: None,
            quiet_until: None,
        }
    }

    /// Returns what to do now. `idle` says whether a delivery is free.
    ///
    /// Call this when [`next_wake`](Self::next_wake) has come, when a delivery becomes free, and at least once in
    /// [`ScheduleSettings::grace`]. After a longer silence, slots in the meantime count as missed.
    pub fn tick(&mut self, now: Timestamp, idle: bool) -> Vec<SchedulerEvent> {
        let mut events = Vec::new();
        let last = self.last_tick.replace(now);
        let back = last.map_or(SignedDuration::ZERO, |last| last.duration_since(now));
        if back > CLOCK_SLACK {
            events.push(SchedulerEvent::ClockWentBack { by: back });
            self.wait_from(now);
        }
        let most = self.settings.max_running;
        let delivers = idle && self.queue.has_startable(now, most);
        if !delivers && self.quiet_until.is_none_or(|until| now < until) {
            return events;
        }
        self.take_due(now, last, &mut events);
        if idle {
            while let Some(id) = self.queue.start(now, most) {
                self.fire(id, &mut events);
            }
        }
        let since = now.checked_sub(self.settings.overdue_after).unwrap_or(Timestamp::MIN);
        for (since, id) in self.queue.overdue(since) {
            let job = self.entries.get(&id).map(|entry| entry.job.clone());
            events.extend(job.map(|job| SchedulerEvent::Overdue { job, since }));
        }
        self.settle();
        events
    }

    /// Returns when to [tick](Self::tick) again, if nothing else happens. `None` if nothing will ever be due.
    pub fn next_wake(&self) -> Option<Timestamp> {
        self.quiet_until
    }

    fn take_due(&mut self, now: Timestamp, last: Option<Timestamp>, events: &mut Vec<SchedulerEvent>) {
        let awake_since = now.checked_sub(self.settings.grace).unwrap_or(Timestamp::MIN);
        let missed_until = last.is_none_or(|last| last < awake_since).then_some(awake_since);
        let mut caught_up = 0;
        while let Some((due, id)) = self.agenda.first().copied()
            && due <= now
        {
            self.agenda.pop_first();
            let Some(entry) = self.entries.get_mut(&id) else { continue };
            if entry.upcoming.is_none() {
                self.end(id, EndReason::Fired, events);
                continue;
            }
            let due = entry.take_due(now, missed_until, &self.settings);
            let (told, pending) = entry.decide(due, now, &self.settings);
            events.extend(told);
            match (entry.upcoming, pending) {
                (Some(upcoming), _) => drop(self.agenda.insert((upcoming.due, id))),
                (None, None) if entry.asked.is_none() => self.end(id, EndReason::Missed, events),
                (None, _) => {}
            }
            if let Some(mut pending) = pending {
                if pending.is_catch_up {
                    let pause = self.settings.stagger.saturating_mul(caught_up);
                    pending.since = now.checked_add(pause).unwrap_or(now);
                    caught_up = caught_up.saturating_add(1);
                }
                self.queue_up(id, pending, events);
            }
        }
    }

    /// Queues a fire for its delivery. If one is waiting already, this combines them.
    fn queue_up(&mut self, id: JobId, pending: PendingFire, events: &mut Vec<SchedulerEvent>) {
        let Some(entry) = self.entries.get_mut(&id) else { return };
        if self.queue.is_running(id) && !pending.is_last {
            match (entry.job.overlap, pending.slots) {
                (Overlap::Skip, Some(slots)) => {
                    return events.push(SchedulerEvent::Skipped { job: entry.job.clone(), slots });
                }
                (Overlap::Cancel, _) if entry.pending.is_none() => {
                    events.push(SchedulerEvent::Superseded { job: entry.job.clone() });
                }
                _ => {}
            }
        }
        let merged = match entry.pending {
            Some(earlier) => {
                self.queue.withdraw(id, earlier.since);
                earlier.and(pending)
            }
            None => pending,
        };
        entry.pending = Some(merged);
        self.queue.push(id, merged.since);
    }

    fn fire(&mut self, id: JobId, events: &mut Vec<SchedulerEvent>) {
        let Some(entry) = self.entries.get_mut(&id) else { return };
        let Some(pending) = entry.pending.take() else { return };
        // Any fire settles the slots that a person was asked about, so that no slot is left behind the cursor.
        let asked = entry.asked.take();
        let is_last = pending.is_last || asked.is_some_and(|asked| asked.is_last);
        entry.fires += 1;
        events.push(SchedulerEvent::Fired(Fire {
            job: entry.job.clone(),
            number: entry.fires,
            slots: pending.slots,
            is_catch_up: pending.is_catch_up,
            is_last,
            cursor: entry.cursor,
        }));
        if is_last {
            self.end(id, EndReason::Fired, events);
        }
    }

    fn end(&mut self, id: JobId, why: EndReason, events: &mut Vec<SchedulerEvent>) {
        self.forget(id);
        events.push(SchedulerEvent::Ended { id, why });
    }

    /// Computes the time until which nothing happens.
    fn settle(&mut self) {
        let now = self.last_tick.unwrap_or(Timestamp::MIN);
        let overdue =
            self.queue.next_overdue().and_then(|since| since.checked_add(self.settings.overdue_after).ok());
        let due = self.agenda.first().map(|(due, _)| *due);
        self.quiet_until = [due, overdue, self.queue.next_ready(now)].into_iter().flatten().min();
    }
}
