//! Histories of events that cannot have happened in this order.

use loop_core::{Ending, Event, EventKind, Halt, Progress, RunTime, StopReason, Usage, Verdict, WorkResult};

/// Returns the damage that is found in these events, each with its time in microseconds.
fn damage(events: Vec<(u64, EventKind)>) -> String {
    let events: Vec<Event> =
        events.into_iter().map(|(at, kind)| Event::new(RunTime::from_micros(at), kind)).collect();
    Progress::from_events(&events).expect_err("it is damaged").to_string()
}

fn started() -> EventKind {
    EventKind::RunStarted { evaluated: false, evaluates_first: false }
}

fn begun(iteration: u64) -> EventKind {
    EventKind::IterationStarted { iteration, attempt: 1 }
}

#[test]
fn a_history_whose_time_runs_backwards_is_damaged() {
    assert_eq!(
        damage(vec![(7, started()), (6, begun(1))]),
        "the history is damaged at event 2 (`iteration_started`): the event before it happened later, at 7µs"
    );
}

#[test]
fn a_history_that_skips_or_repeats_an_iteration_is_damaged() {
    let settled = |next| {
        let finished = EventKind::IterationFinished { result: WorkResult::Done(()), notes: None };
        let settled = EventKind::StepSettled { met: false, by: None };
        vec![(0, started()), (0, begun(1)), (0, finished), (0, settled), (0, begun(next))]
    };
    for next in [1, 3] {
        assert_eq!(
            damage(settled(next)),
            "the history is damaged at event 5 (`iteration_started`): the iteration before it is 1"
        );
    }
}

#[test]
fn a_history_begins_with_the_start_of_its_run() {
    for (kind, name) in [
        (EventKind::RunResumed {}, "run_resumed"),
        (EventKind::UsageReported { usage: Usage::unknown() }, "usage_reported"),
    ] {
        let found = damage(vec![(0, kind)]);
        let expected = format!(
            "the history is damaged at event 1 (`{name}`): it cannot happen while the run has not started"
        );
        assert_eq!(found, expected);
    }
}

#[test]
fn nothing_happens_after_the_end_of_a_run() {
    let ending = Box::new(Ending::halted(Halt::new(StopReason::Stagnated, "")));
    for (kind, name) in [
        (EventKind::UsageReported { usage: Usage::unknown() }, "usage_reported"),
        (EventKind::CancelRequested {}, "cancel_requested"),
    ] {
        let ended = EventKind::RunFinished { ending: ending.clone() };
        assert_eq!(
            damage(vec![(0, started()), (0, ended), (0, kind)]),
            format!("the history is damaged at event 3 (`{name}`): it cannot happen while the run is over")
        );
    }
}

fn ended(ending: Ending) -> EventKind {
    EventKind::RunFinished { ending: Box::new(ending) }
}

fn finished() -> EventKind {
    EventKind::IterationFinished { result: WorkResult::Done(()), notes: None }
}

#[test]
fn a_met_goal_is_the_end_of_a_run() {
    let settled = EventKind::StepSettled { met: true, by: None };
    let met = |last: Vec<EventKind>| {
        let before = vec![started(), begun(1), finished(), settled.clone()];
        before.into_iter().chain(last).map(|kind| (0, kind)).collect()
    };
    let halted = Ending::halted(Halt::new(StopReason::Failed, ""));
    assert_eq!(
        damage(met(vec![ended(halted)])),
        "the history is damaged at event 5 (`run_finished`): the step before it met the goal"
    );
    assert_eq!(
        damage(met(vec![ended(Ending::goal_met("")), EventKind::RunResumed {}])),
        "the history is damaged at event 6 (`run_resumed`): it cannot happen while the run is over"
    );
}

#[test]
fn interrupted_work_is_never_done() {
    let cause = Box::new(Ending::halted(Halt::new(StopReason::BudgetExceeded, "")));
    let interrupted = EventKind::InterruptRequested { cause };
    let judged = EventKind::RunStarted { evaluated: true, evaluates_first: false };
    let verdict = EventKind::EvaluationFinished { result: WorkResult::Done(Verdict::pass()), notes: None };
    for (events, found) in [
        (vec![started(), begun(1), interrupted.clone(), finished()], "event 4 (`iteration_finished`)"),
        (
            vec![judged, begun(1), finished(), EventKind::EvaluationStarted {}, interrupted, verdict],
            "event 6 (`evaluation_finished`)",
        ),
    ] {
        let damage = damage(events.into_iter().map(|kind| (0, kind)).collect());
        assert!(damage.starts_with(&format!("the history is damaged at {found}")), "{damage}");
    }
}

#[test]
fn a_history_with_the_same_event_twice_is_damaged() {
    let numbered = |event: &str| -> Event { serde_json::from_str(event).expect("an event") };
    let started = numbered(r#"{"sequence":1,"at":0,"kind":{"run_started":{"evaluated":false}}}"#);
    let usage = numbered(r#"{"sequence":2,"at":0,"kind":{"usage_reported":{"usage":{"input_tokens":1}}}}"#);
    let twice = Progress::from_events(&[started, usage.clone(), usage]).expect_err("it is damaged");
    assert_eq!(
        twice.to_string(),
        "the history is damaged at event 2 (`usage_reported`): the event before it has the number 2"
    );
}

#[test]
fn the_highest_number_of_an_event_leaves_room_for_as_many_again() {
    let reported = |sequence: u64| {
        let usage = format!(
            r#"{{"sequence":{sequence},"at":0,"kind":{{"usage_reported":{{"usage":{{"input_tokens":1}}}}}}}}"#
        );
        let usage: Event = serde_json::from_str(&usage).expect("an event");
        Progress::from_events(&[Event::new(RunTime::ZERO, started()), usage])
    };
    assert_eq!(reported(u64::MAX / 2).expect("a history").usage().tokens(), Some(1));
    assert!(reported(u64::MAX / 2 + 1).is_err());
}
