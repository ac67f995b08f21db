//! If the machine sleeps past a job's expiry, the job fires one final time.

use std::time::Duration;

use jiff::SignedDuration;
use loop_schedule::{CatchUp, Event, Over, Scheduler, Settings, Standing};
use proptest::prelude::*;

use crate::worlds::{at, cases, job};

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn asleep_30_days_with_a_3_day_expiry_is_one_final_fire(
        job in job(at("2025-03-08T00:00:00Z")), awake_minutes in 0_i64..3_000,
    ) {
        prop_assume!(job.when.is_recurring() && job.catch_up != CatchUp::Ask);
        let (id, start) = (job.id, job.created_at);
        let settings = Settings::classic().with_expiry(Duration::from_hours(3 * 24));
        let mut scheduler = Scheduler::new(settings);
        scheduler.set(job, &Standing::new(start), start);
        for minute in 0..awake_minutes {
            scheduler.tick(start + SignedDuration::from_mins(minute), true);
            scheduler.finished(id);
        }
        let morning = start + SignedDuration::from_hours(30 * 24);
        let events = scheduler.tick(morning, true);
        let fires: Vec<_> = events.iter().filter(|event| matches!(event, Event::Fired(_))).collect();
        prop_assert_eq!(fires.len(), 1);
        prop_assert!(matches!(fires[0], Event::Fired(fire) if fire.is_last && fire.is_catch_up));
        let ended = Event::Ended { id, why: Over::Fired };
        prop_assert!(events.contains(&ended));
        scheduler.finished(id);
        for day in 1..10 {
            prop_assert!(scheduler.tick(morning + SignedDuration::from_hours(day * 24), true).is_empty());
        }
    }
}
