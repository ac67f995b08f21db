//! After cancel nothing starts, and the run ends `cancelled` unless a settled step met the goal, or it was about to end
//! for another reason; a cut step is never settled.

use std::time::Duration;

use loop_core::{Answer, Event, EventKind, Progress, RunTime, StopReason, WorkResult};
use proptest::prelude::*;

use crate::world::{
    GoalState, Live, Sim, World, also_holds,
    chaos::{Ruin, nonsense},
    holds, settings, through_json, unlimited,
};

fn cancelled_worlds() -> impl Strategy<Value = World> {
    settings(0..600_u64).prop_map(|(mut world, at)| {
        world.cancel = Some(Duration::from_millis(at));
        world
    })
}

/// Inputs that may follow a cancellation, up to a resume of the ended run.
fn winds_up(events: &[Event]) {
    let (mut cancelled, mut called_off, mut met, mut ended) = (false, false, false, false);
    // It was about to end for another reason before it was cancelled.
    let mut was_due = false;
    for event in events {
        match &event.kind {
            EventKind::CancelRequested {} => (cancelled, called_off) = (true, true),
            // The driver's own end is a cancellation for another reason.
            EventKind::HaltRequested { .. } => {
                called_off = true;
                was_due |= !cancelled;
            }
            // Somebody resumes it after it had ended: a new matter.
            EventKind::RunResumed {} if ended => {
                (cancelled, called_off, met, ended, was_due) = (false, false, false, false, false);
            }
            EventKind::StepSettled { met: true, .. } => met = true,
            EventKind::IterationStarted { .. }
            | EventKind::EvaluationStarted {}
            | EventKind::WaitStarted { .. }
            | EventKind::QuestionAsked { .. } => assert!(!called_off, "{event:?} after a cancellation"),
            EventKind::RunFinished { ending } => {
                ended = true;
                let is_cancelled = ending.reason() == Some(&StopReason::Cancelled);
                assert_eq!(is_cancelled, cancelled && !met && !was_due, "{ending}");
                assert_eq!(ending.is_success(), met);
            }
            EventKind::InterruptRequested { .. }
            | EventKind::IterationFinished { result: WorkResult::Halted(_), .. }
            | EventKind::EvaluationFinished { result: WorkResult::Halted(_), .. }
            | EventKind::QuestionAnswered { answer: None | Some(Answer::Stop) } => was_due |= !cancelled,
            _ => {}
        }
    }
}

/// A step that was cut in its iteration is gone for good; one cut in its evaluation may be judged after a resume.
fn cut_steps_stay_unsettled(events: &[Event]) {
    let mut cut = false;
    for event in events {
        match event.kind {
            EventKind::InterruptRequested { .. } => cut = true,
            EventKind::RunResumed {} => cut = false,
            EventKind::StepSettled { .. }
            | EventKind::IterationFinished { .. }
            | EventKind::EvaluationFinished { .. } => assert!(!cut, "{event:?} of work that was cut"),
            _ => {}
        }
    }
}

#[test]
fn cancel() {
    holds(cancelled_worlds(), |world| {
        let run = Sim::run(&world);
        winds_up(&run.events);
        cut_steps_stay_unsettled(&run.events);
        // A run that was still going when it was cancelled knows of it.
        let told = run.events.iter().any(|event| event.kind == EventKind::CancelRequested {});
        let at = RunTime::from(world.cancel.expect("a time"));
        assert!(told || run.progress.now() <= at, "cancelled at {at}, ended at {}", run.progress.now());
    });
}

#[test]
fn cancel_under_nonsense() {
    also_holds(settings(nonsense()), |(world, nonsense)| {
        let ruin = Ruin::of(&world, &nonsense);
        winds_up(&ruin.events);
        cut_steps_stay_unsettled(&ruin.events);
    });
}

/// A run that died and is cancelled before it is resumed begins nothing, and uses nothing up.
#[test]
fn cancel_before_a_resume() {
    also_holds((unlimited(), 1..80_usize), |(mut world, stop)| {
        world.strays.clear();
        let mut events = Sim::run(&world).events;
        events.truncate(stop.min(events.len() - 1));
        world.cancel = Some(Duration::ZERO);
        let before = Progress::from_events(&events).expect("a history");
        let read: Vec<Event> = events.iter().map(through_json).collect();
        let live = Live::with(&world, GoalState::new(&world.goal), &read, usize::MAX).expect("it goes on");
        winds_up(&live.events);
        assert_eq!(live.report.expect("a report").iterations(), before.iterations());
    });
}

#[test]
fn cancel_when_driven() {
    also_holds(cancelled_worlds(), |world| {
        let live = Live::run(&world);
        winds_up(&live.events);
        cut_steps_stay_unsettled(&live.events);
        let report = live.report.expect("a report");
        let told = live.events.iter().any(|event| event.kind == EventKind::CancelRequested {});
        assert!(told || report.reason() != Some(&StopReason::Cancelled));
    });
}
