//! Any interleaving of two processes and a SIGKILL fires each slot at most once.

use std::collections::BTreeSet;

use jiff::Timestamp;
use loop_schedule::{
    FileStore, Fire, FireRecord, FireStage, FiringLock, Horizon, JobId, JobState, ScheduleSettings,
    Scheduler, SchedulerEvent, Trigger,
};
use proptest::prelude::*;

use crate::{job, minutes, now};

/// The next step of a process, which may be killed between any two steps.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// Advances the clock, which both share.
    Wait(u8),
    /// Takes the firing lock if it is free, and reads the jobs.
    Begin(usize),
    /// Checks what is due, and remembers the fire.
    Tick(usize),
    Claim(usize),
    /// Delivers what it has claimed.
    Deliver(usize),
    Finish(usize),
    Kill(usize),
    /// A person requests a fire.
    Want,
}

fn step() -> impl Strategy<Value = Step> {
    let process = 0..2_usize;
    prop_oneof![
        3 => (1..25_u8).prop_map(Step::Wait),
        3 => process.clone().prop_map(Step::Begin),
        4 => process.clone().prop_map(Step::Tick),
        4 => process.clone().prop_map(Step::Claim),
        4 => process.clone().prop_map(Step::Deliver),
        3 => process.clone().prop_map(Step::Finish),
        2 => process.prop_map(Step::Kill),
        1 => Just(Step::Want),
    ]
}

#[derive(Default)]
struct Process {
    lock: Option<FiringLock>,
    scheduler: Option<Scheduler>,
    fired: Option<Fire>,
    claimed: Option<Fire>,
    started: Option<Fire>,
}

struct Scenario {
    store: FileStore,
    now: Timestamp,
    processes: [Process; 2],
    delivered: BTreeSet<Timestamp>,
    uses_lock: bool,
}

impl Scenario {
    fn step(&mut self, step: Step) {
        let (id, now) = (JobId::from_bits(1), self.now);
        match step {
            Step::Wait(waited) => self.now += minutes(waited.into()),
            Step::Begin(at) => self.begin(at),
            Step::Tick(at) => {
                let process = &mut self.processes[at];
                let Some(scheduler) = &mut process.scheduler else { return };
                for event in scheduler.tick(now, true) {
                    if let SchedulerEvent::Fired(fire) = event {
                        process.fired = Some(fire);
                    }
                }
            }
            Step::Claim(at) => {
                let process = &mut self.processes[at];
                let Some(fire) = process.fired.take() else { return };
                if self.store.update(|jobs| jobs.claim(&fire, now)).unwrap().report(drop) {
                    process.claimed = Some(fire);
                } else if let Some(scheduler) = &mut process.scheduler {
                    scheduler.finished(id);
                }
            }
            Step::Deliver(at) => {
                let Some(fire) = self.processes[at].claimed.take() else { return };
                self.deliver(&fire);
                self.processes[at].started = Some(fire);
            }
            Step::Finish(at) => {
                let process = &mut self.processes[at];
                let Some(fire) = process.started.take() else { return };
                self.store.update(|jobs| jobs.finished(id, fire.number, now)).unwrap().report(drop);
                if let Some(scheduler) = &mut process.scheduler {
                    scheduler.finished(id);
                }
            }
            Step::Kill(at) => self.processes[at] = Process::default(),
            Step::Want => drop(self.store.update(|jobs| jobs.request_fire(id)).unwrap().report(drop)),
        }
    }

    fn begin(&mut self, at: usize) {
        let process = &mut self.processes[at];
        if self.uses_lock && process.lock.is_none() {
            let Some(lock) = self.store.try_lock_firing().unwrap() else { return };
            process.lock = Some(lock);
        }
        let jobs = self.store.read().unwrap().report(drop);
        let scheduler = process.scheduler.get_or_insert_with(|| Scheduler::new(ScheduleSettings::classic()));
        for record in jobs.records() {
            scheduler.set(record.job.clone(), &record.state, self.now);
        }
    }

    fn deliver(&mut self, fire: &Fire) {
        let number = fire.number;
        self.store.update(|jobs| jobs.started(fire.job.id, number, self.now)).unwrap().report(drop);
        let Some(slots) = fire.slots else { return };
        let mut slot = slots.first;
        let mut count = 0;
        while slot <= slots.last {
            assert!(self.delivered.insert(slot), "{slot} was delivered twice");
            count += 1;
            slot = fire.job.trigger.next_after(slot).unwrap();
        }
        assert_eq!(count, slots.count);
    }
}

fn tries(steps: &[Step], uses_lock: bool) -> Scenario {
    let folder = tempfile::tempdir().unwrap();
    let store = FileStore::at(folder.path().join("project"));
    let settings = ScheduleSettings::classic().with_expiry(std::time::Duration::ZERO);
    store.update(|jobs| jobs.add(job(1), &settings, Horizon::Year, now())).unwrap().report(drop).unwrap();
    let processes = Default::default();
    let mut scenario = Scenario { store, now: now(), processes, delivered: BTreeSet::new(), uses_lock };
    steps.iter().for_each(|step| scenario.step(*step));
    scenario
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_slot_fires_at_most_once(steps in prop::collection::vec(step(), 1..60)) {
        tries(&steps, true);
    }

    /// On a file system whose locks do not work, two processes may believe that they hold the lock. Then the claim
    /// decides.
    #[test]
    fn without_the_lock_the_claim_decides(steps in prop::collection::vec(step(), 1..60)) {
        tries(&steps, false);
    }
}

/// The model does fire: it is not safe because nothing happens.
#[test]
fn the_next_process_goes_on_where_a_killed_one_was() {
    use Step::{Begin, Claim, Deliver, Finish, Kill, Tick, Wait};
    let one = [Begin(0), Wait(10), Tick(0), Claim(0), Deliver(0), Finish(0)];
    // Killed after the claim: that slot is lost, and does not fire again.
    let killed = [Wait(10), Tick(0), Claim(0), Kill(0), Begin(1), Tick(1), Claim(1), Deliver(1)];
    let next = [Wait(10), Tick(1), Claim(1), Deliver(1), Finish(1)];
    let scenario = tries(&[&one[..], &killed, &next].concat(), true);
    let slots = ["2026-03-02T08:10:00Z", "2026-03-02T08:30:00Z"].map(|slot| slot.parse().unwrap());
    assert_eq!(scenario.delivered, BTreeSet::from(slots));
}

/// A one-shot is over if the process that claimed it is gone.
#[test]
fn a_claimed_one_shot_is_not_tried_again() {
    let mut state = JobState::new(now());
    let mut once = job(1);
    once.trigger = Trigger::At { time: now() + minutes(5) };
    let mut scheduler = Scheduler::new(ScheduleSettings::classic());
    scheduler.set(once.clone(), &state, now());
    scheduler.tick(now(), true);
    let events = scheduler.tick(now() + minutes(5), true);
    let [SchedulerEvent::Fired(fire), SchedulerEvent::Ended { .. }] = &events[..] else {
        panic!("{events:?}")
    };
    assert!(state.claim(fire, now()));
    assert_eq!(state.last_fire.as_ref().map(FireRecord::stage), Some(FireStage::Claimed));

    let mut next = Scheduler::new(ScheduleSettings::classic());
    next.set(once, &state, now());
    let events = next.tick(now() + minutes(60), true);
    assert!(matches!(events[..], [SchedulerEvent::Ended { .. }]), "{events:?}");
}
