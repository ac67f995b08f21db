//! Changes from outside: adding, removing, pausing and firing jobs.

use std::sync::Arc;

use jiff::Timestamp;

use super::{AskedSlots, EndReason, JobState, PendingFire, ScheduledJob, Scheduler, SchedulerEvent, Slots};
use crate::{Job, JobId};

/// The state of a job.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JobStatus {
    /// The job.
    pub job: Arc<Job>,
    /// Its next slot, without jitter. `None` if it is paused or over.
    pub slot: Option<Timestamp>,
    /// The time of that fire, with jitter.
    pub due: Option<Timestamp>,
    /// Whether a fire waits for its delivery.
    pub is_pending: bool,
    /// The slots of the waiting fire.
    pub pending: Option<Slots>,
    /// The slots that the scheduler asks a person about.
    pub asked: Option<Slots>,
    /// Whether it is running.
    pub is_running: bool,
}

impl Scheduler {
    /// Adds a job, or applies a change to it. Its cursor only moves forward. A pending fire stays, unless the job is
    /// paused or another process has settled its slots. The number of fires comes from `state`.
    ///
    /// This does not validate the job: see [`Job::first_fire`].
    pub fn set(&mut self, job: Job, state: &JobState, now: Timestamp) {
        let id = job.id;
        let mut entry = match self.take_out(id) {
            Some(known) if *known.job == job && known.cursor >= state.cursor && !state.is_over => known,
            Some(known) => {
                let state = JobState { cursor: known.cursor.max(state.cursor), ..state.clone() };
                let entry = ScheduledJob::new(job, &state, &self.settings);
                ScheduledJob { pending: known.pending, asked: known.asked, ..entry }
            }
            None => ScheduledJob::new(job, state, &self.settings),
        };
        // A fire without a successful claim did not happen.
        entry.fires = state.fires;
        let is_settled = |slots: Slots| slots.last <= state.cursor;
        let may_fire = !entry.job.paused && !state.is_over;
        entry.pending = entry.pending.filter(|pending| may_fire && !pending.slots.is_some_and(is_settled));
        entry.asked = entry.asked.filter(|asked| !is_settled(asked.slots));
        self.put_in(id, entry);
        if state.is_wanted {
            self.fire_now(id, now);
        }
        self.settle();
    }

    /// Removes a job with its pending fire. A current run continues.
    pub fn remove(&mut self, id: JobId) -> Option<Arc<Job>> {
        let job = self.forget(id);
        self.settle();
        job
    }

    /// Fires a job as soon as a delivery is free, whatever its slots. Returns whether there is such a job.
    pub fn fire_now(&mut self, id: JobId, now: Timestamp) -> bool {
        let is_known = self.entries.contains_key(&id);
        let pending = PendingFire { since: now, slots: None, is_catch_up: false, is_last: false };
        // The current run is not superseded, because the person wants both.
        if let Some(entry) = self.entries.get_mut(&id)
            && entry.pending.is_none()
        {
            entry.pending = Some(pending);
            self.queue.push(id, now);
        }
        self.settle();
        is_known
    }

    /// Applies a person's answer about the slots that they were [asked](SchedulerEvent::Asked) about: one fire for all
    /// of them, or none. Without a question this does nothing.
    pub fn answer(&mut self, id: JobId, fire: bool, now: Timestamp) -> Vec<SchedulerEvent> {
        let mut events = Vec::new();
        let asked = self.entries.get_mut(&id).and_then(|entry| entry.asked.take());
        if let Some(AskedSlots { slots, is_last }) = asked {
            if fire {
                let pending = PendingFire { since: now, slots: Some(slots), is_catch_up: true, is_last };
                self.queue_up(id, pending, &mut events);
            } else {
                let job = self.entries.get(&id).map(|entry| entry.job.clone());
                events.extend(job.map(|job| SchedulerEvent::Missed { job, slots }));
                if is_last {
                    self.end(id, EndReason::Declined, &mut events);
                }
            }
        }
        self.settle();
        events
    }

    /// Records that the run of a job's fire is over.
    pub fn finished(&mut self, id: JobId) {
        let waiting_since =
            self.entries.get(&id).and_then(|entry| entry.pending).map(|pending| pending.since);
        self.queue.finish(id, waiting_since);
        self.settle();
    }

    /// Returns whether a fire waits for its delivery.
    pub fn has_pending(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Returns the number of jobs.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there is no job.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the ids of all jobs, in no particular order.
    pub fn ids(&self) -> impl Iterator<Item = JobId> {
        self.entries.keys().copied()
    }

    /// Returns the state of a job.
    pub fn status(&self, id: JobId) -> Option<JobStatus> {
        let entry = self.entries.get(&id)?;
        let upcoming = entry.upcoming.filter(|_| !entry.job.paused);
        Some(JobStatus {
            job: entry.job.clone(),
            slot: upcoming.map(|upcoming| upcoming.slot),
            due: upcoming.map(|upcoming| upcoming.due),
            is_pending: entry.pending.is_some(),
            pending: entry.pending.and_then(|pending| pending.slots),
            asked: entry.asked.map(|asked| asked.slots),
            is_running: self.queue.is_running(id),
        })
    }

    /// Returns the time of the last tick.
    pub fn last_tick(&self) -> Option<Timestamp> {
        self.last_tick
    }

    /// Limits the start of all waiting to `now`. The clock was set back, and would otherwise have to reach those times
    /// again.
    pub(super) fn wait_from(&mut self, now: Timestamp) {
        self.queue.forget_reported();
        for (id, entry) in &mut self.entries {
            if let Some(pending) = entry.pending.as_mut().filter(|pending| pending.since > now) {
                self.queue.withdraw(*id, pending.since);
                pending.since = now;
                self.queue.push(*id, now);
            }
        }
        self.settle();
    }

    pub(super) fn forget(&mut self, id: JobId) -> Option<Arc<Job>> {
        self.take_out(id).map(|entry| entry.job)
    }

    /// Removes a job from every list.
    fn take_out(&mut self, id: JobId) -> Option<ScheduledJob> {
        let entry = self.entries.remove(&id)?;
        self.agenda.remove(&(entry.upcoming.map_or(Timestamp::MIN, |upcoming| upcoming.due), id));
        if let Some(pending) = entry.pending {
            self.queue.withdraw(id, pending.since);
        }
        Some(entry)
    }

    fn put_in(&mut self, id: JobId, entry: ScheduledJob) {
        if let Some(pending) = entry.pending {
            self.queue.push(id, pending.since);
        }
        // A job that waits for an answer or for its last fire is not over.
        let is_settled = entry.upcoming.is_none() && (entry.pending.is_some() || entry.asked.is_some());
        if !entry.job.paused && !is_settled {
            self.agenda.insert((entry.upcoming.map_or(Timestamp::MIN, |upcoming| upcoming.due), id));
        }
        self.entries.insert(id, entry);
    }
}
