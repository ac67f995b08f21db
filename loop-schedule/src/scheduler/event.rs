//! The events of a scheduler.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Job, JobId};

/// A group of slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Slots {
    /// The earliest slot.
    pub first: Timestamp,
    /// The latest slot.
    pub last: Timestamp,
    /// The number of slots, including both. Counting stops at 100,000, so that this value means "at least".
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

    /// Combines two optional groups.
    pub(super) fn join(earlier: Option<Self>, later: Option<Self>) -> Option<Self> {
        match (earlier, later) {
            (Some(earlier), Some(later)) => Some(earlier.and(later)),
            (earlier, later) => earlier.or(later),
        }
    }
}

/// A prompt to deliver now.
#[derive(Debug, Clone, PartialEq)]
pub struct Fire {
    /// The job that fires.
    pub job: Arc<Job>,
    /// The number of this fire of the job, from 1. It identifies the fire.
    pub number: u64,
    /// Its slots; `None` if a person requested it.
    pub slots: Option<Slots>,
    /// Whether some of its slots were missed.
    pub is_catch_up: bool,
    /// Whether the job is over after it.
    pub is_last: bool,
    /// The new cursor of the job. The store keeps it, so that no slot fires again.
    pub cursor: Timestamp,
}

/// The reason why a job is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EndReason {
    /// It has fired for the last time.
    Fired,
    /// Its last slot was missed and will not be caught up.
    Missed,
    /// A person was asked about its last slot, and declined.
    Declined,
}

/// An event of a scheduler.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SchedulerEvent {
    /// Deliver this fire. The scheduler treats the job as running until you call
    /// [`finished`](crate::Scheduler::finished).
    Fired(Fire),
    /// The scheduler dropped slots that passed while it was not running.
    Missed {
        /// The job.
        job: Arc<Job>,
        /// The slots.
        slots: Slots,
    },
    /// Slots passed while the scheduler was not running; ask a person about them, and report the answer with
    /// [`answer`](crate::Scheduler::answer). If the job fires first, the question is dropped.
    Asked {
        /// The job.
        job: Arc<Job>,
        /// The slots.
        slots: Slots,
    },
    /// The scheduler dropped slots because the job is still running.
    Skipped {
        /// The job.
        job: Arc<Job>,
        /// The slots.
        slots: Slots,
    },
    /// The job is due again: cancel its run.
    Superseded {
        /// The job whose run to cancel.
        job: Arc<Job>,
    },
    /// A due fire has waited for some time. This is reported once.
    Overdue {
        /// The job.
        job: Arc<Job>,
        /// The start of the waiting.
        since: Timestamp,
    },
    /// The job is over, and removed from the scheduler.
    Ended {
        /// The job.
        id: JobId,
        /// The reason.
        why: EndReason,
    },
    /// The wall clock was set back. Slots that have fired do not fire again when their time comes again.
    ClockWentBack {
        /// The distance.
        by: SignedDuration,
    },
}
