//! The scheduler's data about one job.

use std::sync::Arc;

use jiff::Timestamp;

use super::{Slots, Standing};
use crate::{Job, Settings};

/// The maximum number of slots to count one by one: if a clock is wrong by centuries, counting must not delay the other
/// jobs.
const MOST_COUNTED: u32 = 100_000;

/// One job.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) job: Arc<Job>,
    /// Slots up to here are settled: they fired, are pending, or were dropped.
    pub(super) cursor: Timestamp,
    /// The number of its fires.
    pub(super) fires: u64,
    /// `None` if there are no more slots.
    pub(super) upcoming: Option<Upcoming>,
    pub(super) pending: Option<Pending>,
    pub(super) asked: Option<Batch>,
}

/// The next slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Upcoming {
    pub(super) slot: Timestamp,
    pub(super) due: Timestamp,
    next: Option<Timestamp>,
}

/// Slots, and whether they include the job's last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Batch {
    pub(super) slots: Slots,
    pub(super) is_last: bool,
}

/// A fire that waits for its delivery. There is at most one per job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pending {
    /// The earliest time for its delivery.
    pub(super) since: Timestamp,
    /// `None` if a person requested it.
    pub(super) slots: Option<Slots>,
    pub(super) is_catch_up: bool,
    pub(super) is_last: bool,
}

/// The slots that have come due.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Due {
    /// Slots while no scheduler was running.
    pub(super) missed: Option<Slots>,
    /// Slots that are due now, or came due while all deliveries were busy.
    pub(super) current: Option<Slots>,
    pub(super) is_last: bool,
}

impl Entry {
    pub(super) fn new(job: Job, standing: &Standing, settings: &Settings) -> Self {
        let mut entry = Self {
            job: Arc::new(job),
            cursor: standing.cursor,
            fires: standing.fires,
            upcoming: None,
            pending: None,
            asked: None,
        };
        if !standing.is_over {
            entry.look_ahead(settings);
        }
        entry
    }

    /// Finds the next slot after the cursor.
    pub(super) fn look_ahead(&mut self, settings: &Settings) {
        let slot = self.job.when.next_after(self.cursor.max(self.job.created_at));
        self.upcoming = slot.map(|slot| Upcoming::at(&self.job, slot, settings));
    }

    /// Takes all due slots. Those that were due by `missed_until` count as missed.
    pub(super) fn take_due(
        &mut self,
        now: Timestamp,
        missed_until: Option<Timestamp>,
        settings: &Settings,
    ) -> Due {
        let mut due = Due::default();
        let mut counted = 0;
        while let Some(upcoming) = self.upcoming.filter(|upcoming| upcoming.due <= now) {
            let is_missed = missed_until.is_some_and(|until| upcoming.due <= until);
            let taken = if is_missed { &mut due.missed } else { &mut due.current };
            *taken = Slots::join(*taken, Some(Slots::one(upcoming.slot)));
            self.cursor = self.cursor.max(upcoming.slot);
            due.is_last = upcoming.next.is_none() || self.job.is_last(upcoming.slot, settings);
            if due.is_last {
                self.upcoming = None;
                break;
            }
            counted += 1;
            if counted < MOST_COUNTED {
                self.upcoming = upcoming.next.map(|slot| Upcoming::at(&self.job, slot, settings));
            } else {
                self.cursor = self.cursor.max(now);
                self.look_ahead(settings);
            }
        }
        due
    }
}

impl Upcoming {
    fn at(job: &Job, slot: Timestamp, settings: &Settings) -> Self {
        let next = job.when.next_after(slot);
        Self { slot, due: job.due(slot, next, settings), next }
    }
}

impl Pending {
    /// Combines two fires into one.
    pub(super) fn and(self, later: Self) -> Self {
        Self {
            since: self.since.min(later.since),
            slots: Slots::join(self.slots, later.slots),
            is_catch_up: self.is_catch_up || later.is_catch_up,
            is_last: self.is_last || later.is_last,
        }
    }
}
