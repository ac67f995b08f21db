//! Senseless inputs: a broken driver passes anything to the machine, at any time.

use std::time::Duration;

use loop_core::{Action, Event, Input, Machine, Progress, RunTime, WorkResult};
use proptest::{collection::vec, option, prelude::*};

use super::{
    Exchange, Scenario,
    generate::{answers, notes, usages, verdicts},
    simulator::machine,
    tell::{addressed, some_id},
};

/// Inputs in any order, at times that may run backwards.
pub(crate) type RandomInputs = Vec<(u64, Input)>;

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
        6 => (results(Just(())), notes()).prop_map(|(result, notes)| Input::Iterated { id: some_id(), result, notes: notes.boxed() }),
        4 => (results(verdicts()), notes()).prop_map(|(result, notes)| Input::Evaluated { id: some_id(), result, notes: notes.boxed() }),
        6 => (prop::bool::weighted(0.2), any::<bool>())
            .prop_map(|(met, named)| Input::Settled { id: some_id(), met, by: (met && named).then(|| "chance".into()) }),
        3 => Just(Input::Waited { id: some_id() }),
        3 => answers().prop_map(|answer| Input::Answered { id: some_id(), answer }),
        3 => usages().prop_map(|usage| Input::Reported { usage }),
        2 => Just(Input::DeadlinePassed),
        1 => Just(Input::Cancelled),
        1 => Just(()).prop_map(|()| Input::Halted { halt: loop_core::Halt::new(loop_core::StopReason::custom("of_my_own"), "") }),
        1 => Just(Input::Resumed),
    ]
    .boxed()
}

/// Returns random inputs, mixed with inputs that the machine expects, so that the run gets somewhere.
pub(crate) fn random_inputs() -> impl Strategy<Value = RandomInputs> {
    let first = option::weighted(0.8, Just((0, Input::Started)));
    (first, vec((0..200_000_u64, inputs()), 0..60))
        .prop_map(|(first, rest)| first.into_iter().chain(rest).collect())
}

/// A machine after random inputs.
pub(crate) struct RandomRun {
    pub(crate) events: Vec<Event>,
    pub(crate) exchanges: Vec<Exchange>,
    pub(crate) progress: Progress,
}

impl RandomRun {
    pub(crate) fn of(scenario: &Scenario, random_inputs: &RandomInputs) -> Self {
        let (mut machine, _) = machine(scenario);
        let mut run = Self { events: Vec::new(), exchanges: Vec::new(), progress: Progress::default() };
        for (at, input) in random_inputs {
            run.tell(&mut machine, RunTime::from_micros(*at), input.clone());
        }
        run.progress = machine.progress().clone();
        run
    }

    fn tell(&mut self, machine: &mut Machine, at: RunTime, input: Input) -> Option<Action> {
        let (before, from) = (machine.progress().clone(), self.events.len());
        let input = addressed(machine, input);
        let action = machine.handle(at, input.clone()).unwrap_or(None);
        self.events.extend(machine.take_events());
        let (after, events) = (machine.progress().clone(), self.events.len());
        self.exchanges.push(Exchange { at, input, before, from, action: action.clone(), after, events });
        action
    }
}
