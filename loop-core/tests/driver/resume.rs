//! Runs that are resumed.

use futures::StreamExt;
use loop_core::{
    BuildError, CancellationToken, Ending, EvaluationContext, Event, EventKind, Grant, Iteration,
    IterationContext, JudgedStep, Loop, Progress, RunTime, StopReason, Update, Verdict, WorkError,
    WorkResult, condition_fn, evaluator_fn, evaluator_passed, iteration_fn,
};

use crate::test_parts::{ms, never};

/// Passes the third iteration's output.
fn check() -> impl loop_core::Evaluator<u64> {
    evaluator_fn(async |cx: EvaluationContext<u64>| {
        Ok(if *cx.output() == 30 { Verdict::pass() } else { Verdict::fail() })
    })
}

fn agent() -> impl Iteration<Output = u64> {
    iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration() * 10))
}

/// Returns the events of a run up to the first of this kind.
async fn events_until(is: impl Fn(&EventKind) -> bool) -> Vec<Event> {
    let mut stream = Loop::new(agent())
        .evaluate(check())
        .until(evaluator_passed())
        .at_most(9)
        .stream()
        .expect("it is built");
    let mut events = Vec::new();
    while let Some(Update::Event(event)) = stream.next().await {
        let found = is(&event.kind);
        events.push(event);
        if found {
            return events;
        }
    }
    events
}

