//! The fold of the events equals the live progress, at every prefix, also after the events were
//! written down and read again; restored parts equal live parts.

use loop_core::{BuildError, Event, EventKind, Guardrail, Input, Progress, RunTime};
use proptest::{collection::vec, prelude::any, sample::Index, strategy::Strategy};

use crate::world::{
    Goal, GoalState, Guard, Live, Sim, World, also_holds,
    chaos::{Ruin, nonsense},
    holds, locked, settings, sim_machine, through_json, worlds,
};

/// The progress after each number of events.
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
    holds(worlds(), |world| {
        let run = Sim::run(&world);
        let read: Vec<Event> = run.events.iter().map(through_json).collect();
        assert_eq!(read, run.events);
        let folded = prefixes(&read);
        for told in &run.told {
            assert_eq!(told.before, folded[told.from]);
            assert_eq!(told.after, folded[told.events]);
        }
        // Between two inputs only the guardrails look; they saw the fold as well.
        for (rail, probe) in world.rails.iter().zip(&run.probes) {
            let shown = locked(probe);
            assert_eq!(shown.events, run.events);
            for (seen, progress) in &shown.checks {
                assert_eq!(progress, &folded[*seen]);
                let restored = Guard::restored(rail, &read[..*seen]);
                let live = Guard::restored(rail, &run.events[..*seen]);
                assert_eq!(restored.check(progress), live.check(progress));
                assert_eq!(restored.ceiling(progress), live.ceiling(progress));
            }
        }
        let restored = GoalState::restored(&world.goal, &read);
        assert_eq!(format!("{restored:?}"), format!("{:?}", run.goal));
    });
}

#[test]
fn replay_of_a_restored_machine() {
    also_holds(settings(0..80_usize), |(world, stop)| {
        let mut events = Sim::run(&world).events;
        events.truncate(stop);
        let run = Sim::resume(&world, &events);
        let folded = prefixes(&run.events);
        for told in &run.told {
            assert_eq!(told.after, folded[told.events]);
        }
        for probe in &run.probes {
            assert_eq!(locked(probe).events, run.events);
        }
        let all = run.events.len();
        assert_eq!(GoalState::restored(&Goal::Never, &run.events).seen, all);
        assert_eq!(run.goal.seen, all);
    });
}

/// A history with events lost, doubled or out of order folds up to the damage that is found, and a run goes on from
/// what was folded. Doubled and disordered events are found always.
#[test]
fn replay_of_a_damaged_history() {
    also_holds(
        settings((damages(), nonsense(), any::<bool>())),
        |(world, (damages, nonsense, is_numbered))| {
            let whole = Sim::run(&world).events;
            let mut events = damaged(&whole, &damages);
            let in_order = events.is_sorted_by(|a, b| a.sequence < b.sequence);
            if !is_numbered {
                events.iter_mut().for_each(|event| event.sequence = 0);
            }
            let (mut machine, _) = sim_machine(&world);
            if machine.restore(&events).is_err() {
                let folds = |count: &usize| Progress::from_events(&events[..*count]).is_ok();
                events.truncate((0..events.len()).rev().find(folds).expect("nothing is a history"));
            } else {
                // Of reports that followed each other a reader may have found only the last, with their sum.
                let missing = |pair: &[Event]| {
                    pair[1].sequence != pair[0].sequence + 1
                        && !matches!(pair[1].kind, EventKind::UsageReported { .. })
                };
                let is_whole = in_order && !events.windows(2).any(missing);
                assert!(is_whole || !is_numbered, "the damage is not found: {events:?}");
            }
            machine.handle(RunTime::ZERO, Input::Resumed);
            for (at, input) in nonsense {
                machine.handle(RunTime::from_micros(at), input);
            }
            let all: Vec<Event> = events.iter().cloned().chain(machine.take_events()).collect();
            assert_eq!(machine.progress(), &loop_core::Progress::from_events(&all).expect("a history"));
        },
    );
}

/// No history makes a loop panic, whether it was evaluated as the loop is or not.
#[test]
fn replay_of_a_damaged_history_when_driven() {
    also_holds(settings((damages(), any::<bool>())), |(world, (damages, evaluated))| {
        let mut events = damaged(&Sim::run(&world).events, &damages);
        events.iter_mut().for_each(|event| event.sequence = 0);
        let world = World { evaluated, ..world };
        match Live::with(&world, GoalState::new(&world.goal), &events, usize::MAX) {
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

/// Events lost, doubled and moved, each at a place.
fn damages() -> impl Strategy<Value = Vec<(u8, Index)>> {
    vec((0..3_u8, any::<Index>()), 0..4)
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
            _ => events.swap(place, place + 1),
        }
    }
    events
}

#[test]
fn replay_under_nonsense() {
    also_holds(settings(nonsense()), |(world, nonsense)| {
        let ruin = Ruin::of(&world, &nonsense);
        let read: Vec<Event> = ruin.events.iter().map(through_json).collect();
        let folded = prefixes(&read);
        for told in &ruin.told {
            assert_eq!(told.after, folded[told.events]);
        }
        assert!(read.is_sorted_by_key(|event| event.at), "time runs backwards");
    });
}
