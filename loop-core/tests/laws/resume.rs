//! With an iteration that is a function of its index: stop after any prefix, restore, go on, and the
//! settled steps and the ending equal an uninterrupted run's, but for times, usage and the resume's
//! own events.

use std::sync::Arc;

use loop_core::{Ending, Event, EventKind, Mark, Phase, Progress, StopReason, Verdict};
use proptest::collection::vec;

use crate::world::{
    GoalState, Live, Rule, Sim, World, also_holds, holds, locked, places, through_json, unlimited,
};

/// A settled step without its times and usage.
#[derive(Debug, PartialEq)]
struct Settled {
    iteration: u64,
    marks: Vec<Mark>,
    verdict: Option<Verdict>,
    failure: Option<Arc<str>>,
    fault: Option<Arc<str>>,
    failures_in_a_row: u64,
    tree_unchanged: Option<u64>,
}

fn settled(events: &[Event]) -> Vec<Settled> {
    let mut progress = Progress::default();
    let mut steps = Vec::new();
    for event in events {
        progress.apply(event).expect("it follows");
        if let (EventKind::StepSettled { .. }, Some(step)) = (&event.kind, progress.last_step()) {
            steps.push(Settled {
                iteration: step.iteration(),
                marks: step.marks().to_vec(),
                verdict: step.verdict().cloned(),
                failure: step.failure().map(Arc::from),
                fault: step.fault().map(Arc::from),
                failures_in_a_row: progress.consecutive_failures(),
                tree_unchanged: progress.unchanged("tree"),
            });
        }
    }
    steps
}

fn ending(events: &[Event]) -> Ending {
    let progress = Progress::from_events(events).expect("a history");
    progress.ending().expect("the run is over").clone()
}

/// A prefix as a journal keeps it.
fn journal(events: &[Event], stop: usize) -> Vec<Event> {
    let whole = places(events, |kind| matches!(kind, EventKind::RunFinished { .. }));
    let stop = stop.min(whole[0]);
    events[..stop].iter().map(through_json).collect()
}

/// A run that dies after each of these numbers of further events, and is resumed each time; `None`
/// if it died so often in one step that it was given up.
fn with_deaths(world: &World, deaths: &[usize]) -> Option<Vec<Event>> {
    let mut kept = 0;
    let mut events = Sim::run(world).events;
    for death in deaths {
        kept += death;
        events = Sim::resume(world, &journal(&events, kept)).events;
        if ending(&events).reason() == Some(&StopReason::AttemptsExhausted) {
            return None;
        }
        kept = kept.min(events.len() - 1);
    }
    Some(events)
}

#[test]
fn resume() {
    holds((unlimited(), vec(0..40_usize, 1..6)), |(world, deaths)| {
        let whole = Sim::run(&world).events;
        if let Some(events) = with_deaths(&world, &deaths) {
            assert_eq!(settled(&events), settled(&whole));
            assert_eq!(ending(&events), ending(&whole));
        }
    });
}

/// Every prefix of a run, and not only some.
#[test]
fn resume_at_every_prefix() {
    let config = (unlimited(), 0..1_usize);
    also_holds(config, |(world, _)| {
        let whole = Sim::run(&world).events;
        for stop in 0..whole.len() {
            let events = Sim::resume(&world, &journal(&whole, stop)).events;
            assert_eq!(settled(&events), settled(&whole), "stopped after {stop}");
            assert_eq!(ending(&events), ending(&whole), "stopped after {stop}");
        }
    });
}

/// Work that was deferred leaves nothing behind but its bill: neither marks nor faults.
#[test]
fn resume_of_work_that_was_put_off() {
    also_holds(unlimited(), |world| {
        let mut prompt = world.clone();
        prompt.agent.iter_mut().chain(&mut prompt.judge).for_each(|job| job.put_off.clear());
        let (late, prompt) = (Sim::run(&world).events, Sim::run(&prompt).events);
        assert_eq!(settled(&late), settled(&prompt));
        assert_eq!(ending(&late), ending(&prompt));
    });
}

