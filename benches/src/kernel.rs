//! Measures the cost of the kernel over a bare loop.
//!
//! Both sides build the same contexts, including the previous step, and call the same boxed iteration and the same
//! boxed evaluator equally often. Both run as a spawned task on one current-thread runtime. The work is ready at once,
//! so that we measure only the loops themselves. The kernel also checks three guardrails, computes their remaining
//! limits, keeps a deadline, checks a stop condition, folds its events, shows them to an observer, supports
//! cancellation, and lets other tasks run; the bare loop does none of that.

use std::{future::Future, hint::black_box, sync::Arc, time::Duration};

use anyhow::{Context, Result, anyhow, ensure};
use async_trait::async_trait;
use loop_core::{
    Bounded, Ceiling, EvaluationContext, Evaluator, Event, Iteration, IterationContext, JudgedStep, Loop,
    Progress, Step, StepRecord, StopReason, Usd, Verdict, Work, WorkError,
};
use loop_guardrails::{MaxCost, MaxElapsed, evaluator_passed};

use crate::{
    memory,
    pairs::in_turn,
    stopwatch::Stopwatch,
    table::{Growth, Row, Table},
};

/// Iterations of one measurement of the overhead.
const ITERATIONS: u64 = 200_000;

/// The run lengths whose time per iteration should equal that of the shortest.
const LENGTHS: [u64; 2] = [100_000, 1_000_000];
const SHORTEST: u64 = 10_000;

/// Iterations of each loop within another.
const NESTED: u64 = 10;

/// Runs the measurements.
///
/// # Errors
/// If a loop did not do the measured work.
pub fn measure(table: &mut Table) -> Result<()> {
    let pairs = in_turn(|| kernel(ITERATIONS), || bare(ITERATIONS))?;
    let each = |seconds: f64| seconds / ITERATIONS as f64 * 1e9;
    let note = format!("{:.0} ns over {:.0} ns", each(pairs.first.median), each(pairs.second.median));
    table.add(Row::new("kernel / bare loop, an iteration", pairs.ratio).at_most(3.0).note(note));

    let pairs = in_turn(|| nested(ITERATIONS), || kernel(ITERATIONS))?;
    let what = format!("kernel: loops of {NESTED} iterations inside a loop / one flat loop, an iteration");
    table.add(Row::new(what, pairs.ratio).at_most(2.0));

    let before = memory::peak_kib()?;
    for length in LENGTHS {
        // Repeat the short run until it takes about as long, within reason, so that the noise is equal on both sides.
        let shorts = (length / SHORTEST).min(100);
        let short = || (0..shorts).map(|_| kernel(SHORTEST)).sum::<Result<Duration>>();
        let pairs = in_turn(|| kernel(length), short)?;
        let scale = (shorts * SHORTEST) as f64 / length as f64;
        let what = format!("{length} iterations / {SHORTEST}, an iteration");
        table.add(Row::new(what, pairs.ratio.times(scale)).at_most(1.15));
    }
    let after = memory::peak_kib()?;
    let grown = after as f64 / before as f64;
    let note = format!("{after} KiB after {before} KiB");
    table.add(Row::single("peak memory after them / before", grown).at_most(1.1).note(note));
    table.grow(growth()?);
    Ok(())
}

/// Measures runs that are each ten times as long. Short ones are repeated, so that all take long enough.
fn growth() -> Result<Growth> {
    let mut growth = Growth::new("kernel / bare loop, an iteration", "iterations of a run").at_most(3.0);
    for length in [100, 1_000, 10_000, 100_000, 1_000_000] {
        let times = (ITERATIONS / length).max(1);
        let repeated = |run: fn(u64) -> Result<Duration>| (0..times).map(|_| run(length)).sum();
        let pairs = in_turn(|| repeated(kernel), || repeated(bare))?;
        growth.point(length.to_string(), pairs.ratio);
    }
    Ok(growth)
}

pub(crate) type BoxIteration = Box<dyn Iteration<Output = u64>>;

/// Work and a check that complete at once.
pub(crate) struct ReadyWork;

