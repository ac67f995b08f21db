//! Never more iterations than the bound, and none begun after the bound's time, whatever the parts
//! do. An index is tried at most `MAX_ATTEMPTS` times over resumes.

use std::{collections::HashMap, time::Duration};

use loop_core::{
    Action, Ending, Event, EventKind, Guardrail, Halt, Input, MAX_ATTEMPTS, MAX_DEFERRALS, Machine,
    MaxIterations, Progress, RunTime, Stage, StopReason, WorkResult,
};
use proptest::collection::vec;

use crate::world::{
    Guard, Live, Rule, Run, Sim, World, also_holds,
    chaos::{Ruin, nonsense},
    holds, settings, worlds,
};

fn is_bounded(world: &World, events: &[Event]) {
    let begun = events.iter().filter_map(|event| match event.kind {
        EventKind::IterationStarted { iteration, .. } => Some((event.at, iteration)),
        _ => None,
    });
    let time = world.rails.iter().filter_map(|rail| match rail.rule {
        Rule::Elapsed(limit) => Some(limit),
        _ => None,
    });
    let time = time.min().unwrap_or(Duration::MAX);
    for (at, iteration) in begun {
        assert!(iteration <= world.bound(), "iteration {iteration} is one too many");
        assert!(Duration::from(at) < time, "iteration {iteration} began at {at}, after {time:?}");
    }
}

#[test]
fn bounded() {
    holds(worlds(), |world| {
        let Run { events, progress, .. } = Sim::run(&world);
        is_bounded(&world, &events);
        assert!(progress.iterations() <= world.bound());
    });
}

/// Beyond a limit nothing begins but the first evaluation of a step: no iteration, no wait, and no evaluation that was
/// begun before.
fn begins_nothing_beyond_a_limit(world: &World, events: &[Event]) {
    let mut guards: Vec<Guard> = world.rails.iter().map(|rail| Guard::restored(rail, &[])).collect();
    let mut progress = Progress::default();
    let mut evaluations = 0;
    for event in events {
        let begins = match event.kind {
            EventKind::EvaluationStarted {} => {
                evaluations += 1;
                evaluations > 1
            }
            EventKind::IterationStarted { .. } => {
                evaluations = 0;
                true
            }
            EventKind::WaitStarted { .. } => true,
            _ => false,
        };
        for guard in guards.iter().filter(|_| begins) {
            assert!(!guard.ceiling(&progress).is_exhausted(), "{event:?} beyond {}", guard.name());
        }
        guards.iter_mut().for_each(|guard| guard.observe(event));
        progress.apply(event).expect("it follows");
    }
}

/// However often it is resumed.
#[test]
fn bounded_beyond_a_limit() {
    also_holds(settings(0..4_usize), |(mut world, resumes)| {
        let mut events = Sim::run(&world).events;
        world.cancel = None;
        for _ in 0..resumes {
            events = Sim::resume(&world, &events).events;
        }
        begins_nothing_beyond_a_limit(&world, &events);
    });
}

#[test]
fn bounded_beyond_a_limit_when_driven() {
    also_holds(worlds(), |world| begins_nothing_beyond_a_limit(&world, &Live::run(&world).events));
}

/// A run whose time was over before what was deferred could be tried is resumed, and tries it.
#[test]
fn bounded_but_not_stuck() {
    also_holds(worlds(), |mut world| {
        (world.cancel, world.strays) = (None, Vec::new());
        let events = Sim::run(&world).events;
        let progress = Progress::from_events(&events).expect("a history");
        let ending = progress.ending().expect("the run is over");
        let is_stuck = ending.message().starts_with("what was put off");
        if is_stuck && progress.current_step().is_some_and(|step| step.iteration() > progress.iterations()) {
            let begins = &Sim::resume(&world, &events).events[events.len()..];
            // A person may be asked first.
            let kinds = |event: &Event| matches!(event.kind, EventKind::IterationStarted { .. });
            let asks = |event: &Event| matches!(event.kind, EventKind::QuestionAsked { .. });
            assert!(begins.iter().any(|event| kinds(event) || asks(event)), "{begins:?}");
        }
    });
}

#[test]
fn bounded_over_deaths() {
    also_holds(settings(vec(0..60_usize, 1..8)), |(world, deaths)| {
        let mut events = Sim::run(&world).events;
        for death in deaths {
            // It dies again a little later, and sometimes before it got as far as the last time.
            let whole = events.iter().position(|event| matches!(event.kind, EventKind::RunFinished { .. }));
            events.truncate(whole.map_or(death, |end| end.min(death)));
            events = Sim::resume(&world, &events).events;
        }
        is_bounded(&world, &events);
        let mut begun: HashMap<(u64, u32), u32> = HashMap::new();
        for event in &events {
            if let EventKind::IterationStarted { iteration, attempt } = event.kind {
                assert!(attempt <= MAX_ATTEMPTS, "iteration {iteration} is tried for the {attempt}th time");
                *begun.entry((iteration, attempt)).or_default() += 1;
            }
        }
        // Only work that was deferred is begun again under the same number.
        let put_off = events.iter().filter(|event| {
            matches!(event.kind, EventKind::IterationFinished { result: WorkResult::Later { .. }, .. })
        });
        let again: u32 = begun.values().map(|times| times - 1).sum();
        assert!(again as usize <= put_off.count());
    });
}

