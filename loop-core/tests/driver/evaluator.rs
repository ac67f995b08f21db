//! The inputs of an evaluator, and the notes beside its verdict.

use std::sync::{Arc, Mutex};

use loop_core::{
    EvaluationContext, IterationContext, JudgedStep, Loop, Mark, Progress, Step, StopReason, Verdict,
    WorkError, condition_fn, evaluator_fn, evaluator_passed, iteration_fn,
};
use tokio::time::sleep;

use crate::test_parts::{ms, never, timed};

fn agent() -> impl loop_core::Iteration<Output = u64> {
    iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration() * 10))
}

#[tokio::test(start_paused = true)]
async fn an_evaluator_sees_the_step_before_the_one_that_it_judges() {
    let improved = evaluator_fn(async |cx: EvaluationContext<u64>| {
        let before = cx.previous().and_then(Step::output).copied();
        assert_eq!(before, (cx.iteration() > 1).then(|| *cx.output() - 10));
        Ok(if before == Some(20) { Verdict::pass() } else { Verdict::fail() })
    });
    let run = Loop::new(agent()).evaluate(improved).until(evaluator_passed()).at_most(9);
    let report = run.run().await.unwrap();
    assert!(report.is_success());
    assert_eq!(report.iterations(), 3);
}

#[tokio::test(start_paused = true)]
async fn what_an_evaluator_marks_is_a_mark_of_the_step() {
    let check = evaluator_fn(async |cx: EvaluationContext<u64>| {
        cx.mark("findings", 7);
        Ok(Verdict::fail())
    });
    let marks = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&marks);
    let goal = condition_fn(move |step: &JudgedStep<u64>, _: &Progress| {
        seen.lock().unwrap().extend(step.marks().to_vec());
        false
    });
    Loop::new(agent()).evaluate(check).until(goal).at_most(1).run().await.unwrap();
    assert_eq!(*marks.lock().unwrap(), [Mark::new("findings", 7)]);
}

#[tokio::test(start_paused = true)]
async fn an_evaluation_hears_that_it_has_to_come_to_its_end() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = Arc::clone(&told);
    let check = evaluator_fn(move |cx: EvaluationContext<u64>| {
        let tell = Arc::clone(&tell);
        async move {
            sleep(ms(100)).await;
            tell.lock().unwrap().push(cx.is_cancelled());
            cx.cancelled().await;
            tell.lock().unwrap().push(cx.is_cancelled());
            Err(WorkError::failed("it was told to end"))
        }
    });
    let run = Loop::new(agent()).evaluate(check).until(never()).at_most_for(ms(700)).run();
    let (took, report) = timed(run).await;
    assert_eq!(report.unwrap().reason(), Some(&StopReason::TimeExceeded));
    assert_eq!(took, ms(700), "its grace time is not needed");
    assert_eq!(*told.lock().unwrap(), [false, true]);
}

#[tokio::test(start_paused = true)]
async fn an_output_that_is_good_enough_needs_no_iteration() {
    let check = evaluator_fn(async |cx: EvaluationContext<u64>| {
        assert_eq!((cx.iteration(), cx.output()), (0, &7));
        Ok(Verdict::pass())
    });
    let run = Loop::new(agent()).evaluate(check).evaluate_first(7).until(evaluator_passed()).at_most(9);
    let report = run.run().await.unwrap();
    assert!(report.is_success());
    assert_eq!((report.iterations(), report.output()), (0, Some(&7)));
    assert_eq!(report.last_step().map(|step| step.iteration()), Some(0));
}

#[tokio::test(start_paused = true)]
async fn the_first_iteration_finds_what_was_evaluated_before_it() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        let step = cx.previous().expect("the step before the first iteration");
        assert_eq!((cx.iteration(), step.iteration(), step.output()), (1, 0, Some(&7)));
        assert_eq!(step.verdict().map(Verdict::text), Some("not yet"));
        Ok(cx.last_output().copied().unwrap_or_default() + 1)
    });
    let check = evaluator_fn(async |cx: EvaluationContext<u64>| {
        Ok(if *cx.output() == 8 { Verdict::pass() } else { Verdict::fail().with_text("not yet") })
    });
    let run = Loop::new(agent).evaluate(check).evaluate_first(7).until(evaluator_passed()).at_most(9);
    let report = run.run().await.unwrap();
    assert!(report.is_success());
    assert_eq!((report.iterations(), report.output()), (1, Some(&8)));
}
