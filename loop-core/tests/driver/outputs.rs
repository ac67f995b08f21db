//! Outputs survive failed steps: for the next iteration, for the work in it, and for the report.

use loop_core::{
    EvaluationContext, Halt, Iteration, IterationContext, IterationError, Loop, Step, StopReason, Verdict,
    WorkError, async_trait, evaluator_fn, evaluator_passed, iteration_fn, iteration_with, never,
};

/// Doubles the last output, and fails in the fourth iteration.
struct Doubler;

#[async_trait]
impl Iteration for Doubler {
    type Output = u64;
    async fn run(&mut self, cx: IterationContext<u64>) -> Result<u64, IterationError> {
        if cx.iteration() == 4 {
            return Err(WorkError::failed("overloaded"));
        }
        Ok(cx.last_output().map_or(1, |last| last * 2))
    }
}

/// The same with text, as a wrapper with another output type.
struct InWords<I>(I);

#[async_trait]
impl<I: Iteration<Output = u64>> Iteration for InWords<I> {
    type Output = String;
    async fn run(&mut self, cx: IterationContext<String>) -> Result<String, IterationError> {
        Ok(self.0.run(cx.map_previous(|text| text.parse().ok())).await?.to_string())
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_step_does_not_erase_the_last_output() {
    let report = Loop::new(Doubler).until(never()).at_most(6).run().await.unwrap();
    assert_eq!((report.output(), report.last_output()), (Some(&16), Some(&16)));
    let report = Loop::new(Doubler).until(never()).at_most(4).run().await.unwrap();
    assert_eq!((report.output(), report.last_output()), (None, Some(&4)));
}

#[tokio::test(start_paused = true)]
async fn work_within_an_iteration_finds_what_was_before() {
    let report = Loop::new(InWords(Doubler)).until(never()).at_most(6).run().await.unwrap();
    assert_eq!(report.last_output().map(String::as_str), Some("16"));
    let steps = iteration_fn(async |cx: IterationContext<u64>| {
        let part: IterationContext<String> = cx.part();
        let step = part.previous();
        assert_eq!(step.map(|step| step.iteration()), (cx.iteration() > 1).then(|| cx.iteration() - 1));
        assert_eq!((step.and_then(Step::output), part.last_output()), (None, None));
        Ok(1)
    });
    assert_eq!(Loop::new(steps).until(never()).at_most(3).run().await.unwrap().iterations(), 3);
}

#[tokio::test(start_paused = true)]
async fn the_last_output_outlives_a_resume_behind_a_failed_step() {
    let (mut first, mut events) =
        (Loop::new(Doubler).until(never()).at_most(4).stream().unwrap(), Vec::new());
    while let Some(update) = futures::StreamExt::next(&mut first).await {
        if let loop_core::Update::Event(event) = update {
            events.push(event);
        }
    }
    let resumed = Loop::new(Doubler).until(never()).at_most(5).resume(events, Some(4)).run().await.unwrap();
    assert_eq!(resumed.last_output(), Some(&8));
}

#[tokio::test(start_paused = true)]
async fn a_report_has_the_output_that_a_resumed_run_judges() {
    let run = |is_down: bool| {
        let judge = evaluator_fn(move |cx: EvaluationContext<u64>| async move {
            if is_down && cx.iteration() == 3 {
                return Err(Halt::new(StopReason::EvaluatorUnavailable, "no connection").into());
            }
            Ok(if *cx.output() == 4 { Verdict::pass() } else { Verdict::fail() })
        });
        Loop::new(Doubler).evaluate(judge).until(evaluator_passed()).at_most(3)
    };
    let (mut events, mut ended) = (Vec::new(), None);
    let mut first = run(true).stream().unwrap();
    while let Some(update) = futures::StreamExt::next(&mut first).await {
        match update {
            loop_core::Update::Event(event) => events.push(event),
            loop_core::Update::Report(report) => ended = Some(report),
        }
    }
    let ended = ended.expect("a report");
    assert_eq!((ended.output(), ended.last_output()), (Some(&2), Some(&4)));
    let resumed = run(false).resume(events, ended.last_output().copied()).run().await.unwrap();
    assert!(resumed.is_success(), "{}", resumed.ending());
    assert_eq!((resumed.iterations(), resumed.output()), (3, Some(&4)));
}

#[tokio::test(start_paused = true)]
async fn the_best_step_is_the_one_with_the_highest_score_and_of_equal_ones_the_last() {
    const SCORES: [f64; 5] = [0.2, 0.7, f64::NAN, 0.7, 0.1];
    let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    let judge = evaluator_fn(async |cx: EvaluationContext<u64>| {
        Ok(Verdict::fail().with_score(SCORES[*cx.output() as usize - 1]))
    });
    let report = Loop::new(agent).evaluate(judge).until(evaluator_passed()).at_most(5).run().await.unwrap();
    let best = report.best().expect("scores");
    assert_eq!((best.output(), best.score()), (Some(&4), Some(0.7)));
    assert_eq!(report.progress().best_step().map(loop_core::StepRecord::iteration), Some(4));
    assert!(Loop::new(Doubler).until(never()).at_most(3).run().await.unwrap().best().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_function_keeps_what_it_needs_from_one_iteration_to_the_next() {
    let agent = iteration_with(Vec::new(), async |seen: &mut Vec<u64>, cx: IterationContext<usize>| {
        tokio::task::yield_now().await;
        seen.push(cx.iteration());
        Ok(seen.len())
    });
    let report = Loop::new(agent).until(never()).at_most(3).spawn().unwrap().join().await;
    assert_eq!(report.output(), Some(&3));
}

#[tokio::test(start_paused = true)]
async fn any_error_is_a_failed_step() {
    let agent = iteration_fn(async |_: IterationContext<String>| {
        let text = String::from_utf8(vec![b'a', 0xff])?;
        Ok(text)
    });
    let report = Loop::new(agent).until(never()).at_most(1).run().await.unwrap();
    let failure = report.last_step().and_then(|step| step.failure());
    assert_eq!(failure, Some("invalid utf-8 sequence of 1 bytes from index 1"));
}
