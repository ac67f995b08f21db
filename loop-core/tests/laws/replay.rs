//! At every prefix, the fold of the events equals the live progress, also after the events were serialized and read
//! again. Restored parts equal live parts.

use loop_core::{BuildError, Ending, Event, EventKind, Guardrail, Input, Progress, RunTime};
use proptest::{collection::vec, prelude::any, sample::Index, strategy::Strategy};

use crate::scenario::{
    DrivenRun, Goal, GoalState, Scenario, Simulator, TestGuardrail, also_holds, holds, locked,
    random_inputs::{RandomRun, random_inputs},
    scenarios, settings, simulator_machine,
    tell::tell,
    through_json,
};

/// Returns the progress after each number of events.
fn prefixes(events: &[Event]) -> Vec<Progress> {
    let mut progress = Progress::default();
    let mut prefixes = vec![progress.clone()];
    for event in events {
        progress.apply(event).expect("it follows");
        prefixes.push(progress.clone());
    }
    prefixes
}

#[test]
fn replay() {
    holds(scenarios(), |scenario| {
        let run = Simulator::run(&scenario);
        let read: Vec<Event> = run.events.iter().map(through_json).collect();
        assert_eq!(read, run.events);
        let folded = prefixes(&read);
        for exchange in &run.exchanges {
            assert_eq!(exchange.before, folded[exchange.from]);
            assert_eq!(exchange.after, folded[exchange.events]);
        }
        // Between two inputs only the guardrails can look; they have seen the fold too.
        for (guardrail, probe) in scenario.guardrails.iter().zip(&run.probes) {
            let shown = locked(probe);
            assert_eq!(shown.events, run.events);
            for (seen, progress) in &shown.checks {
                assert_eq!(progress, &folded[*seen]);
                let restored = TestGuardrail::restored(guardrail, &read[..*seen]);
                let live = TestGuardrail::restored(guardrail, &run.events[..*seen]);
                assert_eq!(restored.check(progress), live.check(progress));
                assert_eq!(restored.ceiling(progress), live.ceiling(progress));
            }
        }
        let restored = GoalState::restored(&scenario.goal, &read);
        assert_eq!(format!("{restored:?}"), format!("{:?}", run.goal));
    });
}

#[test]
fn replay_of_a_restored_machine() {
    also_holds(settings(0..80_usize), |(scenario, stop)| {
        let mut events = Simulator::run(&scenario).events;
        events.truncate(stop);
        let run = Simulator::resume(&scenario, &events);
        let folded = prefixes(&run.events);
        for exchange in &run.exchanges {
            assert_eq!(exchange.after, folded[exchange.events]);
        }
        for probe in &run.probes {
            assert_eq!(locked(probe).events, run.events);
        }
        let all = run.events.len();
        assert_eq!(GoalState::restored(&Goal::Never, &run.events).seen, all);
        assert_eq!(run.goal.seen, all);
    });
}

/// A history with lost, duplicated or disordered events folds up to the first damage that is found, and a run continues
/// from there. Duplicated and disordered events are always found.
#[test]
fn replay_of_a_damaged_history() {
    also_holds(
        settings((damages(), random_inputs(), any::<bool>())),
        |(scenario, (damages, random_inputs, is_numbered))| {
            let whole = Simulator::run(&scenario).events;
            let mut events = damaged(&whole, &damages);
            let in_order = events.is_sorted_by(|a, b| a.sequence < b.sequence);
            if !is_numbered {
                events.iter_mut().for_each(|event| event.sequence = 0);
            }
            let (mut machine, _) = simulator_machine(&scenario);
            if machine.restore(&events).is_err() {
                let folds = |count: &usize| Progress::from_events(&events[..*count]).is_ok();
                events.truncate((0..events.len()).rev().find(folds).expect("nothing is a history"));
            } else {
                // A reader may have received only the last of several consecutive reports, with their sum.
                let missing = |pair: &[Event]| {
                    pair[1].sequence != pair[0].sequence + 1
                        && !matches!(pair[1].kind, EventKind::UsageReported { .. })
                };
                let is_whole = in_order && !events.windows(2).any(missing);
                assert!(is_whole || !is_numbered, "the damage is not found: {events:?}");
            }
            tell(&mut machine, RunTime::ZERO, Input::Resumed);
            for (at, input) in random_inputs {
                tell(&mut machine, RunTime::from_micros(at), input);
            }
            let all: Vec<Event> = events.iter().cloned().chain(machine.take_events()).collect();
            assert_eq!(machine.progress(), &loop_core::Progress::from_events(&all).expect("a history"));
            let met = |event: &Event| matches!(event.kind, EventKind::StepSettled { met: true, .. });
            let is_success = machine.progress().ending().is_some_and(Ending::is_success);
            assert!(!is_success || all.iter().any(met), "{all:?}");
        },
    );
}

/// No history makes a loop panic, whether or not its evaluation matches the loop's.
#[test]
fn replay_of_a_damaged_history_when_driven() {
    also_holds(settings((damages(), any::<bool>())), |(scenario, (damages, evaluated))| {
        let mut events = damaged(&Simulator::run(&scenario).events, &damages);
        events.iter_mut().for_each(|event| event.sequence = 0);
        let scenario = Scenario { evaluated, ..scenario };
        match DrivenRun::with(&scenario, GoalState::new(&scenario.goal), &events, usize::MAX) {
            Ok(live) => assert!(live.report.is_some()),
            Err(
                BuildError::Damaged(_)
                | BuildError::EvaluatorChanged { .. }
                | BuildError::OutputMissing { .. },
            ) => {}
            Err(other) => panic!("{other}"),
        }
    });
}

/// Returns changes that lose, duplicate, move and forge events, each at a position.
fn damages() -> impl Strategy<Value = Vec<(u8, Index)>> {
    vec((0..5_u8, any::<Index>()), 0..4)
}

/// Returns an event after this one that claims a success.
fn forged(event: &Event, interrupts: bool) -> Event {
    let success = Box::new(Ending::goal_met("forged"));
    let kind = match interrupts {
        true => EventKind::InterruptRequested { cause: success },
        false => EventKind::RunFinished { ending: success },
    };
    let mut forged = Event::new(event.at, kind);
    forged.sequence = event.sequence;
    forged
}

fn damaged(whole: &[Event], damages: &[(u8, Index)]) -> Vec<Event> {
    let mut events = whole.to_vec();
    for (kind, place) in damages {
        if events.len() < 2 {
            break;
        }
        let place = place.index(events.len() - 1);
        match kind {
            0 => drop(events.remove(place)),
            1 => events.insert(place, events[place].clone()),
            2 => events.swap(place, place + 1),
            kind => events.insert(place + 1, forged(&events[place], *kind == 3)),
        }
    }
    events
}

#[test]
fn replay_under_random_inputs() {
    also_holds(settings(random_inputs()), |(scenario, random_inputs)| {
        let run = RandomRun::of(&scenario, &random_inputs);
        let read: Vec<Event> = run.events.iter().map(through_json).collect();
        let folded = prefixes(&read);
        for exchange in &run.exchanges {
            assert_eq!(exchange.after, folded[exchange.events]);
        }
        assert!(read.is_sorted_by_key(|event| event.at), "time runs backwards");
    });
}
