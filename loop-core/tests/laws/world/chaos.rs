//! Inputs that make no sense: a driver gone wrong tells the machine anything, at any time.

use std::time::Duration;

use loop_core::{Action, Event, Input, Machine, Progress, RunTime, WorkResult};
use proptest::{collection::vec, option, prelude::*};

use super::{
    Told, World,
    generate::{answers, notes, usages, verdicts},
    sim::machine,
};

/// Told in any order. Times may run backwards.
pub(crate) type Nonsense = Vec<(u64, Input)>;

fn results<T: std::fmt::Debug>(done: impl Strategy<Value = T>) -> impl Strategy<Value = WorkResult<T>> {
    let halt = loop_core::Halt::new(loop_core::StopReason::custom("of_my_own"), "it cannot go on");
    prop_oneof![
        6 => done.prop_map(WorkResult::Done),
        2 => Just(()).prop_map(|()| WorkResult::Failed("it broke".into())),
        1 => (0..3_000_000_u64).prop_map(|nanos| WorkResult::Later { after: Duration::from_nanos(nanos) }),
        1 => Just(()).prop_map(move |()| WorkResult::Halted(halt.clone())),
    ]
}

fn inputs() -> BoxedStrategy<Input> {
    prop_oneof![
        1 => Just(Input::Started),
        6 => (results(Just(())), notes()).prop_map(|(result, notes)| Input::Iterated { result, notes: notes.boxed() }),
        4 => (results(verdicts()), notes()).prop_map(|(result, notes)| Input::Evaluated { result, notes: notes.boxed() }),
        6 => (prop::bool::weighted(0.2), any::<bool>())
            .prop_map(|(met, named)| Input::Settled { met, by: (met && named).then(|| "chance".into()) }),
        3 => Just(Input::Waited),
        3 => answers().prop_map(|answer| Input::Answered { answer }),
        3 => usages().prop_map(|usage| Input::Reported { usage }),
        2 => Just(Input::DeadlinePassed),
        1 => Just(Input::Cancelled),
        1 => Just(()).prop_map(|()| Input::Halted { halt: loop_core::Halt::new(loop_core::StopReason::custom("of_my_own"), "") }),
        1 => Just(Input::Resumed),
    ]
    .boxed()
}

/// Nonsense, now and then with what the machine waits for in between, so that it gets somewhere.
pub(crate) fn nonsense() -> impl Strategy<Value = Nonsense> {
    let first = option::weighted(0.8, Just((0, Input::Started)));
    (first, vec((0..200_000_u64, inputs()), 0..60))
        .prop_map(|(first, rest)| first.into_iter().chain(rest).collect())
}

/// A machine that was told nonsense.
pub(crate) struct Ruin {
    pub(crate) events: Vec<Event>,
    pub(crate) told: Vec<Told>,
    pub(crate) progress: Progress,
}

impl Ruin {
    pub(crate) fn of(world: &World, nonsense: &Nonsense) -> Self {
        let (mut machine, _) = machine(world);
        let mut ruin = Self { events: Vec::new(), told: Vec::new(), progress: Progress::default() };
        for (at, input) in nonsense {
            ruin.tell(&mut machine, RunTime::from_micros(*at), input.clone());
        }
        ruin.progress = machine.progress().clone();
        ruin
    }

    fn tell(&mut self, machine: &mut Machine, at: RunTime, input: Input) -> Option<Action> {
        let (before, from) = (machine.progress().clone(), self.events.len());
        let action = machine.handle(at, input.clone());
        self.events.extend(machine.take_events());
        let (after, events) = (machine.progress().clone(), self.events.len());
        self.told.push(Told { at, input, before, from, action: action.clone(), after, events });
        action
    }
}
