//! An id has the same jitter after every restart. It stays within its bounds, and never reaches the next slot.

use std::time::Duration;

use jiff::SignedDuration;
use loop_schedule::{Horizon, Jitter, JobId, JobState, ScheduleSettings, Scheduler, SchedulerEvent};
use proptest::prelude::*;

use crate::generators::{at, cases, job};

fn settings() -> impl Strategy<Value = ScheduleSettings> {
    let own = (0_u32..200, 0_u64..100_000).prop_map(|(percent, seconds)| {
        ScheduleSettings::classic().with_jitter(Jitter::CLASSIC.up_to(percent, Duration::from_secs(seconds)))
    });
    prop_oneof![Just(ScheduleSettings::classic()), Just(ScheduleSettings::current()), own]
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn a_fire_is_between_its_slot_and_the_next(
        job in job(at("2025-03-08T00:00:00Z")), settings in settings(),
    ) {
        let now = job.created_at;
        let first = job.first_fire(&settings, Horizon::Far, now).unwrap();
        prop_assert!(first.due >= job.created_at);
        if job.trigger.is_recurring() {
            prop_assert!(first.due >= first.slot);
            if let Some(next) = job.trigger.next_after(first.slot) {
                prop_assert!(first.due < next);
            }
        } else {
            prop_assert!(first.due <= first.slot);
            prop_assert!(first.slot.duration_since(first.due) < SignedDuration::from_secs(90));
        }
        if !job.jitter {
            prop_assert_eq!(first.due, first.slot);
        }
    }

    #[test]
    fn a_restart_changes_no_jitter(
        job in job(at("2025-03-08T00:00:00Z")), settings in settings(), restarts in 1_usize..4,
    ) {
        let now = job.created_at;
        let first = job.first_fire(&settings, Horizon::Far, now).unwrap();
        for _ in 0..restarts {
            let kept = serde_json::to_string(&job).unwrap();
            let job: loop_schedule::Job = serde_json::from_str(&kept).unwrap();
            let mut scheduler = Scheduler::new(settings.clone());
            let id = job.id;
            scheduler.set(job, &JobState::new(now), now);
            prop_assert_eq!(scheduler.status(id).unwrap().due, Some(first.due));
            let early = scheduler.tick(first.due - SignedDuration::from_millis(1), true);
            prop_assert!(!early.iter().any(|event| matches!(event, SchedulerEvent::Fired(_))));
        }
    }

    #[test]
    fn the_delay_is_the_ids_part_of_its_bound(bits: u32, interval in 60_u64..1_000_000) {
        let delay = Jitter::CLASSIC.delay(JobId::from_bits(bits), Duration::from_secs(interval));
        let bound = (interval as f64 / 10.0).min(900.0);
        let exact = bound * f64::from(bits) / 4_294_967_296.0;
        prop_assert!((delay.as_secs_f64() - exact).abs() < 0.01, "{delay:?} is about {exact} s");
    }
}