#[async_trait]
impl Iteration for ReadyWork {
    type Output = u64;
    async fn run(&mut self, cx: IterationContext<u64>) -> Result<u64, WorkError> {
        Ok(black_box(cx.iteration()))
    }
}

#[async_trait]
impl Evaluator<u64> for ReadyWork {
    async fn evaluate(&mut self, cx: EvaluationContext<u64>) -> Result<Verdict, WorkError> {
        black_box(cx.output());
        Ok(Verdict::fail())
    }
}

/// Times a loop of the kernel with this many iterations.
///
/// # Errors
/// If the loop did not do the measured work.
pub fn kernel(iterations: u64) -> Result<Duration> {
    let (took, done) = timed(kernel_loop(Box::new(ReadyWork), iterations))?;
    done.map(|()| took)
}

/// Times a loop whose iterations run loops, with this many iterations within.
fn nested(iterations: u64) -> Result<Duration> {
    let (took, done) = timed(kernel_loop(Box::new(NestedWork), iterations / NESTED))?;
    done.map(|()| took)
}

/// Runs a loop of the kernel.
struct NestedWork;

#[async_trait]
impl Iteration for NestedWork {
    type Output = u64;
    async fn run(&mut self, cx: IterationContext<u64>) -> Result<u64, WorkError> {
        let report = kernel_parts(Box::new(ReadyWork), NESTED).run_within(&cx).await?;
        Ok(black_box(report.iterations()))
    }
}

/// Runs a loop of the kernel, and checks that it did its work.
pub(crate) async fn kernel_loop(iteration: BoxIteration, iterations: u64) -> Result<()> {
    let report = kernel_parts(iteration, iterations).run().await?;
    ensure!(report.reason() == Some(&StopReason::MaxIterations) && report.iterations() == iterations);
    Ok(())
}

/// Composes the measured loop.
fn kernel_parts(iteration: BoxIteration, iterations: u64) -> Loop<BoxIteration, JudgedStep<u64>, Bounded> {
    let mut events = 0_u64;
    let count = move |_: &Event, _: &Progress| {
        events += 1;
        black_box(events);
    };
    // The builder boxes the evaluator.
    Loop::new(iteration)
        .evaluate(ReadyWork)
        .until(evaluator_passed())
        .at_most(iterations)
        .guard(MaxElapsed::minutes(60))
        .guard(MaxCost::new(Usd::dollars(1)))
        .observe(count)
}

/// Times the bare loop with this many iterations.
///
/// # Errors
/// If the loop did not do the measured work.
pub fn bare(iterations: u64) -> Result<Duration> {
    let (took, done) = timed(bare_loop(Box::new(ReadyWork), iterations))?;
    done.map(|()| took)
}

/// Runs the bare loop, with the same checks.
pub(crate) async fn bare_loop(mut iteration: BoxIteration, iterations: u64) -> Result<()> {
    let mut evaluator: Box<dyn Evaluator<u64>> = Box::new(ReadyWork);
    let work = Work::new();
    let mut previous = None;
    for index in 1..=iterations {
        let cx = IterationContext::new(&work, index)
            .with_attempt(1)
            .with_left(Ceiling::NONE)
            .with_guidance(None)
            .with_previous(previous.clone());
        let output = Arc::new(iteration.run(cx).await.map_err(|error| anyhow!("{error}"))?);
        let cx = EvaluationContext::new(&work, index, Arc::clone(&output))
            .with_left(Ceiling::NONE)
            .with_previous(previous.clone());
        let verdict = evaluator.evaluate(cx).await.map_err(|error| anyhow!("{error}"))?;
        ensure!(!verdict.passed());
        let record = StepRecord::new(index).with_verdict(verdict);
        previous = Some(Arc::new(Step::new(record, Some(output))));
    }
    Ok(())
}

/// Runs it as a task on this thread, on its own runtime, and times the task.
pub(crate) fn timed<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<(Duration, T)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let begun = Stopwatch::start();
    let done = runtime.block_on(runtime.spawn(work)).context("the measured loop panicked")?;
    Ok((begun.elapsed(), done))
}
