//! Which guardrail is named depends only on the order given; whether the run halts does not.

use std::time::Duration;

use loop_core::{
    Action, Answer, Decision, Ending, Event, EventKind, Guardrail, Halt, Input, Progress, StopReason,
    WorkResult,
};
use proptest::{collection::vec, prelude::*};

use crate::world::{Guard, Rail, Run, Sim, Told, World, also_holds, holds, settings, worlds};

/// The first rail in order that calls for the run's end at this point, and how it ends then. Before
/// an iteration it is one that halts; in the middle of something, one that leaves nothing.
fn first(rails: &[Rail], before: &[Event], in_the_middle: bool) -> Option<Ending> {
    let progress = Progress::from_events(before).expect("a history");
    rails.iter().find_map(|rail| {
        let guard = Guard::restored(rail, before);
        let is_exhausted = guard.ceiling(&progress).is_exhausted();
        match guard.check(&progress) {
            Decision::Halt(halt) if !in_the_middle || is_exhausted => {
                Some(Ending::halted_by(rail.name, halt))
            }
            // It says so only by its ceiling.
            _ if is_exhausted => {
                Some(Ending::halted_by(rail.name, Halt::new(StopReason::TokensExceeded, "")))
            }
            _ => None,
        }
    })
}

/// For how long this input puts work off.
fn put_off(input: &Input) -> Duration {
    match input {
        Input::Iterated { result: WorkResult::Later { after }, .. }
        | Input::Evaluated { result: WorkResult::Later { after }, .. } => *after,
        _ => Duration::ZERO,
    }
}

fn is_put_off(input: &Input) -> bool {
    matches!(
        input,
        Input::Iterated { result: WorkResult::Later { .. }, .. }
            | Input::Evaluated { result: WorkResult::Later { .. }, .. }
    )
}

/// The first rail in order that does not leave so much time.
fn first_too_late(rails: &[Rail], before: &[Event], after: Duration) -> Option<&'static str> {
    let progress = Progress::from_events(before).expect("a history");
    let left = |rail: &&Rail| Guard::restored(rail, before).ceiling(&progress).time;
    rails.iter().find(|rail| left(rail).is_some_and(|left| left <= after)).map(|rail| rail.name)
}

/// Whether this input was the end of work that had been interrupted.
fn was_cut(run: &Run, told: &Told) -> bool {
    run.events[told.from..told.events].iter().any(|event| matches!(event.kind, EventKind::WorkCut { .. }))
}

/// Whoever ends the run, or cuts work, is the first in order that calls for it.
fn names_the_first(world: &World, run: &Run) {
    for told in &run.told {
        let before = &run.events[..told.events.saturating_sub(1)];
        let limit = matches!(told.input, Input::Reported { .. } | Input::DeadlinePassed);
        match (&told.action, &told.input) {
            (Some(Action::Interrupt { cause }), Input::Reported { .. } | Input::DeadlinePassed) => {
                assert_eq!(first(&world.rails, before, true).as_ref(), Some(&**cause));
            }
            // Work is deferred beyond a limit, or beyond the end of its time.
            (Some(Action::Finish(ending)), input) if is_put_off(input) && !was_cut(run, told) => {
                match first(&world.rails, before, put_off(input) > Duration::ZERO) {
                    Some(crossed) => assert_eq!(crossed, **ending),
                    None => {
                        assert_eq!(first_too_late(&world.rails, before, put_off(input)), ending.guardrail());
                    }
                }
            }
            // Whose question it was is named, and whose cut it was has been named above.
            (_, Input::Answered { answer: None | Some(Answer::Stop) }) => {}
            (Some(Action::Finish(ending)), _) if ending.guardrail().is_some() && !was_cut(run, told) => {
                assert_eq!(first(&world.rails, before, limit).as_ref(), Some(&**ending));
            }
            _ => {}
        }
    }
}

/// Everything but who is named, and what a person was asked in which order.
fn course(run: &Run) -> (u64, u64, Option<u64>, bool) {
    let progress = &run.progress;
    let last = progress.last_step().map(loop_core::StepRecord::iteration);
    let ending = progress.ending().expect("the run is over");
    (progress.now().as_micros(), progress.iterations(), last, ending.guardrail().is_some())
}

#[test]
fn guard_order() {
    let order = vec(any::<u64>(), 6);
    holds(settings(order), |(mut world, order)| {
        // A late report is told before the nth action, and the number of questions before it depends on the order.
        world.strays.clear();
        let mut other: World = world.clone();
        let mut keyed: Vec<_> = order.into_iter().zip(other.rails).collect();
        keyed.sort_by_key(|(key, _)| *key);
        other.rails = keyed.into_iter().map(|(_, rail)| rail).collect();

        let (run, permuted) = (Sim::run(&world), Sim::run(&other));
        assert_eq!(course(&run), course(&permuted));
        names_the_first(&world, &run);
        names_the_first(&other, &permuted);
    });
}

/// Halts go before questions, wherever they stand.
#[test]
fn guard_order_halts_before_it_asks() {
    also_holds(worlds(), |world| {
        let run = Sim::run(&world);
        for (index, event) in run.events.iter().enumerate() {
            if let EventKind::QuestionAsked { index: place, guardrail, .. } = &event.kind {
                let before = &run.events[..index];
                let progress = Progress::from_events(before).expect("a history");
                assert_eq!(world.rails[*place].name, guardrail);
                for (at, rail) in world.rails.iter().enumerate() {
                    let decision = Guard::restored(rail, before).check(&progress);
                    assert!(!matches!(decision, Decision::Halt(_)), "{rail:?} halts, and a person is asked");
                    if at == *place {
                        assert!(matches!(decision, Decision::Ask(_)));
                    }
                }
            }
        }
    });
}
