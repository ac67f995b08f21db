//! If the condition holds after a settled step, the run ends as `goal_met`, whatever else is exhausted.

use std::time::Duration;

use loop_core::{Action, Ending, Event, EventKind, Input, OnLag, Stage};
use proptest::{collection::vec, prelude::*};

use crate::scenario::{
    DrivenRun, End, GoalState, ReadMode, ReaderPauses, Simulator, also_holds, holds, scenarios, settings,
    through_json,
};

fn is_met(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event.kind, EventKind::StepSettled { met: true, .. }))
}

fn is_success(events: &[Event]) -> bool {
    let ending = events.iter().rev().find_map(|event| match &event.kind {
        EventKind::RunFinished { ending } => Some(ending),
        _ => None,
    });
    ending.is_some_and(|ending| Ending::is_success(ending))
}

#[test]
fn goal_first() {
    holds(scenarios(), |scenario| {
        let run = Simulator::run(&scenario);
        let mut met = false;
        for exchange in &run.exchanges {
            if let Input::Settled { met: true, by, .. } = &exchange.input {
                met = true;
                let Some(Action::Finish(ending)) = &exchange.action else {
                    panic!("it goes on: {exchange:?}")
                };
                assert!(ending.is_success());
                assert_eq!(ending.guardrail(), None);
                assert_eq!(Some(ending.message()), by.as_deref());
            }
        }
        // No other run is a success.
        let ending = run.progress.ending().expect("the run is over");
        assert_eq!(ending.is_success(), met);
    });
}

#[test]
fn goal_first_when_driven() {
    also_holds(scenarios(), |scenario| {
        let live = DrivenRun::run(&scenario);
        let met = is_met(&live.events);
        let report = live.report.expect("a report");
        assert_eq!(report.is_success(), met);
        if met {
            let step = report.last_step().expect("the step that met the goal");
            let index = step.iteration();
            let made = index == 0 || matches!(scenario.job(Stage::Iteration, index).end, End::Done(_));
            assert_eq!(report.output().copied(), made.then_some(step.iteration() * 10));
        }
    });
}

/// Covers a run that died after it met its goal, and is cancelled before or during the resume.
#[test]
fn goal_first_over_deaths_and_cancellations() {
    also_holds(settings(0..80_usize), |(mut scenario, stop)| {
        let mut events = Simulator::run(&scenario).events;
        let met =
            events.iter().position(|event| matches!(event.kind, EventKind::StepSettled { met: true, .. }));
        events.truncate(met.map_or(stop.min(events.len() - 1), |met| met + 1));
        (scenario.cancel, scenario.strays) = (Some(Duration::ZERO), Vec::new());
        let resumed = Simulator::resume(&scenario, &events).events;
        assert_eq!(is_success(&resumed), is_met(&resumed));
        let read: Vec<Event> = events.iter().map(through_json).collect();
        let live = DrivenRun::with(&scenario, GoalState::new(&scenario.goal), &read, usize::MAX)
            .expect("it goes on");
        assert_eq!(is_success(&live.events), is_met(&live.events));
    });
}

/// A reader delays the run after it met its goal, and the run is cancelled meanwhile.
#[test]
fn goal_first_when_read_late() {
    let sleeps = vec((0..200_u64).prop_map(Duration::from_millis), 1..4);
    let late = (sleeps, 1..4_usize, 0..2_000_u64);
    also_holds(settings(late), |(mut scenario, (sleeps, channel, cancel))| {
        scenario.cancel = Some(Duration::from_millis(cancel));
        let pauses = ReaderPauses { turns: Vec::new(), sleeps };
        let (events, _) = ReadMode::Spawned { pauses, channel, on_lag: OnLag::Hold }.run(&scenario);
        assert_eq!(is_success(&events), is_met(&events));
    });
}