#[test]
fn bounded_under_nonsense() {
    also_holds(settings(nonsense()), |(world, nonsense)| {
        let ruin = Ruin::of(&world, &nonsense);
        is_bounded(&world, &ruin.events);
        assert!(ruin.progress.iterations() <= world.bound());
    });
}

/// A run that dies at the same place each time does not begin the index a fourth time.
#[test]
fn bounded_when_each_attempt_dies() {
    for stage in [Stage::Iteration, Stage::Evaluation] {
        let mut events = Vec::new();
        for attempt in 1..=MAX_ATTEMPTS {
            let (mut machine, action) = taken_up(&events);
            let begun = Some(Action::Iterate { iteration: 1, attempt });
            match (stage, attempt) {
                (Stage::Iteration, _) => assert_eq!(action, begun),
                (Stage::Evaluation, 1) => {
                    assert_eq!(action, begun);
                    assert_eq!(machine.handle(RunTime::ZERO, done()), Some(Action::Evaluate));
                }
                (Stage::Evaluation, _) => assert_eq!(action, Some(Action::Evaluate)),
            }
            events.extend(machine.take_events());
        }
        let Some(Action::Finish(ending)) = taken_up(&events).1 else { panic!("it is begun again") };
        assert_eq!(ending.reason(), Some(&StopReason::AttemptsExhausted));
        assert!(ending.is_blockable());
    }
}

/// The tries are forgotten by a resume only if a person has seen them as the run's ending.
#[test]
fn bounded_over_endings_for_other_reasons() {
    let begun = |attempt| Some(Action::Iterate { iteration: 1, attempt });
    let mut events = Vec::new();
    for attempt in 1..=MAX_ATTEMPTS {
        let (mut machine, action) = taken_up(&events);
        assert_eq!(action, begun(attempt));
        events.extend(machine.take_events());
        if attempt == 2 {
            // It dies, and ends for another reason when it is resumed.
            let halt = Halt::new(StopReason::BudgetExceeded, "");
            let ending = Box::new(Ending::halted(halt));
            events.extend([EventKind::RunResumed {}, EventKind::RunFinished { ending }].map(at_once));
        }
    }
    let (mut machine, action) = taken_up(&events);
    assert!(
        matches!(action, Some(Action::Finish(ending)) if ending.reason() == Some(&StopReason::AttemptsExhausted))
    );
    events.extend(machine.take_events());
    assert_eq!(taken_up(&events).1, begun(1));
}

fn at_once(kind: EventKind) -> Event {
    Event::new(RunTime::ZERO, kind)
}

/// Work that is deferred each time ends the run, and the ending names whose work it was.
#[test]
fn bounded_when_work_is_put_off_for_ever() {
    for stage in [Stage::Iteration, Stage::Evaluation] {
        let (mut machine, mut action) = taken_up(&[]);
        let mut tries = 0;
        let ending = loop {
            let input = match action.expect("an action") {
                Action::Iterate { .. } if stage == Stage::Evaluation => done(),
                Action::Iterate { .. } => {
                    tries += 1;
                    Input::Iterated { result: LATER, notes: None }
                }
                Action::Evaluate => {
                    tries += 1;
                    let result = WorkResult::Later { after: Duration::ZERO };
                    Input::Evaluated { result, notes: None }
                }
                Action::Finish(ending) => break ending,
                other => panic!("{other:?}"),
            };
            action = machine.handle(RunTime::ZERO, input);
        };
        assert_eq!(tries, MAX_DEFERRALS);
        let reason = match stage {
            Stage::Iteration => StopReason::AgentUnavailable,
            Stage::Evaluation => StopReason::EvaluatorUnavailable,
        };
        assert_eq!(ending.reason(), Some(&reason));
    }
}

const LATER: WorkResult<()> = WorkResult::Later { after: Duration::ZERO };

fn done() -> Input {
    Input::Iterated { result: WorkResult::Done(()), notes: None }
}

fn taken_up(events: &[Event]) -> (Machine, Option<Action>) {
    let mut machine = Machine::new(vec![Box::new(MaxIterations::new(3))], Box::new(Duration::ZERO), true);
    machine.restore(events).expect("a history");
    let begin = if events.is_empty() { Input::Started } else { Input::Resumed };
    let action = machine.handle(RunTime::ZERO, begin);
    (machine, action)
}
