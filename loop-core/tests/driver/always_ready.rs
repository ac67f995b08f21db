//! Limits apply to work that is always ready and uses its task's whole budget each time.

use loop_core::{
    CancellationToken, Ceiling, Event, EventKind, Halt, Iteration, IterationContext, Loop, Progress,
    SharedBudget, StopReason, iteration_fn, race,
};
use tokio::{
    sync::mpsc,
    task::yield_now,
    time::{advance, sleep},
};

use crate::test_parts::{ms, never, sleeper};

/// Sends itself messages. It yields only when tokio forces it to, and panics long after any limit.
fn busy() -> impl Iteration<Output = u64> {
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

#[tokio::test(start_paused = true)]
async fn the_time_of_a_shared_budget_binds_on_busy_work() {
    let budget = SharedBudget::new(Ceiling::time(ms(100)));
    let run = Loop::new(busy()).until(never()).at_most(1).share(&budget).grace(ms(0)).spawn().unwrap();
    yield_now().await;
    // The timer wakes a little later than the budget is used up.
    advance(ms(102)).await;
    assert_eq!(run.join().await.reason(), Some(&StopReason::SharedBudgetExceeded));
}

#[tokio::test(start_paused = true)]
async fn a_future_halts_busy_work() {
    let halt = async {
        sleep(ms(100)).await;
        Halt::new(StopReason::Failed, "the disk is full")
    };
    let run = Loop::new(busy()).until(never()).at_most(1).halt_on(halt).grace(ms(0)).spawn().unwrap();
    yield_now().await;
    advance(ms(100)).await;
    assert_eq!(run.join().await.reason(), Some(&StopReason::Failed));
}

/// Each of the others still gets its turn.
#[tokio::test(start_paused = true)]
async fn a_lane_of_busy_work_does_not_stop_the_clocks_of_the_others() {
    type Work = Box<dyn Iteration<Output = u64>>;
    let stop = CancellationToken::new();
    let busy = Loop::new(Box::new(busy()) as Work).until(never()).at_most(1).cancel_on(stop.clone());
    let stops = move |event: &Event, _: &Progress| {
        if matches!(event.kind, EventKind::RunFinished { .. }) {
            stop.cancel();
        }
    };
    let limited = Loop::new(Box::new(sleeper(ms(1_000))) as Work).until(never()).at_most_for(ms(100));
    let lanes = [busy, limited.observe(stops)].map(|lane| lane.grace(ms(0)));
    let run = tokio::spawn(race(lanes).run());
    for _ in 0..3 {
        yield_now().await;
    }
    advance(ms(100)).await;
    let ended = run.await.unwrap().unwrap();
    let reasons = ended.reports().iter().map(|report| report.reason().unwrap().clone());
    assert_eq!(reasons.collect::<Vec<_>>(), [StopReason::Cancelled, StopReason::TimeExceeded]);
}
