//! The scheduler's data about one job.

use std::sync::Arc;

use jiff::Timestamp;

use super::{JobState, Slots};
use crate::{Job, ScheduleSettings};

/// The maximum number of slots to count one by one: if a clock is wrong by centuries, counting must not delay the other
/// jobs.
const MOST_COUNTED: u32 = 100_000;

/// One job.
#[derive(Debug)]
pub(super) struct ScheduledJob {
    pub(super) job: Arc<Job>,
    /// Slots up to here are settled: they fired, are pending, or were dropped.
    pub(super) cursor: Timestamp,
    /// The number of its fires.
    pub(super) fires: u64,
    /// `None` if there are no more slots.
    pub(super) upcoming: Option<NextSlot>,
    pub(super) pending: Option<PendingFire>,
    pub(super) asked: Option<AskedSlots>,
}

/// The next slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NextSlot {
    pub(super) slot: Timestamp,
    pub(super) due: Timestamp,
    next: Option<Timestamp>,
}

/// Slots, and whether they include the job's last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AskedSlots {
    pub(super) slots: Slots,
    pub(super) is_last: bool,
}

/// A fire that waits for its delivery. There is at most one per job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PendingFire {
    /// The earliest time for its delivery.
    pub(super) since: Timestamp,
    /// `None` if a person requested it.
    pub(super) slots: Option<Slots>,
    pub(super) is_catch_up: bool,
    pub(super) is_last: bool,
}

/// The slots that have come due.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct DueSlots {
    /// Slots while no scheduler was running.
    pub(super) missed: Option<Slots>,
    /// Slots that are due now, or came due while all deliveries were busy.
    pub(super) current: Option<Slots>,
    pub(super) is_last: bool,
}

impl ScheduledJob {
    pub(super) fn new(job: Job, state: &JobState, settings: &ScheduleSettings) -> Self {
        let mut entry = Self {
            job: Arc::new(job),
            cursor: state.cursor,
            fires: state.fires,
            upcoming: None,
            pending: None,
            asked: None,
        };
        if !state.is_over {
            entry.look_ahead(settings);
        }
        entry
    }

    /// Finds the next slot after the cursor.
    pub(super) fn look_ahead(&mut self, settings: &ScheduleSettings) {
        let slot = self.job.trigger.next_after(self.cursor.max(self.job.created_at));
        self.upcoming = slot.map(|slot| NextSlot::at(&self.job, slot, settings));
    }

    /// Takes all due slots. Those that were due by `missed_until` count as missed.
    pub(super) fn take_due(
        &mut self,
        now: Timestamp,
        missed_until: Option<Timestamp>,
        settings: &ScheduleSettings,
    ) -> DueSlots {
        let mut due = DueSlots::default();
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
                self.upcoming = upcoming.next.map(|slot| NextSlot::at(&self.job, slot, settings));
            } else {
                self.cursor = self.cursor.max(now);
                self.look_ahead(settings);
            }
        }
        due
    }
}

impl NextSlot {
    fn at(job: &Job, slot: Timestamp, settings: &ScheduleSettings) -> Self {
        let next = job.trigger.next_after(slot);
        Self { slot, due: job.due(slot, next, settings), next }
    }
}

impl PendingFire {
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
