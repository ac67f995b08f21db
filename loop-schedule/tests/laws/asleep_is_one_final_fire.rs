//! If the machine sleeps past a job's expiry, the job fires one final time.

use std::time::Duration;

use jiff::SignedDuration;
use loop_schedule::{CatchUp, EndReason, JobState, ScheduleSettings, Scheduler, SchedulerEvent};
use proptest::prelude::*;

use crate::generators::{at, cases, job};

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn asleep_30_days_with_a_3_day_expiry_is_one_final_fire(
        job in job(at("2025-03-08T00:00:00Z")), awake_minutes in 0_i64..3_000,
    ) {
        prop_assume!(job.trigger.is_recurring() && job.catch_up != CatchUp::Ask);
        let (id, start) = (job.id, job.created_at);
        let settings = ScheduleSettings::classic().with_expiry(Duration::from_hours(3 * 24));
        let mut scheduler = Scheduler::new(settings);
        scheduler.set(job, &JobState::new(start), start);
        for minute in 0..awake_minutes {
            scheduler.tick(start + SignedDuration::from_mins(minute), true);
            scheduler.finished(id);
        }
        let morning = start + SignedDuration::from_hours(30 * 24);
        let events = scheduler.tick(morning, true);
        let fires: Vec<_> = events.iter().filter(|event| matches!(event, SchedulerEvent::Fired(_))).collect();
        prop_assert_eq!(fires.len(), 1);
        prop_assert!(matches!(fires[0], SchedulerEvent::Fired(fire) if fire.is_last && fire.is_catch_up));
        let ended = SchedulerEvent::Ended { id, why: EndReason::Fired };
        prop_assert!(events.contains(&ended));
        scheduler.finished(id);
        for day in 1..10 {
            prop_assert!(scheduler.tick(morning + SignedDuration::from_hours(day * 24), true).is_empty());
        }
    }
}
