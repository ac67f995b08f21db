//! The queue of waiting fires, and the set of running jobs.

use std::{
    collections::BTreeSet,
    ops::Bound::{Excluded, Included, Unbounded},
};

use jiff::Timestamp;

use crate::JobId;

/// Waiting fires, by the earliest time of their delivery, and the running jobs.
#[derive(Debug)]
pub(super) struct FireQueue {
    /// All waiting fires.
    waiting: BTreeSet<(Timestamp, JobId)>,
    /// The waiting fires whose job is not running.
    ready: BTreeSet<(Timestamp, JobId)>,
    running: BTreeSet<JobId>,
    /// Fires that have waited since this time or longer have been reported.
    reported_until: Timestamp,
}

/// Greater than or equal to the id of every job.
const LAST_ID: JobId = JobId::from_bits(u32::MAX);

impl Default for FireQueue {
    fn default() -> Self {
        let (waiting, ready, running) = Default::default();
        Self { waiting, ready, running, reported_until: Timestamp::MIN }
    }
}

impl FireQueue {
    pub(super) fn push(&mut self, id: JobId, since: Timestamp) {
        self.waiting.insert((since, id));
        if !self.is_running(id) {
            self.ready.insert((since, id));
        }
    }

    pub(super) fn withdraw(&mut self, id: JobId, since: Timestamp) {
        self.waiting.remove(&(since, id));
        self.ready.remove(&(since, id));
    }

    /// Starts the fire that has waited longest, if it may be delivered now and fewer than `most` jobs are running. The
    /// job then counts as running.
    pub(super) fn start(&mut self, now: Timestamp, most: usize) -> Option<JobId> {
        let (since, id) = self.startable(now, most)?;
        self.withdraw(id, since);
        self.running.insert(id);
        Some(id)
    }

    /// Returns whether a fire could [start](Self::start).
    pub(super) fn has_startable(&self, now: Timestamp, most: usize) -> bool {
        self.startable(now, most).is_some()
    }

    fn startable(&self, now: Timestamp, most: usize) -> Option<(Timestamp, JobId)> {
        let first = *self.ready.first()?;
        (self.running.len() < most && first.0 <= now).then_some(first)
    }

    /// Returns whether no fire is waiting.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn is_running(&self, id: JobId) -> bool {
        self.running.contains(&id)
    }

    /// Records the end of a run. A fire that has waited for it may then start.
    pub(super) fn finish(&mut self, id: JobId, waiting_since: Option<Timestamp>) {
        self.running.remove(&id);
        if let Some(since) = waiting_since {
            self.ready.insert((since, id));
        }
    }

    /// Returns the fires that have waited since `since` or longer, and that this did not return before.
    pub(super) fn overdue(&mut self, since: Timestamp) -> Vec<(Timestamp, JobId)> {
        if since <= self.reported_until {
            return Vec::new();
        }
        let range = (Excluded((self.reported_until, LAST_ID)), Included((since, LAST_ID)));
        let overdue = self.waiting.range(range).copied().collect();
        self.reported_until = since;
        overdue
    }

    /// Forgets which fires were reported, so that all can be reported again.
    pub(super) fn forget_reported(&mut self) {
        self.reported_until = Timestamp::MIN;
    }

    /// Returns the start of the waiting for the next fire to report.
    pub(super) fn next_overdue(&self) -> Option<Timestamp> {
        let range = (Excluded((self.reported_until, LAST_ID)), Unbounded);
        self.waiting.range(range).next().map(|(since, _)| *since)
    }

    /// Returns when the next fire may start, if that is in the future.
    pub(super) fn next_ready(&self, now: Timestamp) -> Option<Timestamp> {
        self.ready.first().map(|(since, _)| *since).filter(|since| *since > now)
    }
}
