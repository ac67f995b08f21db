//! Fires that wait, and runs that go on.

use std::{
    collections::BTreeSet,
    ops::Bound::{Excluded, Included, Unbounded},
};

use jiff::Timestamp;

use crate::JobId;

/// Fires that wait, by the time from which on they may be delivered, and the jobs that run.
#[derive(Debug)]
pub(super) struct Queue {
    /// All that wait.
    waiting: BTreeSet<(Timestamp, JobId)>,
    /// Those of them whose job does not run.
    ready: BTreeSet<(Timestamp, JobId)>,
    running: BTreeSet<JobId>,
    /// Those that wait since then or longer have been told of.
    told_until: Timestamp,
}

/// Above every job.
const LAST_ID: JobId = JobId::from_bits(u32::MAX);

impl Default for Queue {
    fn default() -> Self {
        let (waiting, ready, running) = Default::default();
        Self { waiting, ready, running, told_until: Timestamp::MIN }
    }
}

impl Queue {
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

    /// The longest waiting that may be delivered now while at most so many run. It counts as running.
    pub(super) fn start(&mut self, now: Timestamp, most: usize) -> Option<JobId> {
        let (since, id) = self.startable(now, most)?;
        self.withdraw(id, since);
        self.running.insert(id);
        Some(id)
    }

    /// Whether one could be [started](Self::start).
    pub(super) fn has_startable(&self, now: Timestamp, most: usize) -> bool {
        self.startable(now, most).is_some()
    }

    fn startable(&self, now: Timestamp, most: usize) -> Option<(Timestamp, JobId)> {
        let first = *self.ready.first()?;
        (self.running.len() < most && first.0 <= now).then_some(first)
    }

    /// Whether none waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn is_running(&self, id: JobId) -> bool {
        self.running.contains(&id)
    }

    /// The run is over; what waits for it since then may be delivered.
    pub(super) fn finish(&mut self, id: JobId, waiting_since: Option<Timestamp>) {
        self.running.remove(&id);
        if let Some(since) = waiting_since {
            self.ready.insert((since, id));
        }
    }

    /// Those that have waited since `since` or longer, and of which this has not told before.
    pub(super) fn overdue(&mut self, since: Timestamp) -> Vec<(Timestamp, JobId)> {
        if since <= self.told_until {
            return Vec::new();
        }
        let range = (Excluded((self.told_until, LAST_ID)), Included((since, LAST_ID)));
        let overdue = self.waiting.range(range).copied().collect();
        self.told_until = since;
        overdue
    }

    /// Tells of all again.
    pub(super) fn forget_told(&mut self) {
        self.told_until = Timestamp::MIN;
    }

    /// Since when the next one waits of which it will be told.
    pub(super) fn next_overdue(&self) -> Option<Timestamp> {
        let range = (Excluded((self.told_until, LAST_ID)), Unbounded);
        self.waiting.range(range).next().map(|(since, _)| *since)
    }

    /// When the next one may be delivered, if that is to come.
    pub(super) fn next_ready(&self, now: Timestamp) -> Option<Timestamp> {
        self.ready.first().map(|(since, _)| *since).filter(|since| *since > now)
    }
}
