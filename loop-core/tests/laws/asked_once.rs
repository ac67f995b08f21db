//! Each guardrail's question is asked once per iteration, and never in a run that halts anyway.

use std::{collections::HashSet, time::Duration};

use loop_core::{Answer, Decision, Event, EventKind, Guardrail, Phase, Progress};
use proptest::prelude::*;

use crate::scenario::{
    DrivenRun, GuardrailSpec, Rule, Scenario, Simulator, TestGuardrail, also_holds, holds, places, scenarios,
    settings,
};

fn are_asked_once(scenario: &Scenario, places_from: usize, events: &[Event]) {
    let mut asked = HashSet::new();
    let mut continued = HashSet::new();
    let mut progress = Progress::default();
    let mut question = None;
    for (index, event) in events.iter().enumerate() {
        let iterations = progress.iterations();
        let decisions = || {
            let guards = scenario
                .guardrails
                .iter()
                .map(|guardrail| TestGuardrail::restored(guardrail, &events[..index]));
            guards.map(|guard| guard.check(&progress)).collect::<Vec<_>>()
        };
        match &event.kind {
            EventKind::QuestionAsked { index: place, .. } => {
                assert!(asked.insert((iterations, *place)), "asked twice before the same iteration");
                assert!(!decisions().iter().any(|decision| matches!(decision, Decision::Halt(_))));
                question = Some(*place);
            }
            EventKind::QuestionAnswered { answer: Some(Answer::Continue { .. }) } => {
                continued.insert((iterations, question.expect("a question")));
            }
            EventKind::IterationStarted { .. } => {
                for (place, decision) in decisions().iter().enumerate() {
                    let place = place + places_from;
                    let agreed = continued.contains(&(iterations, place));
                    assert!(agreed || !matches!(decision, Decision::Ask(_)), "nobody was asked");
                }
            }
            _ => {}
        }
        progress.apply(event).expect("it follows");
    }
}

#[test]
fn asked_once() {
    holds(scenarios(), |scenario| are_asked_once(&scenario, 0, &Simulator::run(&scenario).events));
}

/// Also across deaths of the run, except for the question that was open when the run died.
#[test]
fn asked_once_over_deaths() {
    also_holds(settings(0..60_usize), |(scenario, stop)| {
        let mut events = Simulator::run(&scenario).events;
        events.truncate(stop.min(events.len() - 1));
        while Progress::from_events(&events).expect("a history").phase() == Phase::Asking {
            events.pop();
        }
        are_asked_once(&scenario, 0, &Simulator::resume(&scenario, &events).events);
    });
}

/// Resuming a run that ended with a question acknowledges it: the same question is not asked again.
#[test]
fn asked_once_and_acknowledged_by_a_resume() {
    also_holds(scenarios(), |scenario| {
        let run = Simulator::run(&scenario);
        let asked = run.exchanges.last().is_some_and(|exchange| exchange.before.phase() == Phase::Asking);
        if asked && run.progress.ending().is_some_and(|ending| ending.guardrail().is_some()) {
            let resumed = Simulator::resume(&scenario, &run.events);
            are_asked_once_more(&run.events, &resumed.events);
        }
    });
}

fn are_asked_once_more(before: &[Event], events: &[Event]) {
    let place = |event: &Event| match event.kind {
        EventKind::QuestionAsked { index, .. } => Some(index),
        _ => None,
    };
    let last = before.iter().rev().find_map(place);
    let next = events[before.len()..]
        .iter()
        .take_while(|event| !matches!(event.kind, EventKind::IterationStarted { .. }));
    assert!(next.filter_map(place).all(|place| Some(place) != last), "the question was seen");
}

/// Before each iteration, a person answered every question with yes, or resumed the run that had ended with it. A run
/// that ended for another reason while the question was open, or after dying with it open, has no answer.
#[test]
fn asked_once_is_not_answered_by_another_end() {
    also_holds(
        settings((0..4_usize, any::<bool>(), any::<bool>())),
        |(mut scenario, (nth, cancels, dies))| {
            scenario.cancel = None;
            scenario.cancel_at_question = cancels.then_some(nth);
            let mut events = Simulator::run(&scenario).events;
            scenario.cancel_at_question = None;
            let open = places(&events, |kind| matches!(kind, EventKind::QuestionAsked { .. }));
            if let Some(open) = open.get(nth).filter(|_| dies) {
                events.truncate(open + 1);
                // On the resume its time is over; then its time limit is raised.
                let mut over = scenario.clone();
                over.guardrails.push(GuardrailSpec {
                    id: 99,
                    name: "over",
                    rule: Rule::Elapsed(Duration::ZERO),
                });
                events = Simulator::resume(&over, &events).events;
            }
            for _ in 0..2 {
                events = Simulator::resume(&scenario, &events).events;
            }
            somebody_agreed(&scenario, &events);
        },
    );
}

fn somebody_agreed(scenario: &Scenario, events: &[Event]) {
    let (mut agreed, mut question, mut progress) = (HashSet::new(), None, Progress::default());
    for (index, event) in events.iter().enumerate() {
        let iterations = progress.iterations();
        match &event.kind {
            EventKind::QuestionAsked { index: place, .. } => question = Some(((iterations, *place), false)),
            EventKind::QuestionAnswered { answer: Some(Answer::Continue { .. }) } => {
                agreed.extend(question.take().map(|(question, _)| question));
            }
            EventKind::QuestionAnswered { .. } => {
                question = question.map(|(question, _)| (question, true));
            }
            EventKind::RunFinished { ending } if ending.guardrail().is_none() => question = None,
            EventKind::RunResumed {} => {
                let seen = question.take().filter(|(_, ended)| *ended);
                agreed.extend(seen.map(|(question, _)| question));
            }
            EventKind::IterationStarted { .. } => {
                for (place, guardrail) in scenario.guardrails.iter().enumerate() {
                    let asks = matches!(
                        TestGuardrail::restored(guardrail, &events[..index]).check(&progress),
                        Decision::Ask(_)
                    );
                    assert!(!asks || agreed.contains(&(iterations, place)), "nobody agreed: {event:?}");
                }
            }
            _ => {}
        }
        progress.apply(event).expect("it follows");
    }
}

#[test]
fn asked_once_when_driven() {
    // The driven loop has its own bound in first place.
    also_holds(scenarios(), |scenario| are_asked_once(&scenario, 1, &DrivenRun::run(&scenario).events));
}