#[tokio::test(start_paused = true)]
async fn a_run_that_stopped_before_an_evaluation_needs_the_output() {
    let events = events_until(|kind| matches!(kind, EventKind::EvaluationStarted {})).await;
    let run = || Loop::new(agent()).evaluate(check()).until(evaluator_passed()).at_most(9);
    let missing = run().resume(events.clone(), None).run().await.unwrap_err();
    assert_eq!(missing, BuildError::OutputMissing { iteration: 1 });
    assert!(missing.to_string().contains("pass its output"), "{missing}");
    // An output that is evaluated first does not replace it, whether or not the run began with one.
    let mut began = events.clone();
    began[0].kind = EventKind::RunStarted { evaluated: true, evaluates_first: true };
    let verdict = EventKind::EvaluationFinished { result: WorkResult::Done(Verdict::fail()), notes: None };
    let first = [EventKind::EvaluationStarted {}, verdict, EventKind::StepSettled { met: false, by: None }];
    began.splice(1..1, first.map(|kind| Event::new(events[0].at, kind)));
    began.iter_mut().for_each(|event| event.sequence = 0);
    for events in [events.clone(), began] {
        let run =
            Loop::new(agent()).evaluate(check()).evaluate_first(30).until(evaluator_passed()).at_most(9);
        let missing = run.resume(events, None).run().await.unwrap_err();
        assert_eq!(missing, BuildError::OutputMissing { iteration: 1 });
    }

    let report = run().resume(events, Some(10)).run().await.unwrap();
    assert!(report.is_success());
    assert_eq!((report.iterations(), report.output()), (3, Some(&30)));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_stopped_before_a_step_was_settled_needs_the_output() {
    let events = events_until(|kind| matches!(kind, EventKind::EvaluationFinished { .. })).await;
    let made_ten = || condition_fn(|step: &JudgedStep<u64>, _: &Progress| step.output() == Some(&10));
    let run = || Loop::new(agent()).evaluate(check()).until(made_ten()).at_most(9);
    let missing = run().resume(events.clone(), None).run().await.unwrap_err();
    assert_eq!(missing, BuildError::OutputMissing { iteration: 1 });

    let report = run().resume(events, Some(10)).run().await.unwrap();
    assert!(report.is_success());
    assert_eq!((report.iterations(), report.output()), (1, Some(&10)));
}

#[tokio::test(start_paused = true)]
async fn an_iteration_knows_how_often_it_was_tried() {
    let agent = || iteration_fn(async |cx: IterationContext<u32>| Ok(cx.attempt()));
    let goal = || condition_fn(|_: &loop_core::Step<u32>, _: &Progress| true);
    let run = || Loop::new(agent()).until(goal()).at_most(3);
    assert_eq!(run().run().await.unwrap().output(), Some(&1));
    let died = events_until(|kind| matches!(kind, EventKind::IterationStarted { .. })).await;
    let died = died.into_iter().map(|event| match event.kind {
        EventKind::RunStarted { .. } => {
            Event::new(event.at, EventKind::RunStarted { evaluated: false, evaluates_first: false })
        }
        _ => event,
    });
    assert_eq!(run().resume(died.collect(), None).run().await.unwrap().output(), Some(&2));
}

/// Nobody stores the output that is evaluated first, so the resumed loop has to be given it again, until the step is
/// settled.
#[tokio::test(start_paused = true)]
async fn a_run_that_stopped_before_its_first_evaluation_needs_that_output() {
    let run = || Loop::new(agent()).evaluate(check());
    for died_after in [2, 3] {
        let mut stream = run().evaluate_first(7).until(evaluator_passed()).at_most(9).stream().unwrap();
        let mut events = Vec::new();
        while let Some(Update::Event(event)) = stream.next().await {
            events.push(event);
            if events.len() == died_after {
                break;
            }
        }
        assert_eq!(events[1].kind, EventKind::EvaluationStarted {});
        let missing =
            run().until(evaluator_passed()).at_most(9).resume(events.clone(), None).run().await.unwrap_err();
        assert_eq!(
            missing.to_string(),
            "the run stopped before the first output was evaluated: pass that output to `.evaluate_first(output)`"
        );
        let again = run().evaluate_first(7).until(evaluator_passed()).at_most(9).resume(events, None);
        assert_eq!(again.run().await.unwrap().iterations(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn a_note_for_the_first_iteration_outlives_the_evaluation_before_it() {
    let noted = iteration_fn(async |cx: IterationContext<u64>| {
        assert_eq!(cx.guidance(), Some("look at the logs"));
        Ok(cx.iteration() * 10)
    });
    let started = EventKind::RunStarted { evaluated: true, evaluates_first: true };
    let run = Loop::new(noted).evaluate(check()).evaluate_first(7).until(never()).at_most(1);
    let run = run.resume(vec![Event::new(RunTime::ZERO, started)], None);
    let report = run.grant(Grant::default().with_note("look at the logs")).run().await.unwrap();
    assert_eq!(report.iterations(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_history_that_lost_an_iteration_is_damaged() {
    let mut events = events_until(|kind| matches!(kind, EventKind::EvaluationStarted {})).await;
    events.retain(|event| {
        !matches!(event.kind, EventKind::IterationStarted { .. } | EventKind::IterationFinished { .. })
    });
    let run = || Loop::new(agent()).evaluate(check()).until(evaluator_passed()).at_most(9);
    let damaged = run().resume(events, Some(10)).run().await.unwrap_err();
    assert_eq!(
        damaged.to_string(),
        "the run cannot be resumed: the history is damaged at event 4 (`evaluation_started`): it cannot happen while \
         the next iteration is due; resume from an undamaged copy, or start a new run"
    );
}

#[tokio::test(start_paused = true)]
async fn a_history_without_its_first_event_is_damaged_for_every_loop() {
    let events = events_until(|kind| matches!(kind, EventKind::EvaluationStarted {})).await;
    let without = Loop::new(agent()).until(never()).at_most(9).resume(events[1..].to_vec(), Some(10));
    let BuildError::Damaged(damage) = without.run().await.unwrap_err() else { panic!("it is damaged") };
    assert_eq!(damage.number(), 2);
}

#[tokio::test(start_paused = true)]
async fn events_of_a_loop_with_an_evaluator_are_not_those_of_one_without() {
    let events = events_until(|kind| matches!(kind, EventKind::StepSettled { .. })).await;
    let run = Loop::new(agent()).until(never()).at_most(9).resume(events, Some(10));
    assert_eq!(run.run().await.unwrap_err(), BuildError::EvaluatorChanged { recorded: true });
}

#[tokio::test(start_paused = true)]
async fn a_loop_without_goal_or_with_a_bound_of_zero_is_not_built() {
    let zero = Loop::new(agent()).until(never()).at_most(0).run().await.unwrap_err();
    assert_eq!(zero, BuildError::ZeroBound);
    // It fails to build even with another bound.
    let one = Loop::new(agent()).until(never()).at_most(0).at_most_for(ms(9)).at_most(2);
    assert_eq!(one.run().await.unwrap_err(), BuildError::ZeroBound);
    let other = Loop::new(agent()).until(never()).at_most_for(ms(0)).at_most(2).at_most_for(ms(9));
    assert_eq!(other.run().await.unwrap_err(), BuildError::ZeroBound);
    assert_eq!(Loop::new(agent()).at_most(2).run().await.unwrap_err(), BuildError::NoGoal);
}

#[tokio::test(start_paused = true)]
async fn an_ended_run_goes_on_under_a_larger_bound() {
    let collect = |bound| Loop::new(agent()).until(never()).at_most(bound);
    let events = record(collect(2)).await;
    let last = events.last().expect("events");
    assert!(matches!(last.kind, EventKind::RunFinished { .. }));
    let report = collect(5).resume(events, Some(20)).run().await.unwrap();
    assert_eq!(report.iterations(), 5);
    assert_eq!(report.reason(), Some(&StopReason::MaxIterations));
}

async fn record<S, I>(run: Loop<I, S, loop_core::Bounded>) -> Vec<Event>
where
    I: Iteration + 'static,
    S: loop_core::LoopStep<Output = I::Output> + 'static,
{
    use futures::StreamExt;
    let updates: Vec<Update<I::Output>> = run.stream().expect("it is built").collect().await;
    let events = updates.into_iter().filter_map(|update| match update {
        Update::Event(event) => Some(event),
        Update::Report(_) => None,
    });
    events.collect()
}

#[tokio::test(start_paused = true)]
async fn a_met_goal_stays_met() {
    let events = events_until(|_| false).await;
    let known = Progress::from_events(&events).expect("a history");
    let agent = iteration_fn(async |_: IterationContext<u64>| -> Result<u64, WorkError> { panic!("it ran") });
    let run = Loop::new(agent).evaluate(check()).until(evaluator_passed()).at_most(9);
    let report = run.resume(events, Some(30)).run().await.unwrap();
    assert!(report.is_success());
    assert_eq!(report.progress(), &known);
    assert_eq!(report.output(), Some(&30));
}

#[tokio::test(start_paused = true)]
async fn an_ended_run_that_is_cancelled_before_it_goes_on_stays_as_it_ended() {
    let events = record(Loop::new(agent()).until(never()).at_most(2)).await;
    let known = Progress::from_events(&events).expect("a history");
    let token = CancellationToken::new();
    token.cancel();
    let run = Loop::new(agent()).until(never()).at_most(5).cancel_on(token).resume(events, Some(20));
    let report = run.run().await.unwrap();
    assert_eq!(report.progress(), &known);
    assert_eq!(report.reason(), Some(&StopReason::MaxIterations));
}

/// Fails in its second iteration.
fn fails_second() -> impl Iteration<Output = u64> {
    iteration_fn(async |cx: IterationContext<u64>| match cx.iteration() {
        2 => Err(WorkError::failed("it broke")),
        other => {
            let before = cx.previous().and_then(|step| step.output());
            assert_eq!(before.is_none(), other != 2 && other != 4, "iteration {other} found {before:?}");
            Ok(other * 10)
        }
    })
}

#[tokio::test(start_paused = true)]
async fn a_failed_step_does_not_pass_for_the_maker_of_an_earlier_output() {
    let run = || Loop::new(fails_second()).until(never()).at_most(4);
    let events = record(run()).await;
    let places =
        events.iter().enumerate().filter(|(_, event)| matches!(event.kind, EventKind::StepSettled { .. }));
    let second = places.map(|(place, _)| place).nth(1).expect("a second step");
    for stop in [second, second + 1] {
        let goal = condition_fn(|step: &loop_core::Step<u64>, _: &Progress| {
            assert_eq!(step.output().is_none(), step.failure().is_some());
            false
        });
        // The last iteration that succeeded was the first one.
        let resumed =
            Loop::new(fails_second()).until(goal).at_most(4).resume(events[..stop].to_vec(), Some(10));
        assert_eq!(resumed.run().await.unwrap().output(), Some(&40));
    }
}

/// Returns the damage that is found in these events, without their times.
fn damage(kinds: Vec<EventKind>) -> String {
    let events: Vec<Event> =
        kinds.into_iter().map(|kind| Event::new(loop_core::RunTime::ZERO, kind)).collect();
    Progress::from_events(&events).expect_err("it is damaged").to_string()
}

#[test]
fn a_history_whose_goal_was_met_without_a_step_or_that_goes_on_after_it_is_damaged() {
    let started = EventKind::RunStarted { evaluated: false, evaluates_first: false };
    let ending = Box::new(Ending::goal_met("forged"));
    let forged = damage(vec![started.clone(), EventKind::RunFinished { ending }]);
    assert_eq!(forged, "the history is damaged at event 2 (`run_finished`): no step before it met the goal");
    let cause = Box::new(Ending::goal_met("forged"));
    let forged = damage(vec![
        started.clone(),
        EventKind::IterationStarted { iteration: 1, attempt: 1 },
        EventKind::InterruptRequested { cause },
    ]);
    assert_eq!(
        forged,
        "the history is damaged at event 3 (`interrupt_requested`): no step before it met the goal"
    );
    let goes_on = damage(vec![
        started,
        EventKind::IterationStarted { iteration: 1, attempt: 1 },
        EventKind::IterationFinished { result: WorkResult::Done(()), notes: None },
        EventKind::StepSettled { met: true, by: None },
        EventKind::IterationStarted { iteration: 2, attempt: 1 },
    ]);
    assert_eq!(
        goes_on,
        "the history is damaged at event 5 (`iteration_started`): it cannot happen while the run is about to end"
    );
}

#[test]
fn a_history_whose_numbers_leave_no_room_or_have_a_gap_is_damaged() {
    let numbered = |sequence: u64, kind: &str| -> Event {
        serde_json::from_str(&format!(r#"{{"sequence":{sequence},"at":0,"kind":{kind}}}"#)).expect("an event")
    };
    let started = numbered(1, r#"{"run_started":{"evaluated":false}}"#);
    let usage = |sequence| numbered(sequence, r#"{"usage_reported":{"usage":{"input_tokens":1}}}"#);
    let begun = numbered(4, r#"{"iteration_started":{"iteration":1,"attempt":1}}"#);
    // A reader may receive consecutive usage reports as one.
    let merged = [started.clone(), usage(3), begun.clone()];
    assert_eq!(Progress::from_events(&merged).expect("a history").usage().input_tokens, Some(1));

    let error = |events: &[Event]| Progress::from_events(events).expect_err("it is damaged").to_string();
    assert_eq!(
        error(&[started.clone(), begun]),
        "the history is damaged at event 4 (`iteration_started`): the events between 1 and it are missing"
    );
    assert_eq!(
        error(&[started, usage(u64::MAX)]),
        format!("the history is damaged at event {} (`usage_reported`): no run has so many events", u64::MAX)
    );
}
