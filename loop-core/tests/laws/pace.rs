//! The run waits exactly as long as the pace requests, in virtual time, to the millisecond.

use std::time::Duration;

use loop_core::{Event, EventKind, Progress, Stage};

use crate::scenario::{DrivenRun, Run, Scenario, Simulator, also_holds, holds, scenarios};

/// A wait of the pace: the index after it, the requested duration and the actual one.
struct Paced {
    iterations: u64,
    asked: Duration,
    taken: Option<Duration>,
}

/// Returns the waits of the pace, without those for deferred work.
fn waits(events: &[Event]) -> Vec<Paced> {
    let mut progress = Progress::default();
    let mut waits: Vec<Paced> = Vec::new();
    let mut since = None;
    for (index, event) in events.iter().enumerate() {
        match &event.kind {
            EventKind::WaitStarted { duration, before: Stage::Iteration }
                if !is_deferred(&events[..index]) =>
            {
                since = Some(event.at);
                waits.push(Paced { iterations: progress.iterations(), asked: *duration, taken: None });
            }
            EventKind::WaitFinished {} => {
                if let (Some(wait), Some(since)) = (waits.last_mut(), since.take()) {
                    wait.taken = Some(event.at.since(since));
                }
            }
            _ => {}
        }
        progress.apply(event).expect("it follows");
    }
    waits
}

/// Returns whether the last work that ended was deferred.
fn is_deferred(events: &[Event]) -> bool {
    let ends = events.iter().rev().find_map(|event| match &event.kind {
        EventKind::IterationFinished { result, .. } => {
            Some(matches!(result, loop_core::WorkResult::Later { .. }))
        }
        EventKind::StepSettled { .. } => Some(false),
        _ => None,
    });
    ends.unwrap_or(false)
}

fn are_as_asked(scenario: &Scenario, events: &[Event]) -> Vec<Paced> {
    let waits = waits(events);
    for wait in &waits {
        assert!(wait.iterations > 0, "a wait before the first iteration");
        let delay = scenario.delay(wait.iterations);
        assert!(!delay.is_zero());
        assert!(wait.asked >= delay && wait.asked - delay < Duration::from_micros(1), "{:?}", wait.asked);
    }
    assert!(waits.is_sorted_by(|a, b| a.iterations < b.iterations), "two waits before one index");
    // Nothing begins without its wait.
    let mut progress = Progress::default();
    for event in events {
        if let EventKind::IterationStarted { iteration, .. } = event.kind {
            let before = iteration - 1;
            let waited = waits.iter().any(|wait| wait.iterations == before && wait.taken.is_some());
            assert!(before == 0 || waited || scenario.delay(before).is_zero(), "{iteration} begins at once");
        }
        progress.apply(event).expect("it follows");
    }
    waits
}

#[test]
fn pace() {
    holds(scenarios(), |scenario| {
        let Run { events, .. } = Simulator::run(&scenario);
        for wait in are_as_asked(&scenario, &events) {
            assert!(wait.taken.is_none_or(|taken| taken == wait.asked));
        }
    });
}

#[test]
fn pace_when_driven() {
    also_holds(scenarios(), |scenario| {
        let live = DrivenRun::run(&scenario);
        for wait in are_as_asked(&scenario, &live.events) {
            let Some(taken) = wait.taken else { continue };
            assert!(taken >= wait.asked && taken - wait.asked <= Duration::from_millis(1), "{taken:?}");
        }
    });
}
