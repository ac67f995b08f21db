//! Four loops try the same task at once. The first that meets its goal wins, and the others are cancelled.
//!
//! Run it with `cargo run -p loop-core --example race`.
#![expect(clippy::print_stdout, reason = "an example shows what came of it")]

use std::time::Duration;

use loop_core::{
    Bounded, BuildError, Iteration, IterationContext, Loop, Step, StopReason, Usage, condition_fn,
    iteration_fn, race,
};

/// Needs `steps` iterations of 10 ms for the task.
fn lane(steps: u64) -> Loop<impl Iteration<Output = u64>, Step<u64>, Bounded> {
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        cx.meter().add(Usage::unknown().with_tokens(90, 10));
        tokio::time::sleep(Duration::from_millis(10)).await;
        Ok(cx.iteration())
    });
    let done = condition_fn(move |step: &Step<u64>, _| step.output() == Some(&steps));
    Loop::new(agent).until(done).at_most(20).grace(Duration::ZERO)
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
pub(crate) async fn main() -> Result<(), BuildError> {
    let ended = race([9, 4, 2, 7].map(lane)).run().await?;
    println!("lane {:?} won, for {:?} tokens in all lanes", ended.winner_index(), ended.usage().tokens());
    assert_eq!(ended.winner_index(), Some(2));
    let cancelled = ended.reports().iter().filter(|report| report.reason() == Some(&StopReason::Cancelled));
    assert_eq!(cancelled.count(), 3);
    assert!(ended.usage().tokens().is_some_and(|tokens| tokens >= 800));
    Ok(())
}
