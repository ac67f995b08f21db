//! If iterations are functions of their index, you can stop after any prefix, restore and continue. The settled steps
//! and the ending then equal those of an uninterrupted run, except for times, usage and the resume's own events.
//!
//! This also holds after a power cut, which takes events that the journal had not synced: no settled step is lost, and
//! at most one attempt goes uncounted.

use std::sync::Arc;

use loop_core::{Ending, Event, EventKind, Mark, Phase, Progress, StopReason, Verdict};
use proptest::{collection::vec, prop_oneof, strategy::Just, strategy::Strategy};

use crate::scenario::{
    Death, Disk, DrivenRun, GoalState, Rule, Scenario, Simulator, also_holds, holds, last_output, locked,
    places, through_json, times, unlimited,
};

/// A settled step without its times and usage.
#[derive(Debug, PartialEq)]
pub(crate) struct Settled {
    iteration: u64,
    marks: Vec<Mark>,
    verdict: Option<Verdict>,
    failure: Option<Arc<str>>,
    fault: Option<Arc<str>>,
    failures_in_a_row: u64,
    tree_unchanged: Option<u64>,
}

pub(crate) fn settled(events: &[Event]) -> Vec<Settled> {
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

pub(crate) fn ending(events: &[Event]) -> Ending {
    let progress = Progress::from_events(events).expect("a history");
    progress.ending().expect("the run is over").clone()
}

/// Returns a prefix of the events as a journal stores it.
fn journal(events: &[Event], stop: usize) -> Vec<Event> {
    let whole = places(events, |kind| matches!(kind, EventKind::RunFinished { .. }));
    let stop = stop.min(whole[0]);
    events[..stop].iter().map(through_json).collect()
}

/// Runs, dies after each of these numbers of further events, and resumes each time. Returns `None` if it died too often
/// in one step and gave up.
fn with_deaths(scenario: &Scenario, deaths: &[usize]) -> Option<Vec<Event>> {
    let mut kept = 0;
    let mut events = Simulator::run(scenario).events;
    for death in deaths {
        kept += death;
        events = Simulator::resume(scenario, &journal(&events, kept)).events;
        if ending(&events).reason() == Some(&StopReason::AttemptsExhausted) {
            return None;
        }
        kept = kept.min(events.len() - 1);
    }
    Some(events)
}

#[test]
fn resume() {
    holds((unlimited(), vec(0..40_usize, 1..6)), |(scenario, deaths)| {
        let whole = Simulator::run(&scenario).events;
        if let Some(events) = with_deaths(&scenario, &deaths) {
            assert_eq!(settled(&events), settled(&whole));
            assert_eq!(ending(&events), ending(&whole));
        }
    });
}

/// Tries every prefix of a run, not only some.
#[test]
fn resume_at_every_prefix() {
    let config = (unlimited(), 0..1_usize);
    also_holds(config, |(scenario, _)| {
        let whole = Simulator::run(&scenario).events;
        for stop in 0..whole.len() {
            let events = Simulator::resume(&scenario, &journal(&whole, stop)).events;
            assert_eq!(settled(&events), settled(&whole), "stopped after {stop}");
            assert_eq!(ending(&events), ending(&whole), "stopped after {stop}");
        }
    });
}

/// Deferred work leaves only its usage behind: neither marks nor faults.
#[test]
fn resume_of_deferred_work() {
    also_holds(unlimited(), |scenario| {
        let mut prompt = scenario.clone();
        prompt.agent.iter_mut().chain(&mut prompt.judge).for_each(|job| job.deferrals.clear());
        let (late, prompt) = (Simulator::run(&scenario).events, Simulator::run(&prompt).events);
        assert_eq!(settled(&late), settled(&prompt));
        assert_eq!(ending(&late), ending(&prompt));
    });
}

/// A resumed run that had ended does not repeat a settled index, and each of its ends is recorded once.
#[test]
fn resume_of_an_ended_run() {
    also_holds((crate::scenario::scenarios(), 0..3_usize), |(mut scenario, times)| {
        let mut events = Simulator::run(&scenario).events;
        for _ in 0..times {
            scenario.cancel = None;
            let before = settled(&events);
            let success = ending(&events).is_success();
            let resumed = Simulator::resume(&scenario, &events).events;
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

/// Resuming a run that ended for human review counts as that review. Counts of consecutive failures and of unchanged
/// marks restart, so that the run does not end again at once. Used-up limits stay used up.
#[test]
fn resume_acknowledges_a_blockable_end() {
    also_holds(crate::scenario::scenarios(), |mut scenario| {
        scenario.cancel = None;
        let events = Simulator::run(&scenario).events;
        let before = Progress::from_events(&events).expect("a history");
        let ended = ending(&events);
        let resumed = Simulator::resume(&scenario, &events).events;
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
            scenario.guardrails.iter().filter_map(|guardrail| limit(&guardrail.rule)).min().unwrap_or(0)
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
    also_holds((unlimited(), 0..60_usize), |(mut scenario, stop)| {
        scenario.strays.clear();
        let live = DrivenRun::run(&scenario);
        let stopped =
            DrivenRun::with(&scenario, GoalState::new(&scenario.goal), &[], stop).expect("a new run begins");
        let read: Vec<Event> = stopped.events.iter().map(through_json).collect();
        let before = Progress::from_events(&read).expect("a history");
        if before.phase() == Phase::Ended {
            return;
        }
        // The condition starts without state, and the run shows it the earlier events.
        let resumed = DrivenRun::with(&scenario, GoalState::new(&scenario.goal), &read, usize::MAX)
            .expect("it goes on");
        assert_eq!(settled(&resumed.events), settled(&live.events));
        assert_eq!(ending(&resumed.events), ending(&live.events));
        let (report, whole) = (resumed.report.expect("a report"), live.report.expect("a report"));
        // A journal stores one output. If the stored one belongs to a step that is never settled, the last settled step
        // has none.
        let finished = before.current_step().filter(|step| step.iteration() == before.iterations());
        let is_stored = finished.is_some_and(|step| last_output(&read) == Some(step.iteration() * 10));
        let is_lost = is_stored && settled(&resumed.events).len() == settled(&read).len();
        assert_eq!(report.output(), whole.output().filter(|_| !is_lost));
        for probe in &resumed.probes {
            assert_eq!(locked(probe).events, resumed.events);
        }
    });
}

/// [`Disk::check_before_iteration`] checks what a power cut could take.
#[test]
fn resume_after_a_power_cut() {
    let death = prop_oneof![Just(Death::Killed), (0..9_usize).prop_map(Death::PowerCut)];
    let deaths = vec((0..40_usize, death), 1..4);
    holds((unlimited(), deaths, vec(times(), 1..5)), |(mut scenario, deaths, delays)| {
        scenario.strays.clear();
        let disk = Disk::new(delays);
        for (stop, death) in &deaths {
            DrivenRun::on_disk(&scenario, &disk, *stop);
            disk.survive(death);
            if Progress::from_events(&disk.events()).is_ok_and(|progress| progress.phase() == Phase::Ended) {
                return;
            }
        }
        let events = DrivenRun::on_disk(&scenario, &disk, usize::MAX).events;
        if ending(&events).reason() != Some(&StopReason::AttemptsExhausted) {
            let whole = DrivenRun::run(&scenario).events;
            assert_eq!(settled(&events), settled(&whole));
            assert_eq!(ending(&events), ending(&whole));
            // Others can see the end of the run, so nothing may take it back.
            disk.survive(&Death::PowerCut(0));
            assert_eq!(disk.events(), events, "the journal has every event");
        }
    });
}
