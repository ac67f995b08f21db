//! What a scheduler says.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Job, JobId};

/// Slots that are taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Slots {
    /// The earliest.
    pub first: Timestamp,
    /// The latest.
    pub last: Timestamp,
    /// How many there are, both included. It is counted to 100,000, and above that it says that at least.
    pub count: u32,
}

impl Slots {
    pub(super) fn one(slot: Timestamp) -> Self {
        Self { first: slot, last: slot, count: 1 }
    }

    pub(super) fn and(self, later: Self) -> Self {
        Self {
            first: self.first.min(later.first),
            last: self.last.max(later.last),
            count: self.count.saturating_add(later.count),
        }
    }

    /// Joins what may be there.
    pub(super) fn join(earlier: Option<Self>, later: Option<Self>) -> Option<Self> {
        match (earlier, later) {
            (Some(earlier), Some(later)) => Some(earlier.and(later)),
            (earlier, later) => earlier.or(later),
        }
    }
}

/// A prompt that is to be delivered now.
#[derive(Debug, Clone, PartialEq)]
pub struct Fire {
    /// What fires.
    pub job: Arc<Job>,
    /// The job's how manieth fire it is, from 1. It names the fire.
    pub number: u64,
    /// The slots that it stands for; `None` if somebody asked for it.
    pub slots: Option<Slots>,
    /// Whether some of the slots passed while nobody was awake.
    pub is_catch_up: bool,
    /// Whether the job is over with it.
    pub is_last: bool,
    /// Up to where the job's slots are settled with it. That is kept, so that none fires again.
    pub cursor: Timestamp,
}

/// Why a job is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Over {
    /// It has fired for the last time.
    Fired,
    /// Its last slot was missed and is not caught up with.
    Missed,
    /// Somebody was asked about its last slot, and does not want it.
    Declined,
}

/// What a scheduler says.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// Deliver this. The scheduler takes the job for running until it is told that it has
    /// [finished](crate::Scheduler::finished).
    Fired(Fire),
    /// Slots passed while nobody was awake, and are dropped.
    Missed {
        /// Whose.
        job: Arc<Job>,
        /// Which.
        slots: Slots,
    },
    /// Slots passed while nobody was awake, and a person is to be asked about them. Say what they want by
    /// [`answer`](crate::Scheduler::answer). If the job fires before, the question falls away.
    Asked {
        /// Whose.
        job: Arc<Job>,
        /// Which.
        slots: Slots,
    },
    /// Slots are dropped because the job still runs.
    Skipped {
        /// Whose.
        job: Arc<Job>,
        /// Which.
        slots: Slots,
    },
    /// The job is due again: cancel its run.
    Superseded {
        /// Whose run.
        job: Arc<Job>,
    },
    /// A due fire waits, and has for a while. It is told once.
    Overdue {
        /// Whose.
        job: Arc<Job>,
        /// Since when.
        since: Timestamp,
    },
    /// The job is over, and gone from the scheduler.
    Ended {
        /// Which.
        id: JobId,
        /// Why.
        why: Over,
    },
    /// The wall clock stands before where it stood. What has fired does not fire again when its time comes
    /// again.
    ClockWentBack {
        /// How far.
        by: SignedDuration,
    },
}
