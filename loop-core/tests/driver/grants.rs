//! A person raises limits when resuming a run.

use std::sync::{Arc, Mutex};

use futures::StreamExt;
use loop_core::{Event, Grant, IterationContext, Loop, StopReason, Update, iteration_fn};

use crate::test_parts::{SharedJournal, ms, never, sleeper, timed};

async fn record(updates: impl futures::Stream<Item = Update<u64>>) -> Vec<Event> {
    let event = |update| async { if let Update::Event(event) = update { Some(event) } else { None } };
    updates.filter_map(event).collect().await
}

#[tokio::test(start_paused = true)]
async fn what_was_granted_once_is_granted_for_good() {
    let run =
        |events: Vec<Event>| Loop::new(sleeper(ms(1))).until(never()).at_most(2).resume(events, Some(1));
    let two = |note: &str| Grant::default().with_iterations(2).with_note(note);
    let mut events = record(run(Vec::new()).stream().unwrap()).await;
    for iterations in [4, 6] {
        events.extend(record(run(events.clone()).grant(two("go")).stream().unwrap()).await);
        let progress = loop_core::Progress::from_events(&events).expect("a history");
        assert_eq!(progress.iterations(), iterations);
    }
    let written = serde_json::to_string(&events).unwrap();
    let events: Vec<Event> = serde_json::from_str(&written).unwrap();
    // Without a grant, nothing more happens.
    let report = run(events).run().await.unwrap();
    assert_eq!((report.iterations(), report.reason()), (6, Some(&StopReason::MaxIterations)));
    assert_eq!(report.progress().granted().map(|grant| grant.iterations), Some(4));
}

#[tokio::test(start_paused = true)]
async fn time_that_was_granted_moves_the_deadline() {
    let run = || Loop::new(sleeper(ms(400))).until(never()).at_most_for(ms(1_000)).grace(ms(0));
    let events = record(run().stream().unwrap()).await;
    let grant = Grant::default().with_time(ms(500));
    let (took, report) = timed(run().resume(events, Some(2)).grant(grant).run()).await;
    let report = report.unwrap();
    assert_eq!(report.reason(), Some(&StopReason::TimeExceeded));
    assert!(report.ending().message().contains("1.5s"), "{}", report.ending());
    assert_eq!((took, report.elapsed()), (ms(500), ms(1_500)));
}

#[tokio::test(start_paused = true)]
async fn a_note_is_for_the_next_prompt_and_for_no_other() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let run = || {
        let notes = Arc::clone(&heard);
        let agent = iteration_fn(move |cx: IterationContext<u64>| {
            notes.lock().unwrap().push(cx.guidance().map(str::to_owned));
            async { Ok(1) }
        });
        Loop::new(agent).until(never()).at_most(1)
    };
    let events = record(run().stream().unwrap()).await;
    let grant = Grant::default().with_iterations(2).with_note("look at the log");
    run().resume(events, Some(1)).grant(grant).run().await.unwrap();
    assert_eq!(*heard.lock().unwrap(), [None, Some("look at the log".to_owned()), None]);
}

/// A loop within an iteration that reached its own limit returns its report again, unless it has a grant.
#[tokio::test(start_paused = true)]
async fn a_nested_loop_that_ended_continues_with_a_grant() {
    let journal = SharedJournal::<u64>::new();
    let pass = async |grant: Option<Grant>| {
        let within = iteration_fn(|cx: IterationContext<u64>| {
            let inner = Loop::new(sleeper(ms(1))).until(never()).at_most(2).resume_from(journal.clone());
            let inner = grant.clone().into_iter().fold(inner, Loop::grant);
            async move { Ok(inner.run_within(&cx).await?.iterations()) }
        });
        Loop::new(within).until(never()).at_most(1).run().await.expect("a report").output().copied()
    };
    assert_eq!(pass(None).await, Some(2));
    assert_eq!(pass(None).await, Some(2));
    assert_eq!(pass(Some(Grant::default().with_iterations(3))).await, Some(5));
}
