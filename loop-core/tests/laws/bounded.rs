//! No run has more iterations than its bound, or begins one after its time limit, whatever the parts do. Across
//! resumes, an index is tried at most `MAX_ATTEMPTS` times.

use std::{collections::HashMap, time::Duration};

use loop_core::{
    Action, Ending, Event, EventKind, Guardrail, Halt, Input, MAX_ATTEMPTS, MAX_DEFERRALS, Machine,
    MaxIterations, OnLag, Progress, RunTime, Stage, StopReason, WorkResult,
};
use proptest::{collection::vec, prelude::*};

use crate::scenario::{
    Disk, DrivenRun, ReadMode, ReaderPauses, Rule, Run, Scenario, Simulator, TestGuardrail, also_holds,
    holds,
    random_inputs::{RandomRun, random_inputs},
    scenarios, settings,
    tell::{some_id, tell},
    times,
};

fn is_bounded(scenario: &Scenario, events: &[Event]) {
    let begun = events.iter().filter_map(|event| match event.kind {
        EventKind::IterationStarted { iteration, .. } => Some((event.at, iteration)),
        _ => None,
    });
    let time = time_limit(scenario).unwrap_or(Duration::MAX);
    for (at, iteration) in begun {
        assert!(iteration <= scenario.bound(), "iteration {iteration} is one too many");
        assert!(Duration::from(at) < time, "iteration {iteration} began at {at}, after {time:?}");
    }
}

fn time_limit(scenario: &Scenario) -> Option<Duration> {
    let limits = scenario.guardrails.iter().filter_map(|guardrail| match guardrail.rule {
        Rule::Elapsed(limit) => Some(limit),
        _ => None,
    });
    limits.min()
}

#[test]
fn bounded() {
    holds(scenarios(), |scenario| {
        let Run { events, progress, .. } = Simulator::run(&scenario);
        is_bounded(&scenario, &events);
        assert!(progress.iterations() <= scenario.bound());
    });
}

