//! Decides about due slots, in particular missed ones.

use jiff::Timestamp;

use super::{
    SchedulerEvent, Slots,
    scheduled_job::{AskedSlots, DueSlots, PendingFire, ScheduledJob},
};
use crate::{CatchUp, ScheduleSettings};

impl ScheduledJob {
    /// Decides which event to emit for the due slots, and which fire to deliver.
    pub(super) fn decide(
        &mut self,
        due: DueSlots,
        now: Timestamp,
        settings: &ScheduleSettings,
    ) -> (Option<SchedulerEvent>, Option<PendingFire>) {
        let pending = |slots, is_catch_up| PendingFire {
            since: now,
            slots: Some(slots),
            is_catch_up,
            is_last: due.is_last,
        };
        let current = due.current.map(|slots| pending(slots, false));
        let Some(missed) = due.missed else { return (None, current) };
        // If no slot came after the missed ones, the last slot is among them.
        let is_last = due.is_last && current.is_none();
        let job = self.job.clone();
        match settings.catch_up_of(job.catch_up, now.duration_since(missed.last)) {
            CatchUp::Once => {
                let all = due.current.map_or(missed, |current| missed.and(current));
                (None, Some(pending(all, true)))
            }
            CatchUp::Ask if current.is_none() => {
                let slots = self.asked.map_or(missed, |asked| asked.slots.and(missed));
                self.asked = Some(AskedSlots { slots, is_last });
                (Some(SchedulerEvent::Asked { job, slots }), None)
            }
            // A recurring job reports that it is over, even if its last slot was missed.
            CatchUp::None if is_last && job.trigger.is_recurring() => {
                (None, Some(pending(Slots::one(missed.last), true)))
            }
            CatchUp::Ask | CatchUp::None => (Some(SchedulerEvent::Missed { job, slots: missed }), current),
        }
    }
}
