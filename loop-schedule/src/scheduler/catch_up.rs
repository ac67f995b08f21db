//! What becomes of slots that have come due, above all of those that nobody was awake for.

use jiff::Timestamp;

use super::{
    Event, Slots,
    entry::{Batch, Due, Entry, Pending},
};
use crate::{CatchUp, Settings};

impl Entry {
    /// What is to be said of slots that have come due, and what is to be delivered for them.
    pub(super) fn decide(
        &mut self,
        due: Due,
        now: Timestamp,
        settings: &Settings,
    ) -> (Option<Event>, Option<Pending>) {
        let pending = |slots, is_catch_up| Pending {
            since: now,
            slots: Some(slots),
            is_catch_up,
            is_last: due.is_last,
        };
        let current = due.current.map(|slots| pending(slots, false));
        let Some(missed) = due.missed else { return (None, current) };
        // The last slot is among the missed ones if none came after them.
        let is_last = due.is_last && current.is_none();
        let job = self.job.clone();
        match settings.catch_up_of(job.catch_up, now.duration_since(missed.last)) {
            CatchUp::Once => {
                let all = due.current.map_or(missed, |current| missed.and(current));
                (None, Some(pending(all, true)))
            }
            CatchUp::Ask if current.is_none() => {
                let slots = self.asked.map_or(missed, |asked| asked.slots.and(missed));
                self.asked = Some(Batch { slots, is_last });
                (Some(Event::Asked { job, slots }), None)
            }
            // A job that comes around says that it is over, even if nobody was awake for its last slot.
            CatchUp::None if is_last && job.when.is_recurring() => {
                (None, Some(pending(Slots::one(missed.last), true)))
            }
            CatchUp::Ask | CatchUp::None => (Some(Event::Missed { job, slots: missed }), current),
        }
    }
}
