//! Limits apply to work that is always ready and uses its task's whole budget each time.

use loop_core::{IterationContext, Loop, StopReason, iteration_fn};
use tokio::{sync::mpsc, task::yield_now, time::advance};

use crate::test_parts::{ms, never};

/// Sends itself messages. It yields only when tokio forces it to, and panics long after any limit.
fn busy() -> impl loop_core::Iteration<Output = u64> {
    iteration_fn(async |_: IterationContext<u64>| {
        let (sender, mut receiver) = mpsc::channel(8);
        for message in 0..100_000_u64 {
            sender.send(message).await?;
            assert_eq!(receiver.recv().await, Some(message));
        }
        panic!("nobody ends this work")
    })
}

#[tokio::test(start_paused = true)]
async fn a_deadline_binds_on_busy_work() {
    let run = Loop::new(busy()).until(never()).at_most_for(ms(100)).grace(ms(0)).spawn().unwrap();
    yield_now().await;
    advance(ms(100)).await;
    let report = run.join().await;
    assert_eq!((report.reason(), report.elapsed()), (Some(&StopReason::TimeExceeded), ms(100)));
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_and_its_grace_time_bind_on_busy_work() {
    let run = Loop::new(busy()).until(never()).at_most(1).grace(ms(50)).spawn().unwrap();
    yield_now().await;
    run.cancel();
    yield_now().await;
    advance(ms(50)).await;
    let report = run.join().await;
    assert_eq!((report.reason(), report.elapsed()), (Some(&StopReason::Cancelled), ms(50)));
}
