//! Slow readers and slow journals do not move a limit.

use std::{
    future::Future,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::StreamExt;
use loop_core::{
    BoxError, EvaluationContext, Event, EventKind, IterationContext, Journal, JournalSync, Loop, OnLag,
    StopReason, Update, Verdict, condition_fn, evaluator_fn, evaluator_passed, iteration_fn,
};
use tokio::time::{Instant, sleep};

use crate::test_parts::{Budget, cents, ms, never, sleeper};

const HOUR: Duration = Duration::from_secs(3_600);

/// A journal whose sync takes this long.
struct Slow(Duration);

impl Journal<u64> for Slow {
    fn append(&mut self, _: &[Event], _: Option<&u64>) -> Result<(), BoxError> {
        Ok(())
    }
    fn sync(&mut self) -> JournalSync {
        let takes = self.0;
        Box::pin(async move {
            sleep(takes).await;
            Ok(())
        })
    }
    fn load(&mut self, _: &mut dyn FnMut(&Event)) -> Result<Option<u64>, BoxError> {
        Ok(None)
    }
}

/// The times of the calls of work, and the remaining time at each.
type Calls = Arc<Mutex<Vec<(Duration, Duration)>>>;

/// Work that takes this long, and records when it is called.
fn noting(takes: Duration, calls: &Calls) -> impl loop_core::Iteration<Output = u64> + 'static {
    let (calls, start) = (Arc::clone(calls), Instant::now());
    iteration_fn(move |cx: IterationContext<u64>| {
        calls.lock().expect("no panic").push((start.elapsed(), cx.left().time.expect("a limit")));
        async move {
            sleep(takes).await;
            Ok(cx.iteration())
        }
    })
}

#[tokio::test(start_paused = true)]
async fn nothing_begins_after_its_time_though_the_reader_slept() {
    let (limit, calls) = (Duration::from_secs(60), Calls::default());
    let run = Loop::new(noting(ms(100), &calls)).until(never()).at_most_for(limit);
    let mut run = run.spawn().unwrap();
    for _ in 0..3 {
        run.next().await;
    }
    sleep(HOUR).await;
    let report = run.join().await;
    assert_eq!(report.reason(), Some(&StopReason::TimeExceeded));
    for (at, left) in &*calls.lock().unwrap() {
        assert!(*at + *left <= limit, "called at {at:?} with {left:?} left");
    }
}

