//! The same inputs give the same events, byte for byte.

use loop_core::Event;

use crate::scenario::{
    DrivenRun, Simulator, also_holds, holds,
    random_inputs::{RandomRun, random_inputs},
    scenarios, settings, simulator_machine,
};

fn bytes(events: &[Event]) -> String {
    events.iter().map(|event| serde_json::to_string(event).expect("an event is written") + "\n").collect()
}

#[test]
fn deterministic() {
    holds(scenarios(), |scenario| {
        let run = Simulator::run(&scenario);
        assert_eq!(bytes(&run.events), bytes(&Simulator::run(&scenario).events));
        // Two machines with the same inputs behave the same.
        let (mut machine, _) = simulator_machine(&scenario);
        for exchange in &run.exchanges {
            assert_eq!(machine.handle(exchange.at, exchange.input.clone()), Ok(exchange.action.clone()));
        }
        assert_eq!(bytes(&run.events), bytes(&machine.take_events().collect::<Vec<_>>()));
    });
}

#[test]
fn deterministic_under_random_inputs() {
    also_holds(settings(random_inputs()), |(scenario, random_inputs)| {
        let events = |run: RandomRun| bytes(&run.events);
        assert_eq!(
            events(RandomRun::of(&scenario, &random_inputs)),
            events(RandomRun::of(&scenario, &random_inputs))
        );
    });
}

#[test]
fn deterministic_when_driven() {
    also_holds(scenarios(), |scenario| {
        assert_eq!(bytes(&DrivenRun::run(&scenario).events), bytes(&DrivenRun::run(&scenario).events));
    });
}
