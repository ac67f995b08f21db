//! After cancel nothing starts, and the run ends `cancelled` unless a settled step met the goal; a cut
//! step is never settled.

use std::time::Duration;

use loop_core::{Event, EventKind, RunTime, StopReason};
use proptest::prelude::*;

use crate::world::{
    Live, Sim, World, also_holds,
    chaos::{Ruin, nonsense},
    holds, settings,
};

fn cancelled_worlds() -> impl Strategy<Value = World> {
    settings(0..600_u64).prop_map(|(mut world, at)| {
        world.cancel = Some(Duration::from_millis(at));
        world
    })
}

/// What may come after a cancellation, up to a resume.
fn winds_up(events: &[Event]) {
    let mut cancelled = false;
    let mut called_off = false;
    let mut met = false;
    for event in events {
        match &event.kind {
            EventKind::CancelRequested {} => (cancelled, called_off) = (true, true),
            // The driver's own end is a cancellation for another reason.
            EventKind::HaltRequested { .. } => called_off = true,
            // Somebody takes it up again after it had ended: a new matter.
            EventKind::RunResumed {} => (cancelled, called_off, met) = (false, false, false),
            EventKind::StepSettled { met: true, .. } => met = true,
            EventKind::IterationStarted { .. }
            | EventKind::EvaluationStarted {}
            | EventKind::WaitStarted { .. }
            | EventKind::QuestionAsked { .. } => assert!(!called_off, "{event:?} after a cancellation"),
            EventKind::RunFinished { ending } if cancelled => {
                let reason = (!met).then_some(&StopReason::Cancelled);
                assert_eq!(ending.reason(), reason);
            }
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
        winds_up_unless_resumed(&ruin.events);
    });
}

/// Nonsense resumes a run that is being cancelled: it still ends.
fn winds_up_unless_resumed(events: &[Event]) {
    for run in events.split(|event| event.kind == EventKind::RunResumed {}) {
        winds_up(run);
        cut_steps_stay_unsettled(run);
    }
}

#[test]
fn cancel_when_driven() {
    also_holds(cancelled_worlds(), |world| {
        let live = Live::run(&world);
        winds_up(&live.events);
        cut_steps_stay_unsettled(&live.events);
        let report = live.report.expect("a report");
        let told = live.events.iter().any(|event| event.kind == EventKind::CancelRequested {});
        assert!(!told || matches!(report.reason(), Some(StopReason::Cancelled) | None));
    });
}
