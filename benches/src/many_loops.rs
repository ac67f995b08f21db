//! Measures the cost of loops that share a process: one, or ten thousand.
//!
//! A server that runs a loop for each of its users has many that mostly wait. Here all of them take turns on one
//! thread: each iteration lets the others go first. The floor is the same number of bare loops, which do the same.

use std::{future::Future, time::Duration};

use anyhow::{Context, Result};
use async_trait::async_trait;
use loop_core::{Iteration, IterationContext, WorkError};

use crate::{
    kernel::{BoxIteration, ReadyWork, bare_loop, kernel_loop, timed},
    memory,
    pairs::in_turn,
    subprocess,
    table::{Growth, Row, Table},
};

/// Iterations of all loops together.
const ITERATIONS: u64 = 200_000;
const MOST: u64 = 10_000;

/// Short loops, and the iterations of each.
const SHORT_LOOPS: u64 = 100_000;
const SHORT: u64 = 10;

/// Runs the measurements.
///
/// # Errors
/// If a loop did not do the measured work.
pub fn measure(table: &mut Table) -> Result<()> {
    let what = "kernel / bare loops that take turns, an iteration";
    let mut growth = Growth::new(what, "loops in one process").at_most(3.0);
    for loops in [1, 10, 100, 1_000, MOST] {
        let pairs = in_turn(|| together(loops, kernel_loop), || together(loops, bare_loop))?;
        growth.point(loops.to_string(), pairs.ratio);
    }
    table.grow(growth);

    short_loops(table)?;

    let kernel = memory_of("kernel-loops")?;
    let bare = memory_of("bare-loops")?;
    let each = |kib: u64| kib as f64 / MOST as f64;
    let row = Row::single("10000 loops in one process: memory / of bare loops", kernel as f64 / bare as f64);
    table.add(row.note(format!("{:.2} KiB over {:.2} KiB a loop", each(kernel), each(bare))));
    Ok(())
}

/// Measures many short loops: one after the other, and all alive on one clock.
fn short_loops(table: &mut Table) -> Result<()> {
    let one_by_one = || one_after_another(SHORT_LOOPS, kernel_loop);
    let pairs = in_turn(one_by_one, || one_after_another(SHORT_LOOPS, bare_loop))?;
    let what = format!("{SHORT_LOOPS} loops of {SHORT} iterations, one after the other / bare loops");
    let note = format!("{:.0} loops a second", SHORT_LOOPS as f64 / pairs.first.median);
    table.add(Row::new(what, pairs.ratio).note(note));

    let alive = || alive(SHORT_LOOPS, SHORT, kernel_loop);
    let pairs = in_turn(alive, || one_after_another(SHORT_LOOPS, kernel_loop))?;
    let what = format!("{SHORT_LOOPS} loops of {SHORT} iterations, all alive / one after the other");
    table.add(Row::new(what, pairs.ratio).at_most(5.0));
    Ok(())
}

/// Times this number of short loops whose work is ready, one after the other.
fn one_after_another<F>(
    loops: u64,
    make: impl Fn(BoxIteration, u64) -> F + Send + 'static,
) -> Result<Duration>
where
    F: Future<Output = Result<()>> + Send + 'static,
{
    let (took, done) = timed(async move {
        for _ in 0..loops {
            make(Box::new(ReadyWork), SHORT).await?;
        }
        anyhow::Ok(())
    })?;
    done.map(|()| took)
}

/// Returns the additional memory of many loops over one, in KiB, in separate processes.
fn memory_of(what: &str) -> Result<u64> {
    let peak = |loops: u64| memory::peak_kib_of(subprocess::command(what)?.arg(loops.to_string()), 0);
    let (most, one) = (peak(MOST)?, peak(1)?);
    most.checked_sub(one).filter(|kib| *kib > 0).context("more loops take no more memory")
}

/// Lets the others go first.
struct YieldingWork;

#[async_trait]
impl Iteration for YieldingWork {
    type Output = u64;
    async fn run(&mut self, cx: IterationContext<u64>) -> Result<u64, WorkError> {
        tokio::task::yield_now().await;
        Ok(cx.iteration())
    }
}

/// Times this number of loops on one thread, which share the iterations.
pub(crate) fn together<F>(
    loops: u64,
    make: impl Fn(BoxIteration, u64) -> F + Send + 'static,
) -> Result<Duration>
where
    F: Future<Output = Result<()>> + Send + 'static,
{
    alive(loops, ITERATIONS / loops, make)
}

/// Times this number of loops on one thread that take turns, with this number of iterations each.
fn alive<F>(
    loops: u64,
    iterations: u64,
    make: impl Fn(BoxIteration, u64) -> F + Send + 'static,
) -> Result<Duration>
where
    F: Future<Output = Result<()>> + Send + 'static,
{
    let (took, done) = timed(async move {
        let tasks: Vec<_> =
            (0..loops).map(|_| tokio::spawn(make(Box::new(YieldingWork), iterations))).collect();
        for task in tasks {
            task.await.context("a loop panicked")??;
        }
        anyhow::Ok(())
    })?;
    done.map(|()| took)
}