/// A run that has ended and is resumed begins no index that is settled, and each end says so once.
#[test]
fn resume_of_an_ended_run() {
    also_holds((crate::world::worlds(), 0..3_usize), |(mut world, times)| {
        let mut events = Sim::run(&world).events;
        for _ in 0..times {
            world.cancel = None;
            let before = settled(&events);
            let success = ending(&events).is_success();
            let resumed = Sim::resume(&world, &events).events;
            assert_eq!(
                success,
                resumed.len() == events.len(),
                "a goal that is met stays met, and nothing else does"
            );
            let after = settled(&resumed);
            assert_eq!(after[..before.len()], before[..]);
            assert!(after.is_sorted_by(|a, b| a.iteration < b.iteration), "{after:?}");
            events = resumed;
        }
    });
}

/// Who goes on with a run that ended for a person to look has looked: what had happened in a row, or had stayed the
/// same, begins anew, and does not end the run at once. What was used up stays so.
#[test]
fn resume_acknowledges_a_blockable_end() {
    also_holds(crate::world::worlds(), |mut world| {
        world.cancel = None;
        let events = Sim::run(&world).events;
        let before = Progress::from_events(&events).expect("a history");
        let ended = ending(&events);
        let resumed = Sim::resume(&world, &events).events;
        if ended.is_success() {
            return;
        }
        let further = &resumed[events.len()..];
        assert_eq!(further[0].kind, EventKind::RunResumed {});
        let after = Progress::from_events(&resumed[..=events.len()]).expect("a history");
        assert_eq!(after.usage(), before.usage());
        assert_eq!(after.iterations(), before.iterations());
        let (failures, unchanged) = match ended.is_blockable() {
            true => (0, before.unchanged("tree").map(|_| 0)),
            false => (before.consecutive_failures(), before.unchanged("tree")),
        };
        assert_eq!((after.consecutive_failures(), after.unchanged("tree")), (failures, unchanged));
        if !ended.is_blockable() {
            return;
        }
        let least = |limit: fn(&Rule) -> Option<u64>| {
            world.rails.iter().filter_map(|rail| limit(&rail.rule)).min().unwrap_or(0)
        };
        let count = |is_meant: fn(&EventKind) -> bool| places(further, is_meant).len() as u64;
        match ending(&resumed).reason() {
            Some(StopReason::ConsecutiveFailures) => {
                let limit = least(|rule| if let Rule::Failures(limit) = rule { Some(*limit) } else { None });
                assert!(count(|kind| matches!(kind, EventKind::StepSettled { .. })) >= limit);
            }
            Some(StopReason::Stagnated) => {
                let limit = least(|rule| if let Rule::Stagnant(limit) = rule { Some(*limit) } else { None });
                assert!(count(|kind| matches!(kind, EventKind::IterationStarted { .. })) >= limit);
            }
            _ => {}
        }
    });
}

#[test]
fn resume_when_driven() {
    also_holds((unlimited(), 0..60_usize), |(mut world, stop)| {
        world.strays.clear();
        let live = Live::run(&world);
        let stopped = Live::with(&world, GoalState::new(&world.goal), &[], stop).expect("a new run begins");
        let read: Vec<Event> = stopped.events.iter().map(through_json).collect();
        if Progress::from_events(&read).expect("a history").phase() == Phase::Ended {
            return;
        }
        // What the condition restores is what it saw, and the run tells it so.
        let resumed = Live::with(&world, GoalState::new(&world.goal), &read, usize::MAX).expect("it goes on");
        assert_eq!(settled(&resumed.events), settled(&live.events));
        assert_eq!(ending(&resumed.events), ending(&live.events));
        let (report, whole) = (resumed.report.expect("a report"), live.report.expect("a report"));
        assert_eq!(report.output(), whole.output());
        for probe in &resumed.probes {
            assert_eq!(locked(probe).events, resumed.events);
        }
    });
}
