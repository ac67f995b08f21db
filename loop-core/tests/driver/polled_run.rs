//! Runs whose work a driver of your own polls.

use std::{
    future::{Pending, pending},
    pin::pin,
    task::{Context, Poll, Waker},
};

use loop_core::{
    Action, Bounded, CancellationToken, EvaluationContext, Guardrail, Input, Iteration, IterationContext,
    JudgedStep, Loop, Notes, Pace, Run, RunTime, Usage, Verdict, WorkResult, evaluator_fn, evaluator_passed,
    iteration_fn,
};

use crate::test_parts::ms;

fn at(millis: u64) -> RunTime {
    RunTime::from_micros(millis * 1_000)
}

fn judged() -> Loop<impl Iteration<Output = u64>, JudgedStep<u64>, Bounded> {
    let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    let check = evaluator_fn(async |_: EvaluationContext<u64>| Ok(Verdict::fail()));
    Loop::new(agent).evaluate(check).until(evaluator_passed()).at_most(5).grace(ms(20)).pace(ms(100))
}

/// Returns a run in its first iteration.
fn begun(run: Loop<impl Iteration<Output = u64>, JudgedStep<u64>, Bounded>) -> Run<u64> {
    let mut run = run.into_parts().expect("a loop").run;
    assert_eq!(run.begin(at(0)), Some(Action::Iterate { iteration: 1, attempt: 1 }));
    run
}

/// Returns a run in the wait after its first iteration.
fn waiting(run: Loop<impl Iteration<Output = u64>, JudgedStep<u64>, Bounded>) -> Run<u64> {
    let mut run = begun(run);
    let (id, _) = run.outstanding().expect("an iteration");
    assert_eq!(run.iterated(at(0), id, WorkResult::Done(1), Notes::default()), Ok(Some(Action::Evaluate)));
    let (id, _) = run.outstanding().expect("an evaluation");
    let verdict = WorkResult::Done(Verdict::fail());
    assert_eq!(run.evaluated(at(0), id, verdict, Notes::default()), Ok(Some(Action::Settle)));
    assert_eq!(run.settle(at(0)), Some(Action::Wait(ms(100))));
    run
}

/// Polls work that is never ready. Returns whether the run goes on without it.
fn goes_on(run: &mut Run<u64>, now: RunTime) -> bool {
    let work: Pending<()> = pending();
    match run.poll(now, &mut Context::from_waker(Waker::noop()), pin!(work)) {
        Poll::Ready(result) => {
            assert_eq!(result, None, "the work is never ready");
            true
        }
        Poll::Pending => false,
    }
}

fn names(run: &Run<u64>) -> Vec<&str> {
    run.events().iter().map(|event| event.kind.name()).collect()
}

#[test]
fn a_wait_ends_at_its_end() {
    let mut run = waiting(judged());
    assert_eq!(run.wakes_at(), Some(at(100)));
    assert_eq!([99, 100, 101].map(|millis| goes_on(&mut run, at(millis))), [false, true, true]);
}

#[test]
fn a_cancellation_ends_a_wait() {
    let token = CancellationToken::new();
    let mut run = waiting(judged().cancel_on(token.clone()));
    assert!(!goes_on(&mut run, at(1)));
    token.cancel();
    assert!(goes_on(&mut run, at(2)));
    assert!(matches!(run.outstanding(), Some((_, Action::Finish(_)))));
}

#[test]
fn a_cancellation_interrupts_work_that_is_dropped_after_its_grace_time() {
    let token = CancellationToken::new();
    let mut run = begun(judged().cancel_on(token.clone()));
    assert!(!goes_on(&mut run, at(1)));
    token.cancel();
    assert!(!goes_on(&mut run, at(2)));
    assert_eq!(names(&run).last(), Some(&"interrupt_requested"));
    assert!(matches!(run.outstanding(), Some((_, Action::Interrupt { .. }))));
    assert_eq!(run.wakes_at(), Some(at(22)));
    assert_eq!([21, 22, 23].map(|millis| goes_on(&mut run, at(millis))), [false, true, true]);
}

#[test]
fn a_cancellation_by_the_driver_needs_no_token() {
    let mut run = begun(judged());
    assert!(matches!(run.handle(at(1), Input::Cancelled), Ok(Some(Action::Interrupt { .. }))));
    assert_eq!(names(&run)[2..], ["cancel_requested", "interrupt_requested"]);
}

#[test]
fn a_cancellation_precedes_work_that_ends_in_the_same_moment() {
    let token = CancellationToken::new();
    let mut run = begun(judged().cancel_on(token.clone()));
    token.cancel();
    let (id, _) = run.outstanding().expect("an iteration");
    let action = run.iterated(at(1), id, WorkResult::Done(1), Notes::default());
    assert!(matches!(action, Ok(Some(Action::Finish(_)))), "{action:?}");
    assert_eq!(names(&run)[2..4], ["cancel_requested", "interrupt_requested"]);
}

#[test]
fn usage_of_a_driver_is_recorded_unless_it_is_unknown() {
    let mut run = begun(judged());
    let reported = |usage| Input::Reported { usage };
    assert_eq!(run.handle(at(1), reported(Usage::unknown())), Ok(None));
    assert_eq!(names(&run).last(), Some(&"iteration_started"));
    assert_eq!(run.handle(at(1), reported(Usage::unknown().with_tokens(2, 1))), Ok(None));
    assert_eq!(run.progress().usage().tokens(), Some(3));
}

