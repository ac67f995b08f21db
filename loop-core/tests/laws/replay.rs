//! The fold of the events equals the live progress, at every prefix, also after the events were
//! written down and read again; restored parts equal live parts.

use loop_core::{Event, Guardrail, Input, Progress, RunTime};
use proptest::{collection::vec, prelude::any, sample::Index};

use crate::world::{
    Goal, GoalState, Guard, Sim, also_holds,
    chaos::{Ruin, nonsense},
    holds, locked, settings, sim_machine, through_json, worlds,
};

/// The progress after each number of events.
fn prefixes(events: &[Event]) -> Vec<Progress> {
    let mut progress = Progress::default();
    let mut prefixes = vec![progress.clone()];
    for event in events {
        progress.apply(event);
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

/// A history with lines lost, doubled and out of order folds to something, and a run goes on from it.
#[test]
fn replay_of_a_damaged_history() {
    let damage = vec(any::<Index>(), 0..40);
    also_holds(settings((damage, nonsense())), |(world, (lines, nonsense))| {
        let whole = Sim::run(&world).events;
        let events: Vec<Event> = lines.iter().map(|line| line.get(&whole).clone()).collect();
        let (mut machine, _) = sim_machine(&world);
        machine.restore(&events);
        machine.handle(RunTime::ZERO, Input::Resumed);
        for (at, input) in nonsense {
            machine.handle(RunTime::from_micros(at), input);
        }
        let all: Vec<Event> = events.iter().cloned().chain(machine.take_events()).collect();
        assert_eq!(machine.progress(), &all.iter().collect());
    });
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
