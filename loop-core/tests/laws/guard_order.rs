//! The order of the guardrails decides only which one is named, not whether the run halts.

use std::time::Duration;

use loop_core::{
    Action, Answer, Decision, Ending, Event, EventKind, Guardrail, Halt, Input, Progress, StopReason,
    WorkResult,
};
use proptest::{collection::vec, prelude::*};

use crate::scenario::{
    Exchange, GuardrailSpec, Run, Scenario, Simulator, TestGuardrail, also_holds, holds, scenarios, settings,
};

/// Returns the ending that the first guardrail in order causes at this point. Before an iteration, that is a guardrail
/// that halts; in the middle of an iteration, a guardrail with an exhausted limit.
fn first(guardrails: &[GuardrailSpec], before: &[Event], in_the_middle: bool) -> Option<Ending> {
    let progress = Progress::from_events(before).expect("a history");
    guardrails.iter().find_map(|guardrail| {
        let guard = TestGuardrail::restored(guardrail, before);
        let is_exhausted = guard.ceiling(&progress).is_exhausted();
        match guard.check(&progress) {
            Decision::Halt(halt) if !in_the_middle || is_exhausted => {
                Some(Ending::halted_by(guardrail.name, halt))
            }
            // Only its ceiling shows it.
            _ if is_exhausted => {
                Some(Ending::halted_by(guardrail.name, Halt::new(StopReason::TokensExceeded, "")))
            }
            _ => None,
        }
    })
}

/// Returns for how long this input defers work.
fn deferral(input: &Input) -> Duration {
    match input {
        Input::Iterated { result: WorkResult::Later { after }, .. }
        | Input::Evaluated { result: WorkResult::Later { after }, .. } => *after,
        _ => Duration::ZERO,
    }
}

fn is_deferred(input: &Input) -> bool {
    matches!(
        input,
        Input::Iterated { result: WorkResult::Later { .. }, .. }
            | Input::Evaluated { result: WorkResult::Later { .. }, .. }
    )
}

/// Returns the first guardrail in order that leaves less than this time.
fn first_too_late(guardrails: &[GuardrailSpec], before: &[Event], after: Duration) -> Option<&'static str> {
    let progress = Progress::from_events(before).expect("a history");
    let left =
        |guardrail: &&GuardrailSpec| TestGuardrail::restored(guardrail, before).ceiling(&progress).time;
    guardrails
        .iter()
        .find(|guardrail| left(guardrail).is_some_and(|left| left <= after))
        .map(|guardrail| guardrail.name)
}

/// Returns whether this input ended interrupted work.
fn was_cut(run: &Run, exchange: &Exchange) -> bool {
    run.events[exchange.from..exchange.events]
        .iter()
        .any(|event| matches!(event.kind, EventKind::WorkCut { .. }))
}

/// The named guardrail is the first in order that ends the run or cuts the work.
fn names_the_first(scenario: &Scenario, run: &Run) {
    for exchange in &run.exchanges {
        let before = &run.events[..exchange.events.saturating_sub(1)];
        let limit = matches!(exchange.input, Input::Reported { .. } | Input::DeadlinePassed);
        match (&exchange.action, &exchange.input) {
            (Some(Action::Interrupt { cause }), Input::Reported { .. } | Input::DeadlinePassed) => {
                assert_eq!(first(&scenario.guardrails, before, true).as_ref(), Some(&**cause));
            }
            // Deferred work exceeds a limit, or the end of its time.
            (Some(Action::Finish(ending)), input) if is_deferred(input) && !was_cut(run, exchange) => {
                match first(&scenario.guardrails, before, deferral(input) > Duration::ZERO) {
                    Some(crossed) => assert_eq!(crossed, **ending),
                    None => {
                        assert_eq!(
                            first_too_late(&scenario.guardrails, before, deferral(input)),
                            ending.guardrail()
                        );
                    }
                }
            }
            // The ending names the guardrail that asked. The cause of a cut was checked above.
            (_, Input::Answered { answer: None | Some(Answer::Stop), .. }) => {}
            (Some(Action::Finish(ending)), _) if ending.guardrail().is_some() && !was_cut(run, exchange) => {
                assert_eq!(first(&scenario.guardrails, before, limit).as_ref(), Some(&**ending));
            }
            _ => {}
        }
    }
}

/// Returns everything except the named guardrail and the order of questions.
fn course(run: &Run) -> (u64, u64, Option<u64>, bool) {
    let progress = &run.progress;
    let last = progress.last_step().map(loop_core::StepRecord::iteration);
    let ending = progress.ending().expect("the run is over");
    (progress.now().as_micros(), progress.iterations(), last, ending.guardrail().is_some())
}

#[test]
fn guard_order() {
    let order = vec(any::<u64>(), 6);
    holds(settings(order), |(mut scenario, order)| {
        // A late report arrives before the nth action, and the number of questions before it depends on the order.
        scenario.strays.clear();
        let mut other: Scenario = scenario.clone();
        let mut keyed: Vec<_> = order.into_iter().zip(other.guardrails).collect();
        keyed.sort_by_key(|(key, _)| *key);
        other.guardrails = keyed.into_iter().map(|(_, guardrail)| guardrail).collect();

        let (run, permuted) = (Simulator::run(&scenario), Simulator::run(&other));
        assert_eq!(course(&run), course(&permuted));
        names_the_first(&scenario, &run);
        names_the_first(&other, &permuted);
    });
}

/// Halts come before questions, at any position.
#[test]
fn guard_order_halts_before_it_asks() {
    also_holds(scenarios(), |scenario| {
        let run = Simulator::run(&scenario);
        for (index, event) in run.events.iter().enumerate() {
            if let EventKind::QuestionAsked { index: place, guardrail, .. } = &event.kind {
                let before = &run.events[..index];
                let progress = Progress::from_events(before).expect("a history");
                assert_eq!(scenario.guardrails[*place].name, guardrail);
                for (at, guardrail) in scenario.guardrails.iter().enumerate() {
                    let decision = TestGuardrail::restored(guardrail, before).check(&progress);
                    assert!(
                        !matches!(decision, Decision::Halt(_)),
                        "{guardrail:?} halts, and a person is asked"
                    );
                    if at == *place {
                        assert!(matches!(decision, Decision::Ask(_)));
                    }
                }
            }
        }
    });
}