/// Limits tokens.
struct Tokens(u64);

impl Guardrail for Tokens {
    fn name(&self) -> &str {
        "tokens"
    }
    fn check(&self, _: &loop_core::Progress) -> loop_core::Decision {
        loop_core::Decision::Continue
    }
    fn ceiling(&self, progress: &loop_core::Progress) -> loop_core::Ceiling {
        loop_core::Ceiling::tokens(self.0.saturating_sub(progress.usage().tokens().unwrap_or(0)))
    }
}

#[test]
fn an_evaluation_finds_its_output_and_what_is_left() {
    let mut run = begun(judged().guard(Tokens(10)));
    assert!(run.evaluation_context().is_none(), "there is no output yet");
    let (id, _) = run.outstanding().expect("an iteration");
    let notes = Notes::default().with_usage(Usage::unknown().with_tokens(2, 1));
    assert_eq!(run.iterated(at(1), id, WorkResult::Done(7), notes), Ok(Some(Action::Evaluate)));
    let cx = run.evaluation_context().expect("an output");
    assert_eq!((cx.iteration(), cx.output(), cx.left().tokens), (1, &7, Some(7)));
}

#[test]
fn a_boxed_pace_delays_as_the_pace_in_it() {
    let pace: Box<dyn Pace> = Box::new(ms(30));
    let mut run = begun(judged().pace(Box::new(pace)));
    let (id, _) = run.outstanding().expect("an iteration");
    let failed = WorkResult::Failed("it broke".into());
    run.iterated(at(0), id, failed, Notes::default()).expect("its answer");
    assert_eq!(run.settle(at(0)), Some(Action::Wait(ms(30))));
}

/// Usage that arrives during a wait may end the run. An answer to another action changes nothing, and the right one
/// returns the next action.
#[test]
fn late_usage_and_an_answer_at_the_same_time() {
    let mut run = waiting(judged().guard(Tokens(10)));
    let (id, _) = run.outstanding().expect("a wait");
    let cx = run.iteration_context(1, 1);
    cx.meter().add(Usage::unknown().with_tokens(20, 0));
    let before = names(&run).len();
    let over = Input::Answered { id, answer: None };
    assert!(run.handle(at(1), over).is_err(), "a wait has no such answer");
    assert_eq!((names(&run).len(), run.outstanding().map(|(id, _)| id)), (before, Some(id)));
    let next = run.handle(at(2), Input::Waited { id });
    assert!(matches!(next, Ok(Some(Action::Finish(_)))), "{next:?}");
}

#[test]
fn a_report_over_a_limit_waits_for_the_end_of_its_work() {
    let mut run = begun(judged().guard(Tokens(10)).overrun(ms(50)));
    let meter = run.iteration_context(1, 1).meter();
    meter.add(Usage::unknown().with_tokens(20, 0));
    assert_eq!([0, 49].map(|millis| goes_on(&mut run, at(millis))), [false, false]);
    assert_eq!((run.wakes_at(), run.progress().is_interrupted()), (Some(at(50)), false));
    assert!(!goes_on(&mut run, at(50)));
    assert_eq!((run.wakes_at(), run.progress().is_interrupted()), (Some(at(70)), true));
}

#[test]
fn a_second_report_over_a_limit_shows_that_the_work_goes_on() {
    let mut run = begun(judged().guard(Tokens(10)).overrun(ms(50)));
    let meter = run.iteration_context(1, 1).meter();
    for (millis, is_interrupted) in [(0, false), (1, true)] {
        meter.add(Usage::unknown().with_tokens(20, 0));
        assert!(!goes_on(&mut run, at(millis)));
        assert_eq!(run.progress().is_interrupted(), is_interrupted);
    }
}

#[test]
fn a_refused_answer_keeps_the_report_that_waits() {
    let mut run = begun(judged().guard(Tokens(10)).overrun(ms(50)));
    let (first, _) = run.outstanding().expect("an iteration");
    run.iterated(at(0), first, WorkResult::Done(1), Notes::default()).expect("its answer");
    let meter = run.evaluation_context().expect("an output").meter();
    meter.add(Usage::unknown().with_tokens(20, 0));
    assert!(!goes_on(&mut run, at(1)));
    assert!(run.iterated(at(2), first, WorkResult::Done(1), Notes::default()).is_err(), "it is late");
    assert!(run.evaluated(at(2), first, WorkResult::Done(Verdict::fail()), Notes::default()).is_err());
    assert_eq!(run.wakes_at(), Some(at(51)));
}

#[test]
fn nothing_begins_after_a_cancellation_in_a_check_that_is_deferred() {
    let token = CancellationToken::new();
    let mut run = begun(judged().cancel_on(token.clone()));
    let (id, _) = run.outstanding().expect("an iteration");
    run.iterated(at(0), id, WorkResult::Done(1), Notes::default()).expect("its answer");
    token.cancel();
    let (id, _) = run.outstanding().expect("an evaluation");
    let next = run.evaluated(at(1), id, WorkResult::Later { after: ms(0) }, Notes::default());
    assert!(matches!(next, Ok(Some(Action::Finish(_)))), "{next:?}");
}
