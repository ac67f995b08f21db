//! What the kernel costs over a bare loop.
//!
//! Both sides build the same contexts and call the same boxed iteration and the same boxed evaluator
//! equally often. Both run as a spawned task on one current-thread runtime. The work is ready at once, so
//! that nothing but the loops themselves is measured. The kernel also checks three guardrails, keeps a
//! deadline, asks a stop condition, folds its events and shows them to an observer, and yields to the
//! runtime in every iteration; the bare loop does none of that.

use std::{
    future::Future,
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use async_trait::async_trait;
use loop_core::{
    Ceiling, EvaluationContext, Evaluator, Event, Iteration, IterationContext, Loop, Progress, StopReason,
    Usd, Verdict, Work, WorkError,
};
use loop_guardrails::{MaxCost, MaxElapsed, evaluator_passed};
use tokio::runtime::Runtime;

type BoxIteration = Box<dyn Iteration<Output = u64>>;
type BoxEvaluator = Box<dyn Evaluator<u64>>;

struct Ready;

#[async_trait]
impl Iteration for Ready {
    type Output = u64;
    async fn run(&mut self, cx: IterationContext<u64>) -> Result<u64, WorkError> {
        Ok(black_box(cx.iteration()))
    }
}

#[async_trait]
impl Evaluator<u64> for Ready {
    async fn evaluate(&mut self, cx: EvaluationContext<u64>) -> Result<Verdict, WorkError> {
        black_box(cx.output());
        Ok(Verdict::fail())
    }
}

/// Times a loop of the kernel with this many iterations.
///
/// # Errors
/// If the loop did not do what is to be measured.
pub fn kernel(iterations: u64) -> anyhow::Result<Duration> {
    let mut events = 0_u64;
    let count = move |_: &Event, _: &Progress| {
        events += 1;
        black_box(events);
    };
    let (iteration, evaluator): (BoxIteration, BoxEvaluator) = (Box::new(Ready), Box::new(Ready));
    let run = Loop::new(iteration)
        .evaluate(evaluator)
        .until(evaluator_passed())
        .at_most(iterations)
        .guard(MaxElapsed::minutes(60))
        .guard(MaxCost::new(Usd::dollars(1)))
        .observe(count)
        .run();
    let (took, report) = timed(run)?;
    let report = report?;
    ensure!(report.reason() == &StopReason::MaxIterations && report.iterations() == iterations);
    Ok(took)
}

/// Times the bare loop with this many iterations.
///
/// # Errors
/// If the loop did not do what is to be measured.
pub fn bare(iterations: u64) -> anyhow::Result<Duration> {
    let (iteration, evaluator): (BoxIteration, BoxEvaluator) = (Box::new(Ready), Box::new(Ready));
    let (took, done) = timed(bare_loop(iteration, evaluator, iterations))?;
    ensure!(done? == iterations);
    Ok(took)
}

async fn bare_loop(
    mut iteration: BoxIteration,
    mut evaluator: BoxEvaluator,
    iterations: u64,
) -> Result<u64, WorkError> {
    let work = Work::new();
    for index in 1..=iterations {
        let cx = IterationContext::new(&work, index)
            .with_attempt(1)
            .with_left(Ceiling::NONE)
            .with_guidance(None)
            .with_previous(None);
        let output = Arc::new(iteration.run(cx).await?);
        let cx = EvaluationContext::new(&work, index, output).with_left(Ceiling::NONE).with_previous(None);
        if evaluator.evaluate(cx).await?.passed() {
            return Ok(index);
        }
    }
    Ok(iterations)
}

/// Runs it as a task on a runtime of its own, and times the task.
fn timed<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> anyhow::Result<(Duration, T)> {
    let runtime: Runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let begun = Instant::now();
    let done = runtime.block_on(runtime.spawn(work)).context("the measured loop panicked")?;
    Ok((begun.elapsed(), done))
}