/// Beyond a limit only the first evaluation of a step begins: no iteration, no wait, and no evaluation that had begun
/// before.
fn begins_nothing_beyond_a_limit(scenario: &Scenario, events: &[Event]) {
    let mut guards: Vec<TestGuardrail> =
        scenario.guardrails.iter().map(|guardrail| TestGuardrail::restored(guardrail, &[])).collect();
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

/// The same holds however often it is resumed.
#[test]
fn bounded_beyond_a_limit() {
    also_holds(settings(0..4_usize), |(mut scenario, resumes)| {
        let mut events = Simulator::run(&scenario).events;
        scenario.cancel = None;
        for _ in 0..resumes {
            events = Simulator::resume(&scenario, &events).events;
        }
        begins_nothing_beyond_a_limit(&scenario, &events);
    });
}

#[test]
fn bounded_beyond_a_limit_when_driven() {
    also_holds(scenarios(), |scenario| {
        begins_nothing_beyond_a_limit(&scenario, &DrivenRun::run(&scenario).events);
    });
}

/// If a run's time was over before deferred work could be retried, a resume retries it.
#[test]
fn bounded_but_not_stuck() {
    also_holds(scenarios(), |mut scenario| {
        (scenario.cancel, scenario.strays) = (None, Vec::new());
        let events = Simulator::run(&scenario).events;
        let progress = Progress::from_events(&events).expect("a history");
        let ending = progress.ending().expect("the run is over");
        let is_stuck = ending.message().starts_with("the deferred work can be tried again");
        if is_stuck && progress.current_step().is_some_and(|step| step.iteration() > progress.iterations()) {
            let begins = &Simulator::resume(&scenario, &events).events[events.len()..];
            // The run may ask a person first.
            let kinds = |event: &Event| matches!(event.kind, EventKind::IterationStarted { .. });
            let asks = |event: &Event| matches!(event.kind, EventKind::QuestionAsked { .. });
            assert!(begins.iter().any(|event| kinds(event) || asks(event)), "{begins:?}");
        }
    });
}

/// Returns ways to read a run slowly, each with the times that the syncs of its journal take.
fn slow_surroundings() -> impl Strategy<Value = (ReadMode, Vec<Duration>)> {
    let sleeps = || vec(prop_oneof![times(), Just(Duration::from_secs(3_600))], 1..6);
    let pauses = || sleeps().prop_map(|sleeps| ReaderPauses { turns: Vec::new(), sleeps });
    let reading = prop_oneof![
        1 => Just(ReadMode::Nobody),
        2 => pauses().prop_map(ReadMode::Stream),
        4 => (pauses(), 0..9_usize)
            .prop_map(|(pauses, channel)| ReadMode::Spawned { pauses, channel, on_lag: OnLag::Hold }),
    ];
    (reading, vec(times(), 1..6))
}

/// A reader or a journal that takes long does not move the time limit: no iteration is called after it, and the time
/// that is left for work ends at the limit. An evaluation without time is the first one of its step, which happens in
/// any case.
#[test]
fn bounded_however_slow_the_surroundings() {
    holds(settings(slow_surroundings()), |(scenario, (reading, delays))| {
        let run = reading.run_on(&scenario, Some(Disk::new(delays)));
        is_bounded(&scenario, &run.events);
        let Some(limit) = time_limit(&scenario) else { return };
        for call in &run.calls {
            let is_over = call.at >= limit || call.left.is_zero();
            assert!(!is_over || call.stage == Stage::Evaluation, "{call:?} within {limit:?}");
            assert!(call.left.is_zero() || call.at + call.left <= limit, "{call:?} within {limit:?}");
        }
    });
}

#[test]
fn bounded_over_deaths() {
    also_holds(settings(vec(0..60_usize, 1..8)), |(scenario, deaths)| {
        let mut events = Simulator::run(&scenario).events;
        for death in deaths {
            // It dies again a little later, and sometimes earlier than the last time.
            let whole = events.iter().position(|event| matches!(event.kind, EventKind::RunFinished { .. }));
            events.truncate(whole.map_or(death, |end| end.min(death)));
            events = Simulator::resume(&scenario, &events).events;
        }
        is_bounded(&scenario, &events);
        let mut begun: HashMap<(u64, u32), u32> = HashMap::new();
        for event in &events {
            if let EventKind::IterationStarted { iteration, attempt } = event.kind {
                assert!(attempt <= MAX_ATTEMPTS, "iteration {iteration} is tried for the {attempt}th time");
                *begun.entry((iteration, attempt)).or_default() += 1;
            }
        }
        // Only deferred work begins again with the same number.
        let deferrals = events.iter().filter(|event| {
            matches!(event.kind, EventKind::IterationFinished { result: WorkResult::Later { .. }, .. })
        });
        let again: u32 = begun.values().map(|times| times - 1).sum();
        assert!(again as usize <= deferrals.count());
    });
}

#[test]
fn bounded_under_random_inputs() {
    also_holds(settings(random_inputs()), |(scenario, random_inputs)| {
        let run = RandomRun::of(&scenario, &random_inputs);
        is_bounded(&scenario, &run.events);
        assert!(run.progress.iterations() <= scenario.bound());
    });
}

/// A run that dies each time at the same place does not begin the index a fourth time.
#[test]
fn bounded_when_each_attempt_dies() {
    for stage in [Stage::Iteration, Stage::Evaluation] {
        let mut events = Vec::new();
        for attempt in 1..=MAX_ATTEMPTS {
            let (mut machine, action) = resumed(&events);
            let begun = Some(Action::Iterate { iteration: 1, attempt });
            match (stage, attempt) {
                (Stage::Iteration, _) => assert_eq!(action, begun),
                (Stage::Evaluation, 1) => {
                    assert_eq!(action, begun);
                    assert_eq!(tell(&mut machine, RunTime::ZERO, done()), Some(Action::Evaluate));
                }
                (Stage::Evaluation, _) => assert_eq!(action, Some(Action::Evaluate)),
            }
            events.extend(machine.take_events());
        }
        let Some(Action::Finish(ending)) = resumed(&events).1 else { panic!("it is begun again") };
        assert_eq!(ending.reason(), Some(&StopReason::AttemptsExhausted));
        assert!(ending.is_blockable());
    }
}

/// A resume resets the attempts only if they were the reason of the run's ending, which a person has seen then.
#[test]
fn bounded_over_endings_for_other_reasons() {
    let begun = |attempt| Some(Action::Iterate { iteration: 1, attempt });
    let mut events = Vec::new();
    for attempt in 1..=MAX_ATTEMPTS {
        let (mut machine, action) = resumed(&events);
        assert_eq!(action, begun(attempt));
        events.extend(machine.take_events());
        if attempt == 2 {
            // It dies, and ends for another reason on the resume.
            let halt = Halt::new(StopReason::BudgetExceeded, "");
            let ending = Box::new(Ending::halted(halt));
            events.extend([EventKind::RunResumed {}, EventKind::RunFinished { ending }].map(at_once));
        }
    }
    let (mut machine, action) = resumed(&events);
    assert!(
        matches!(action, Some(Action::Finish(ending)) if ending.reason() == Some(&StopReason::AttemptsExhausted))
    );
    events.extend(machine.take_events());
    assert_eq!(resumed(&events).1, begun(1));
}

fn at_once(kind: EventKind) -> Event {
    Event::new(RunTime::ZERO, kind)
}

/// Work that is deferred each time ends the run, and the ending names that work.
#[test]
fn bounded_when_work_is_deferred_for_ever() {
    for stage in [Stage::Iteration, Stage::Evaluation] {
        let (mut machine, mut action) = resumed(&[]);
        let mut tries = 0;
        let ending = loop {
            let input = match action.expect("an action") {
                Action::Iterate { .. } if stage == Stage::Evaluation => done(),
                Action::Iterate { .. } => {
                    tries += 1;
                    Input::Iterated { id: some_id(), result: LATER, notes: None }
                }
                Action::Evaluate => {
                    tries += 1;
                    let result = WorkResult::Later { after: Duration::ZERO };
                    Input::Evaluated { id: some_id(), result, notes: None }
                }
                Action::Finish(ending) => break ending,
                other => panic!("{other:?}"),
            };
            action = tell(&mut machine, RunTime::ZERO, input);
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
    Input::Iterated { id: some_id(), result: WorkResult::Done(()), notes: None }
}

fn resumed(events: &[Event]) -> (Machine, Option<Action>) {
    let mut machine = Machine::new(vec![Box::new(MaxIterations::new(3))], Box::new(Duration::ZERO), true);
    machine.restore(events).expect("a history");
    let begin = if events.is_empty() { Input::Started } else { Input::Resumed };
    let action = tell(&mut machine, RunTime::ZERO, begin);
    (machine, action)
}
