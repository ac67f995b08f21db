//! Slots that pass while no delivery is free become one fire with their number.

use jiff::SignedDuration;
use loop_schedule::{Job, JobId, JobState, ScheduleSettings, Scheduler, SchedulerEvent, Trigger, Zone};
use proptest::prelude::*;

use crate::generators::{at, cases};

fn every_ten_minutes(bits: u32) -> Job {
    let trigger = Trigger::Cron { expression: "*/10 * * * *".parse().unwrap(), zone: Zone::utc() };
    Job::new(JobId::from_bits(bits), trigger, "look", at("2025-06-01T00:00:00Z"))
}

proptest! {
    #![proptest_config(cases(128))]

    /// This holds however often the scheduler is called in the meantime, even if it is not called at all.
    #[test]
    fn busy_for_130_minutes_is_one_fire_that_says_13(
        bits: u32, pauses in prop::collection::vec(1_i64..3_600, 0..40),
    ) {
        let job = every_ten_minutes(bits);
        let (id, start) = (job.id, job.created_at);
        let end = start + SignedDuration::from_secs(131 * 60 + 59);
        let mut scheduler = Scheduler::new(ScheduleSettings::classic());
        scheduler.set(job, &JobState::new(start), start);
        prop_assert!(scheduler.tick(start, true).is_empty());

        let mut now = start;
        for pause in pauses {
            now = (now + SignedDuration::from_secs(pause)).min(end);
            let events = scheduler.tick(now, false);
            prop_assert!(!events.iter().any(|event| matches!(event, SchedulerEvent::Fired(_))));
        }
        let fires: Vec<_> = scheduler
            .tick(end, true)
            .into_iter()
            .filter_map(|event| if let SchedulerEvent::Fired(fire) = event { fire.slots } else { None })
            .collect();
        prop_assert_eq!(fires.len(), 1);
        prop_assert_eq!((fires[0].count, fires[0].last), (13, at("2025-06-01T02:10:00Z")));
        scheduler.finished(id);
        prop_assert!(scheduler.tick(end, true).is_empty());
    }
}

#[test]
fn a_fire_that_waits_for_a_minute_is_reported_once() {
    let job = every_ten_minutes(0);
    let start = job.created_at;
    let mut scheduler = Scheduler::new(ScheduleSettings::classic());
    scheduler.set(job, &JobState::new(start), start);
    let told = (0..30)
        .flat_map(|minute| scheduler.tick(start + SignedDuration::from_mins(minute), false))
        .filter(|event| matches!(event, SchedulerEvent::Overdue { .. }))
        .count();
    assert_eq!(told, 1);
}
