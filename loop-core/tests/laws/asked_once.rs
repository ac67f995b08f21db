//! Each guardrail's question is asked once an iteration, and never in a run that halts anyway.

use std::{collections::HashSet, time::Duration};

use loop_core::{Answer, Decision, Event, EventKind, Guardrail, Phase, Progress};
use proptest::prelude::*;

use crate::world::{Guard, Live, Rail, Rule, Sim, World, also_holds, holds, places, settings, worlds};

fn are_asked_once(world: &World, places_from: usize, events: &[Event]) {
    let mut asked = HashSet::new();
    let mut continued = HashSet::new();
    let mut progress = Progress::default();
    let mut question = None;
    for (index, event) in events.iter().enumerate() {
        let iterations = progress.iterations();
        let decisions = || {
            let guards = world.rails.iter().map(|rail| Guard::restored(rail, &events[..index]));
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
    holds(worlds(), |world| are_asked_once(&world, 0, &Sim::run(&world).events));
}

/// Over deaths as well, but for the question that was being asked when the run died.
#[test]
fn asked_once_over_deaths() {
    also_holds(settings(0..60_usize), |(world, stop)| {
        let mut events = Sim::run(&world).events;
        events.truncate(stop.min(events.len() - 1));
        while Progress::from_events(&events).expect("a history").phase() == Phase::Asking {
            events.pop();
        }
        are_asked_once(&world, 0, &Sim::resume(&world, &events).events);
    });
}

/// Who takes up a run that ended with a question has seen it: the same question is not asked again.
#[test]
fn asked_once_and_acknowledged_by_a_resume() {
    also_holds(worlds(), |world| {
        let run = Sim::run(&world);
        let asked = run.told.last().is_some_and(|told| told.before.phase() == Phase::Asking);
        if asked && run.progress.ending().is_some_and(|ending| ending.guardrail().is_some()) {
            let resumed = Sim::resume(&world, &run.events);
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

/// Before each iteration somebody said yes to every question, or resumed the run that had ended with it. A run that
/// ended for anything else while the question was open, or after it had died so, has no answer.
#[test]
fn asked_once_is_not_answered_by_another_end() {
    also_holds(settings((0..4_usize, any::<bool>(), any::<bool>())), |(mut world, (nth, cancels, dies))| {
        world.cancel = None;
        world.cancel_at_question = cancels.then_some(nth);
        let mut events = Sim::run(&world).events;
        world.cancel_at_question = None;
        let open = places(&events, |kind| matches!(kind, EventKind::QuestionAsked { .. }));
        if let Some(open) = open.get(nth).filter(|_| dies) {
            events.truncate(open + 1);
            // When it is resumed its time is over, and then it is given more.
            let mut over = world.clone();
            over.rails.push(Rail { id: 99, name: "over", rule: Rule::Elapsed(Duration::ZERO) });
            events = Sim::resume(&over, &events).events;
        }
        for _ in 0..2 {
            events = Sim::resume(&world, &events).events;
        }
        somebody_agreed(&world, &events);
    });
}

fn somebody_agreed(world: &World, events: &[Event]) {
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
                for (place, rail) in world.rails.iter().enumerate() {
                    let asks =
                        matches!(Guard::restored(rail, &events[..index]).check(&progress), Decision::Ask(_));
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
    // The driven loop has a bound of its own in the first place.
    also_holds(worlds(), |world| are_asked_once(&world, 1, &Live::run(&world).events));
}
