//! Ten loops at once on one thread; every second one is cancelled.
//!
//! Their iterations are always ready. If a loop did not yield to the others, the first one would keep the thread to
//! itself.
//!
//! Run it with `cargo run -p loop-core --example ten_loops`.
#![expect(clippy::print_stdout, reason = "an example shows what came of it")]

use loop_core::{
    BuildError, CancellationToken, IterationContext, Loop, Report, Step, StopReason, condition_fn,
    iteration_fn,
};

const LOOPS: usize = 10;
const STEPS: u64 = 10_000;

/// A loop that is done after [`STEPS`] iterations, unless it is cancelled.
async fn count(cancel: CancellationToken) -> Result<Report<u64>, BuildError> {
    let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    let goal = condition_fn(|step: &Step<u64>, _| step.iteration() == STEPS);
    Loop::new(agent).until(goal).at_most(STEPS).cancel_on(cancel).run().await
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), BuildError> {
    let cancels: Vec<CancellationToken> = (0..LOOPS).map(|_| CancellationToken::new()).collect();
    let runs: Vec<_> = cancels.iter().cloned().map(|cancel| tokio::spawn(count(cancel))).collect();
    // All loops have done a few steps, and none is done, when every second one is cancelled.
    for _ in 0..STEPS / 100 {
        tokio::task::yield_now().await;
    }
    cancels.iter().step_by(2).for_each(CancellationToken::cancel);

    for (index, run) in runs.into_iter().enumerate() {
        let report = run.await.expect("a loop does not panic")?;
        println!("loop {index}: {} after {} iterations", report.ending(), report.iterations());
        if index % 2 == 0 {
            assert_eq!(report.reason(), Some(&StopReason::Cancelled));
            assert!((1..STEPS).contains(&report.iterations()));
        } else {
            assert_eq!(report.reason(), None);
            assert_eq!(report.iterations(), STEPS);
        }
    }
    Ok(())
}
