//! Futures that end a run with a reason.

use std::future::{pending, ready};

use loop_core::{
    CancellationToken, Event, EventKind, Halt, IterationContext, Loop, StopReason, Update, iteration_fn,
    never,
};
use tokio::time::sleep;

use crate::test_parts::{ms, timed};

fn halt(name: &str) -> Halt {
    Halt::new(StopReason::custom(name), "")
}

async fn halt_after(millis: u64, name: &'static str) -> Halt {
    sleep(ms(millis)).await;
    halt(name)
}

fn slow(millis: u64) -> impl loop_core::Iteration<Output = u64> {
    iteration_fn(move |cx: IterationContext<u64>| async move {
        sleep(ms(millis)).await;
        Ok(cx.iteration())
    })
}

#[tokio::test(start_paused = true)]
async fn the_first_future_that_is_ready_interrupts_work() {
    let run = Loop::new(slow(40)).until(never()).at_most(9).grace(ms(0));
    let run = run.halt_on(pending()).halt_on(halt_after(500, "late")).halt_on(halt_after(100, "early"));
    let (took, report) = timed(run.run()).await;
    let report = report.unwrap();
    assert_eq!((took, report.ending().name(), report.iterations()), (ms(100), "early", 3));
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_too() {
    let run = Loop::new(slow(1)).until(never()).at_most(9).pace(ms(1_000)).halt_on(halt_after(100, "closed"));
    let (took, report) = timed(run.run()).await;
    assert_eq!((took, report.unwrap().ending().name()), (ms(100), "closed"));
}

#[tokio::test(start_paused = true)]
async fn a_future_that_is_ready_lets_nothing_begin() {
    let report =
        Loop::new(slow(1)).until(never()).at_most(9).halt_on(ready(halt("closed"))).run().await.unwrap();
    assert_eq!((report.ending().name(), report.iterations()), ("closed", 0));
}

#[tokio::test(start_paused = true)]
async fn work_that_never_waits_is_cut_as_by_a_cancellation() {
    let token = CancellationToken::new();
    let closed = token.clone();
    let agent = iteration_fn(move |cx: IterationContext<u64>| {
        if cx.iteration() == 3 {
            token.cancel();
        }
        async move { Ok(cx.iteration()) }
    });
    let closed = async move {
        closed.cancelled().await;
        halt("closed")
    };
    let report = Loop::new(agent).until(never()).at_most(9).halt_on(closed).run().await.unwrap();
    assert_eq!((report.ending().name(), report.last_output()), ("closed", Some(&2)));
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_has_precedence() {
    let token = CancellationToken::new();
    token.cancel();
    let run = Loop::new(slow(1)).until(never()).at_most(9).cancel_on(token).halt_on(ready(halt("closed")));
    assert_eq!(run.run().await.unwrap().reason(), Some(&StopReason::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_has_precedence_though_it_comes_with_the_halt() {
    let token = CancellationToken::new();
    let cancel = token.clone();
    let closed = async move {
        cancel.cancel();
        halt("closed")
    };
    let run = Loop::new(slow(1)).until(never()).at_most(9).cancel_on(token).halt_on(closed);
    assert_eq!(run.run().await.unwrap().reason(), Some(&StopReason::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn the_events_record_the_halt_and_the_run_can_be_resumed() {
    use futures::StreamExt;
    let run = || Loop::new(slow(40)).until(never()).at_most(3).grace(ms(0));
    let updates: Vec<Update<u64>> = run().halt_on(halt_after(50, "closed")).stream().unwrap().collect().await;
    let event = |update| if let Update::Event(event) = update { Some(event) } else { None };
    let events: Vec<Event> = updates.into_iter().filter_map(event).collect();
    let recorded = |event: &Event| matches!(&event.kind, EventKind::HaltRequested { halt: asked } if **asked == halt("closed"));
    assert_eq!(events.iter().filter(|event| recorded(event)).count(), 1);
    let resumed = run().resume(events, Some(1)).halt_on(pending()).run().await.unwrap();
    assert_eq!(resumed.reason(), Some(&StopReason::MaxIterations));
}
