//! The same inputs give the same events, byte for byte.

use loop_core::Event;

use crate::world::{
    Live, Sim, also_holds,
    chaos::{Ruin, nonsense},
    holds, settings, sim_machine, worlds,
};

fn bytes(events: &[Event]) -> String {
    events.iter().map(|event| serde_json::to_string(event).expect("an event is written") + "\n").collect()
}

#[test]
fn deterministic() {
    holds(worlds(), |world| {
        let run = Sim::run(&world);
        assert_eq!(bytes(&run.events), bytes(&Sim::run(&world).events));
        // A machine that is told the same says the same.
        let (mut machine, _) = sim_machine(&world);
        for told in &run.told {
            assert_eq!(machine.handle(told.at, told.input.clone()), told.action);
        }
        assert_eq!(bytes(&run.events), bytes(&machine.take_events().collect::<Vec<_>>()));
    });
}

#[test]
fn deterministic_under_nonsense() {
    also_holds(settings(nonsense()), |(world, nonsense)| {
        let events = |ruin: Ruin| bytes(&ruin.events);
        assert_eq!(events(Ruin::of(&world, &nonsense)), events(Ruin::of(&world, &nonsense)));
    });
}

#[test]
fn deterministic_when_driven() {
    also_holds(worlds(), |world| {
        assert_eq!(bytes(&Live::run(&world).events), bytes(&Live::run(&world).events));
    });
}
