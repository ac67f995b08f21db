//! No two fires include the same slot, whatever happens to ticks, clocks and restarts.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use loop_schedule::{Fire, Job, JobId, JobState, ScheduleSettings, Scheduler, SchedulerEvent};
use proptest::prelude::*;

use crate::generators::{at, cases, job};

#[derive(Debug, Clone)]
enum Step {
    /// The clock advances or is set back.
    Clock(i64),
    Tick {
        idle: bool,
    },
    Finish(usize),
    Answer(usize, bool),
    FireNow(usize),
    /// The process dies. The next one knows which fires were claimed.
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0_i64..200).prop_map(Step::Clock),
        2 => (0_i64..30_000).prop_map(Step::Clock),
        1 => (-30_000_i64..400_000).prop_map(Step::Clock),
        6 => any::<bool>().prop_map(|idle| Step::Tick { idle }),
        3 => any::<usize>().prop_map(Step::Finish),
        1 => (any::<usize>(), any::<bool>()).prop_map(|(job, fire)| Step::Answer(job, fire)),
        1 => any::<usize>().prop_map(Step::FireNow),
        1 => Just(Step::Restart),
    ]
}

struct Scenario {
    now: Timestamp,
    settings: ScheduleSettings,
    scheduler: Scheduler,
    kept: BTreeMap<JobId, (Job, JobState)>,
    settled: BTreeMap<JobId, Timestamp>,
}

impl Scenario {
    fn new(jobs: Vec<Job>, settings: ScheduleSettings, now: Timestamp) -> Self {
        let kept = jobs.into_iter().map(|job| (job.id, (job, JobState::new(now)))).collect();
        let scheduler = Scheduler::new(settings.clone());
        let mut scenario = Self { now, settings, scheduler, kept, settled: BTreeMap::new() };
        scenario.start();
        scenario
    }

    fn start(&mut self) {
        self.scheduler = Scheduler::new(self.settings.clone());
        for (job, state) in self.kept.values() {
            self.scheduler.set(job.clone(), state, self.now);
        }
    }

    fn id(&self, pick: usize) -> JobId {
        *self.kept.keys().nth(pick % self.kept.len()).unwrap()
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Clock(seconds) => self.now += SignedDuration::from_secs(seconds),
            Step::Finish(pick) => self.scheduler.finished(self.id(pick)),
            Step::Answer(pick, fire) => drop(self.scheduler.answer(self.id(pick), fire, self.now)),
            Step::FireNow(pick) => drop(self.scheduler.fire_now(self.id(pick), self.now)),
            Step::Restart => self.start(),
            Step::Tick { idle } => {
                for event in self.scheduler.tick(self.now, idle) {
                    if let SchedulerEvent::Fired(fire) = event {
                        self.fired(&fire);
                    }
                }
            }
        }
    }

    fn fired(&mut self, fire: &Fire) {
        let (_, state) = self.kept.get_mut(&fire.job.id).unwrap();
        assert!(state.claim(fire, self.now), "a scheduler that is alone claims what it fires");
        assert!(!state.claim(fire, self.now), "nothing can be claimed twice");
        let Some(slots) = fire.slots else { return };
        assert!(slots.first <= slots.last && slots.count > 0);
        if let Some(settled) = self.settled.insert(fire.job.id, slots.last) {
            assert!(slots.first > settled, "{} fired at {settled}, and again for {slots:?}", fire.job.id);
        }
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn whatever_happens(
        jobs in prop::collection::vec(job(at("2025-03-08T00:00:00Z")), 1..5),
        max_running in 1_usize..4,
        steps in prop::collection::vec(step(), 1..120),
    ) {
        let settings = ScheduleSettings::classic().with_max_running(max_running);
        let mut scenario = Scenario::new(jobs, settings, at("2025-03-08T00:00:00Z"));
        steps.iter().for_each(|step| scenario.step(step));
    }

    /// No slot is left out: if a delivery is always free, each slot fires separately.
    #[test]
    fn awake_and_free_every_slot_fires(job in job(at("2025-03-08T00:00:00Z"))) {
        let start = job.created_at;
        let settings = ScheduleSettings::classic().with_expiry(std::time::Duration::ZERO);
        let mut scheduler = Scheduler::new(settings);
        scheduler.set(job.clone(), &JobState::new(start), start);
        let mut fired = Vec::new();
        for minute in 0..3 * 1_440 {
            for event in scheduler.tick(start + SignedDuration::from_mins(minute), true) {
                if let SchedulerEvent::Fired(fire) = event {
                    fired.push(fire.slots.unwrap());
                    scheduler.finished(job.id);
                }
            }
        }
        let slots = std::iter::successors(job.trigger.next_after(start), |slot| job.trigger.next_after(*slot));
        for (slots, slot) in fired.iter().zip(slots) {
            prop_assert_eq!((slots.first, slots.count), (slot, 1));
        }
    }
}
