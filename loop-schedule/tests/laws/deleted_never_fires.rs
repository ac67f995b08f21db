//! A deleted job never fires, even if a fire was pending.

use jiff::SignedDuration;
use loop_schedule::{JobState, ScheduleSettings, Scheduler, SchedulerEvent};
use proptest::prelude::*;

use crate::generators::{at, cases, job};

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn whatever_was_pending(
        jobs in prop::collection::vec(job(at("2025-03-08T00:00:00Z")), 1..6),
        deleted_after in 0_i64..3_000,
        is_wanted: bool,
    ) {
        let start = at("2025-03-08T00:00:00Z");
        let mut scheduler = Scheduler::new(ScheduleSettings::classic());
        for job in &jobs {
            scheduler.set(job.clone(), &JobState::new(start), start);
        }
        let deleted = jobs[0].id;
        let at_minute = |minute| start + SignedDuration::from_mins(minute);
        for minute in 0..deleted_after {
            scheduler.tick(at_minute(minute), false);
        }
        if is_wanted {
            scheduler.fire_now(deleted, at_minute(deleted_after));
        }
        scheduler.remove(deleted);
        for minute in deleted_after..deleted_after + 2_000 {
            for event in scheduler.tick(at_minute(minute), true) {
                if let SchedulerEvent::Fired(fire) = event {
                    prop_assert_ne!(fire.job.id, deleted);
                    scheduler.finished(fire.job.id);
                }
            }
        }
    }
}
