//! Runs as streams.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use futures::{StreamExt, poll};
use loop_core::{
    Event, EventKind, IterationContext, Loop, Progress, RunTime, StopReason, Update, iteration_fn,
};
use tokio::time::sleep;

use crate::test_parts::{Endless, event, is_set, ms, never, sleeper};

#[tokio::test(start_paused = true)]
async fn a_stream_is_lazy() {
    let begun = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&begun);
    let agent = iteration_fn(move |_: IterationContext<u64>| {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok(1) }
    });
    let mut stream = Loop::new(agent).until(never()).at_most(3).stream().unwrap();
    sleep(ms(1_000)).await;
    assert_eq!(begun.load(Ordering::SeqCst), 0);
    assert_eq!(
        event(stream.next().await).kind,
        EventKind::RunStarted { evaluated: false, evaluates_first: false }
    );
    sleep(ms(1_000)).await;
    assert_eq!(begun.load(Ordering::SeqCst), 0, "it moves while it is polled");
}

#[tokio::test(start_paused = true)]
async fn a_stream_yields_all_events_in_order_and_then_the_report() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let observed = Arc::clone(&seen);
    let run = Loop::new(sleeper(ms(10))).until(never()).at_most(4).pace(ms(5));
    let run = run.observe(move |event: &Event, _: &Progress| observed.lock().unwrap().push(event.clone()));
    let updates: Vec<_> = run.stream().unwrap().collect().await;
    let (last, events) = updates.split_last().expect("updates");
    let events: Vec<Event> = events
        .iter()
        .map(|update| match update {
            Update::Event(event) => event.clone(),
            Update::Report(_) => panic!("a report before the end"),
        })
        .collect();
    assert!(events.iter().eq(seen.lock().unwrap().iter()));
    let Update::Report(report) = last else { panic!("no report at the end") };
    assert_eq!(report.progress(), &loop_core::Progress::from_events(&events).expect("a history"));
    assert_eq!(report.reason(), Some(&StopReason::MaxIterations));
}

#[tokio::test(start_paused = true)]
async fn dropping_a_stream_drops_the_work_at_once() {
    let (endless, dropped) = Endless::new();
    let mut stream = Loop::new(endless).until(never()).at_most(4).stream().unwrap();
    event(stream.next().await);
    event(stream.next().await);
    assert!(poll!(stream.next()).is_pending());
    assert!(!is_set(&dropped));
    drop(stream);
    assert!(is_set(&dropped));
}

#[tokio::test(start_paused = true)]
async fn a_reader_hears_of_an_interrupt_before_the_work_is_over() {
    let (endless, dropped) = Endless::new();
    let run = Loop::new(endless).until(never()).at_most_for(ms(100)).grace(ms(5_000));
    let mut stream = run.stream().unwrap();
    loop {
        if let EventKind::InterruptRequested { cause } = event(stream.next().await).kind {
            assert_eq!(cause.reason(), Some(&StopReason::TimeExceeded));
            break;
        }
    }
    assert!(!is_set(&dropped));
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_stream_begins_when_it_is_polled() {
    let run = || Loop::new(sleeper(ms(10))).until(never()).at_most(2).at_most_for(ms(60_000));
    let mut stream = run().stream().unwrap();
    sleep(ms(3_600_000)).await;
    let mut events = vec![event(stream.next().await), event(stream.next().await)];
    assert!(events.iter().all(|event| event.at == RunTime::ZERO), "{events:?}");
    drop(stream);

    // It died in its first iteration, and continues when the stream is polled.
    let mut stream = run().resume(std::mem::take(&mut events), None).stream().unwrap();
    sleep(ms(3_600_000)).await;
    let report = loop {
        if let Update::Report(report) = stream.next().await.expect("a report") {
            break report;
        }
    };
    assert_eq!((report.reason(), report.progress().working()), (Some(&StopReason::MaxIterations), ms(20)));
}