#[tokio::test(start_paused = true)]
async fn no_evaluation_begins_after_its_time_though_the_reader_slept() {
    let judged = Arc::new(Mutex::new(0));
    let count = Arc::clone(&judged);
    let check = evaluator_fn(move |_: EvaluationContext<u64>| {
        *count.lock().unwrap() += 1;
        async { Ok(Verdict::fail()) }
    });
    let run = Loop::new(sleeper(ms(100))).evaluate(check).until(evaluator_passed());
    let mut run = run.at_most_for(Duration::from_secs(60)).channel(2).spawn().unwrap();
    sleep(HOUR).await;
    while !matches!(run.next().await, Some(Update::Report(_))) {}
    assert_eq!(*judged.lock().unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn work_whose_time_passed_while_the_journal_was_synced_is_cut_and_never_called() {
    let calls = Calls::default();
    let run = Loop::new(noting(ms(10), &calls)).until(never()).at_most_for(ms(100)).journal(Slow(ms(70)));
    let mut run = run.stream().unwrap();
    let mut kinds = Vec::new();
    let report = loop {
        match run.next().await.expect("a report") {
            Update::Event(event) => kinds.push(event.kind.name()),
            Update::Report(report) => break report,
        }
    };
    // The second call would be at 140 ms: a sync ends at 70 ms, and the next one has the settled step.
    assert_eq!(*calls.lock().unwrap(), [(ms(0), ms(100))]);
    let end = ["iteration_started", "deadline_passed", "interrupt_requested", "work_cut", "run_finished"];
    assert_eq!(kinds[kinds.len() - 5..], end);
    assert_eq!((report.reason(), report.iterations()), (Some(&StopReason::TimeExceeded), 2));
}

#[tokio::test(start_paused = true)]
async fn time_spent_waiting_for_a_reader_is_no_work() {
    let check = evaluator_fn(async |_: EvaluationContext<u64>| {
        sleep(ms(500)).await;
        Ok(Verdict::fail())
    });
    let run = Loop::new(sleeper(ms(500))).evaluate(check).until(evaluator_passed()).at_most(3);
    let mut run = run.channel(1).spawn().unwrap();
    let report = loop {
        sleep(Duration::from_secs(10)).await;
        match run.next().await.expect("a report") {
            Update::Event(_) => {}
            Update::Report(report) => break report,
        }
    };
    assert_eq!(report.progress().working(), Duration::from_secs(3));
    assert_eq!(report.last_step().expect("a step").elapsed(), Duration::from_secs(1));
    assert!(report.elapsed() > Duration::from_secs(60));
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_may_lose_events_holds_nothing_up() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    let run = Loop::new(agent).until(never()).at_most(500).channel(8).on_lag(OnLag::Drop);
    let mut run = run.spawn().unwrap();
    sleep(ms(1_000)).await;
    let mut seen = Vec::new();
    let report = loop {
        match run.next().await.expect("a report") {
            Update::Event(event) => seen.push(event.sequence),
            Update::Report(report) => break report,
        }
    };
    assert_eq!((report.iterations(), report.elapsed()), (500, ms(0)));
    assert_eq!(seen, (1..=8).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_detached_run_goes_on_to_its_end() {
    let done = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&done);
    let observer = move |event: &Event, progress: &loop_core::Progress| {
        if let EventKind::RunFinished { .. } = event.kind {
            *seen.lock().unwrap() = Some(progress.iterations());
        }
    };
    let run = Loop::new(sleeper(ms(10))).until(condition_fn(|_: &_, _| false)).at_most(300).observe(observer);
    run.spawn().unwrap().detach();
    sleep(ms(3_001)).await;
    assert_eq!(*done.lock().unwrap(), Some(300));
}

/// Implemented by hand, without `async_trait`: it records each call, not only each poll.
struct ByHand(Calls);

impl loop_core::Iteration for ByHand {
    type Output = u64;
    fn run<'a, 'b>(
        &'a mut self,
        cx: IterationContext<u64>,
    ) -> std::pin::Pin<Box<dyn Future<Output = Result<u64, loop_core::WorkError>> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        self.0.lock().expect("no panic").push((ms(0), cx.left().time.unwrap_or_default()));
        Box::pin(async { Ok(1) })
    }
}

#[tokio::test(start_paused = true)]
async fn work_that_was_called_off_is_not_called() {
    let calls = Calls::default();
    let run = Loop::new(ByHand(Arc::clone(&calls))).until(never()).at_most_for(ms(50)).journal(Slow(ms(100)));
    assert_eq!(run.run().await.unwrap().iterations(), 2);
    assert_eq!(calls.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn no_work_is_called_after_an_observer_cancelled_it() {
    let (calls, token) = (Calls::default(), loop_core::CancellationToken::new());
    let cancel = token.clone();
    let observer = move |event: &Event, _: &loop_core::Progress| {
        if let EventKind::IterationStarted { .. } = event.kind {
            cancel.cancel();
        }
    };
    let run =
        Loop::new(ByHand(Arc::clone(&calls))).until(never()).at_most(3).cancel_on(token).observe(observer);
    assert_eq!(run.run().await.unwrap().reason(), Some(&StopReason::Cancelled));
    assert!(calls.lock().unwrap().is_empty());
}

/// An observer runs on the run's own task. This one advances the clock as if it blocked the thread.
#[tokio::test(start_paused = true)]
async fn no_work_is_called_after_an_observer_took_its_time() {
    let calls = Calls::default();
    let observer = |event: &Event, _: &loop_core::Progress| {
        if let EventKind::IterationStarted { .. } = event.kind {
            // The first poll advances the clock.
            let _ = futures::FutureExt::now_or_never(tokio::time::advance(ms(80)));
        }
    };
    let run = Loop::new(ByHand(Arc::clone(&calls))).until(never()).at_most_for(ms(50)).observe(observer);
    assert_eq!(run.run().await.unwrap().reason(), Some(&StopReason::TimeExceeded));
    assert!(calls.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn usage_that_comes_while_a_reader_is_awaited_counts_before_the_next_iteration() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        let meter = cx.meter();
        tokio::spawn(async move {
            sleep(ms(1_000)).await;
            meter.add(cents(100));
        });
        Ok(1)
    });
    let run = Loop::new(agent).until(never()).at_most(3).guard(Budget::cents(10)).channel(1);
    let mut run = run.spawn().unwrap();
    run.next().await;
    run.next().await;
    sleep(ms(10_000)).await;
    let report = run.join().await;
    assert_eq!((report.reason(), report.iterations()), (Some(&StopReason::BudgetExceeded), 1));
}

#[tokio::test(start_paused = true)]
async fn a_fault_or_a_mark_that_comes_late_is_not_the_next_steps() {
    for after in [0, 5] {
        let agent = iteration_fn(move |cx: IterationContext<u64>| async move {
            let iteration = cx.iteration();
            if iteration == 1 {
                tokio::spawn(async move {
                    sleep(ms(after)).await;
                    cx.fault("of the first");
                    cx.mark("tree", 1);
                });
            }
            sleep(ms(10 * (iteration - 1))).await;
            Ok(iteration)
        });
        let report = Loop::new(agent).until(never()).at_most(2).run().await.unwrap();
        let last = report.last_step().expect("a step");
        assert_eq!((last.iteration(), last.fault(), last.marks()), (2, None, &[][..]));
    }
}
