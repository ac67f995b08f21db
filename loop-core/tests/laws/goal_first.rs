//! If the condition holds after a settled step, the run ends `goal_met`, whatever else is used up.

use std::time::Duration;

use loop_core::{Action, Ending, Event, EventKind, Input, OnLag, Stage};
use proptest::{collection::vec, prelude::*};

use crate::world::{
    End, GoalState, Live, Pauses, Reading, Sim, also_holds, holds, settings, through_json, worlds,
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
    holds(worlds(), |world| {
        let run = Sim::run(&world);
        let mut met = false;
        for told in &run.told {
            if let Input::Settled { met: true, by } = &told.input {
                met = true;
                let Some(Action::Finish(ending)) = &told.action else { panic!("it goes on: {told:?}") };
                assert!(ending.is_success());
                assert_eq!(ending.guardrail(), None);
                assert_eq!(Some(ending.message()), by.as_deref());
            }
        }
        // And no other run is a success.
        let ending = run.progress.ending().expect("the run is over");
        assert_eq!(ending.is_success(), met);
    });
}

#[test]
fn goal_first_when_driven() {
    also_holds(worlds(), |world| {
        let live = Live::run(&world);
        let met = is_met(&live.events);
        let report = live.report.expect("a report");
        assert_eq!(report.is_success(), met);
        if met {
            let step = report.last_step().expect("the step that met the goal");
            let made = matches!(world.job(Stage::Iteration, step.iteration()).end, End::Done(_));
            assert_eq!(report.output().copied(), made.then_some(step.iteration() * 10));
        }
    });
}

/// A run that died after its goal was met, and is cancelled before or when it is resumed.
#[test]
fn goal_first_over_deaths_and_cancellations() {
    also_holds(settings(0..80_usize), |(mut world, stop)| {
        let mut events = Sim::run(&world).events;
        let met =
            events.iter().position(|event| matches!(event.kind, EventKind::StepSettled { met: true, .. }));
        events.truncate(met.map_or(stop.min(events.len() - 1), |met| met + 1));
        (world.cancel, world.strays) = (Some(Duration::ZERO), Vec::new());
        let resumed = Sim::resume(&world, &events).events;
        assert_eq!(is_success(&resumed), is_met(&resumed));
        let read: Vec<Event> = events.iter().map(through_json).collect();
        let live = Live::with(&world, GoalState::new(&world.goal), &read, usize::MAX).expect("it goes on");
        assert_eq!(is_success(&live.events), is_met(&live.events));
    });
}

/// A reader holds the run up after its goal was met, and somebody cancels it meanwhile.
#[test]
fn goal_first_when_read_late() {
    let sleeps = vec((0..200_u64).prop_map(Duration::from_millis), 1..4);
    let late = (sleeps, 1..4_usize, 0..2_000_u64);
    also_holds(settings(late), |(mut world, (sleeps, channel, cancel))| {
        world.cancel = Some(Duration::from_millis(cancel));
        let pauses = Pauses { turns: Vec::new(), sleeps };
        let (events, _) = Reading::Spawned { pauses, channel, on_lag: OnLag::Hold }.run(&world);
        assert_eq!(is_success(&events), is_met(&events));
    });
}
