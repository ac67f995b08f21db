//! After a cancellation nothing starts. The run ends as `cancelled`, unless a settled step met the goal or the run was
//! about to end for another reason. A cut step is never settled.

use std::time::Duration;

use loop_core::{Answer, Event, EventKind, Progress, RunTime, StopReason, WorkResult};
use proptest::prelude::*;

use crate::scenario::{
    DrivenRun, GoalState, Scenario, Simulator, also_holds, holds,
    random_inputs::{RandomRun, random_inputs},
    settings, through_json, unlimited,
};

fn cancelled_scenarios() -> impl Strategy<Value = Scenario> {
    settings(0..600_u64).prop_map(|(mut scenario, at)| {
        scenario.cancel = Some(Duration::from_millis(at));
        scenario
    })
}

/// Checks the inputs that may follow a cancellation, until the ended run is resumed.
fn winds_up(events: &[Event]) {
    let (mut cancelled, mut called_off, mut met, mut ended) = (false, false, false, false);
    // Whether it was about to end for another reason before the cancellation.
    let mut was_due = false;
    for event in events {
        match &event.kind {
            EventKind::CancelRequested {} => (cancelled, called_off) = (true, true),
            // When the driver itself halts the run, it is a cancellation for another reason.
            EventKind::HaltRequested { .. } => {
                called_off = true;
                was_due |= !cancelled;
            }
            // The ended run is resumed, which starts a new check.
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

/// A step that was cut in its iteration is lost. A step that was cut in its evaluation may be judged after a resume.
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
    holds(cancelled_scenarios(), |scenario| {
        let run = Simulator::run(&scenario);
        winds_up(&run.events);
        cut_steps_stay_unsettled(&run.events);
        // A run that was active when it was cancelled has recorded it.
        let requested = run.events.iter().any(|event| event.kind == EventKind::CancelRequested {});
        let at = RunTime::from(scenario.cancel.expect("a time"));
        assert!(requested || run.progress.now() <= at, "cancelled at {at}, ended at {}", run.progress.now());
    });
}

#[test]
fn cancel_under_random_inputs() {
    also_holds(settings(random_inputs()), |(scenario, random_inputs)| {
        let run = RandomRun::of(&scenario, &random_inputs);
        winds_up(&run.events);
        cut_steps_stay_unsettled(&run.events);
    });
}

/// A run that died and is cancelled before it is resumed begins nothing, and uses up no iteration.
#[test]
fn cancel_before_a_resume() {
    also_holds((unlimited(), 1..80_usize), |(mut scenario, stop)| {
        scenario.strays.clear();
        let mut events = Simulator::run(&scenario).events;
        events.truncate(stop.min(events.len() - 1));
        scenario.cancel = Some(Duration::ZERO);
        let before = Progress::from_events(&events).expect("a history");
        let read: Vec<Event> = events.iter().map(through_json).collect();
        let live = DrivenRun::with(&scenario, GoalState::new(&scenario.goal), &read, usize::MAX)
            .expect("it goes on");
        winds_up(&live.events);
        assert_eq!(live.report.expect("a report").iterations(), before.iterations());
    });
}

#[test]
fn cancel_when_driven() {
    also_holds(cancelled_scenarios(), |scenario| {
        let live = DrivenRun::run(&scenario);
        winds_up(&live.events);
        cut_steps_stay_unsettled(&live.events);
        let report = live.report.expect("a report");
        let requested = live.events.iter().any(|event| event.kind == EventKind::CancelRequested {});
        assert!(requested || report.reason() != Some(&StopReason::Cancelled));
    });
}
