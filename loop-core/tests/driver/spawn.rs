//! Runs as tasks.

use futures::StreamExt;
use loop_core::{
    Bounded, CancellationToken, EventKind, IterationContext, Loop, Step, StopReason, Update, WorkError,
    iteration_fn,
};
use tokio::time::sleep;

use crate::test_parts::{Budget, Endless, cents, event, is_set, ms, never, sleeper, timed};

#[tokio::test(start_paused = true)]
async fn a_slow_reader_holds_the_run_up() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    let mut run = Loop::new(agent).until(never()).at_most(500).spawn().unwrap();
    sleep(ms(1_000)).await;
    let first = event(run.next().await);
    assert_eq!(first.kind, EventKind::RunStarted { evaluated: false, evaluates_first: false });
    // It continued until the channel was full, and no further.
    let mut early = 1;
    let report = loop {
        match run.next().await.expect("a report comes last") {
            Update::Event(event) => early += u64::from(event.at.as_micros() == 0),
            Update::Report(report) => break report,
        }
    };
    assert!((60..100).contains(&early), "{early} events were written without a reader");
    assert_eq!(report.iterations(), 500);
    assert!(run.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn limits_bind_while_nobody_reads() {
    let (endless, dropped) = Endless::new();
    let run = Loop::new(endless).until(never()).at_most_for(ms(200)).grace(ms(30)).spawn().unwrap();
    sleep(ms(231)).await;
    assert!(is_set(&dropped));
    let report = run.join().await;
    assert_eq!(report.reason(), Some(&StopReason::TimeExceeded));
    assert_eq!(report.elapsed(), ms(230));
}

#[tokio::test(start_paused = true)]
async fn the_grace_time_ends_though_a_reader_that_lagged_has_gone() {
    struct Loud(Endless);
    #[loop_core::async_trait]
    impl loop_core::Iteration for Loud {
        type Output = u64;
        async fn run(&mut self, cx: IterationContext<u64>) -> Result<u64, WorkError> {
            let meter = cx.meter();
            let report = async {
                loop {
                    sleep(ms(1)).await;
                    meter.add(cents(1));
                }
            };
            tokio::select! {
                output = self.0.run(cx) => output,
                () = report => unreachable!("it reports for ever"),
            }
        }
    }
    let (endless, dropped) = Endless::new();
    let run = Loop::new(Loud(endless)).until(never()).at_most_for(ms(500)).grace(ms(100)).spawn().unwrap();
    // The channel is full, and the work was interrupted.
    sleep(ms(550)).await;
    drop(run);
    sleep(ms(200)).await;
    assert!(is_set(&dropped));
}

#[tokio::test(start_paused = true)]
async fn dropping_the_handle_cancels_the_run_and_not_the_token() {
    let (endless, dropped) = Endless::new();
    let token = CancellationToken::new();
    let run = Loop::new(endless).until(never()).at_most(3).cancel_on(token.clone()).grace(ms(30));
    let run = run.spawn().unwrap();
    sleep(ms(10)).await;
    drop(run);
    sleep(ms(29)).await;
    assert!(!is_set(&dropped), "it has its grace time");
    sleep(ms(2)).await;
    assert!(is_set(&dropped));
    assert!(!token.is_cancelled(), "the token is the user's");
}

#[tokio::test(start_paused = true)]
async fn the_token_cancels_a_spawned_run() {
    let token = CancellationToken::new();
    let run = Loop::new(sleeper(ms(1_000))).until(never()).at_most(3).cancel_on(token.clone());
    let run = run.grace(ms(0)).spawn().unwrap();
    sleep(ms(10)).await;
    token.cancel();
    let (took, report) = timed(run.join()).await;
    assert_eq!(took, ms(0));
    assert_eq!(report.reason(), Some(&StopReason::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn a_handle_cancels_its_run_and_still_gets_the_report() {
    let run = Loop::new(sleeper(ms(1_000))).until(never()).at_most(3).grace(ms(0)).spawn().unwrap();
    sleep(ms(1_500)).await;
    run.cancel();
    let report = run.join().await;
    assert_eq!(report.reason(), Some(&StopReason::Cancelled));
    assert_eq!(report.iterations(), 2);
    assert_eq!(report.output(), Some(&1));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_with_a_full_channel_comes_to_its_end() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    let token = CancellationToken::new();
    let run = Loop::new(agent).until(never()).at_most(u64::MAX).cancel_on(token.clone()).spawn().unwrap();
    sleep(ms(50)).await;
    token.cancel();
    sleep(ms(50)).await;
    let report = run.join().await;
    assert_eq!(report.reason(), Some(&StopReason::Cancelled));
    assert_eq!(report.elapsed(), ms(50));
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "a bug in the agent")]
async fn a_panic_in_a_part_reaches_who_joins() {
    let agent = iteration_fn(async |_: IterationContext<u64>| -> Result<u64, WorkError> {
        panic!("a bug in the agent")
    });
    Loop::new(agent).until(never()).at_most(3).spawn().unwrap().join().await;
}

#[tokio::test(start_paused = true)]
async fn usage_during_a_wait_is_reported_at_once() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        let meter = cx.meter();
        tokio::spawn(async move {
            sleep(ms(120)).await;
            meter.add(cents(2));
        });
        Ok(1)
    });
    let mut run = Loop::new(agent).until(never()).at_most(2).pace(ms(1_000)).spawn().unwrap();
    let read = async { while !matches!(event(run.next().await).kind, EventKind::UsageReported { .. }) {} };
    assert_eq!(timed(read).await.0, ms(120));
}

/// A fast reader receives each report separately, even if the work does not pause between them.
#[tokio::test(start_paused = true)]
async fn reports_without_a_pause_are_told_one_by_one() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        for _ in 0..10 {
            cx.meter().add(cents(2));
            tokio::task::yield_now().await;
        }
        Ok(1)
    });
    let run = Loop::new(agent).until(never()).at_most(1).spawn().unwrap();
    let reported = |update: &Update<u64>| match update {
        Update::Event(event) => matches!(event.kind, EventKind::UsageReported { .. }),
        Update::Report(_) => false,
    };
    let updates: Vec<_> = run.collect().await;
    // The driver polls work once before it supervises it, so the first two reports arrive together.
    assert_eq!(updates.iter().filter(|update| reported(update)).count(), 9);
}

#[tokio::test(start_paused = true)]
async fn limits_bind_in_a_wait_while_nobody_reads() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        let meter = cx.meter();
        tokio::spawn(async move {
            for _ in 0..100 {
                sleep(ms(1)).await;
                meter.add(cents(1));
            }
        });
        Ok(1)
    });
    let run = Loop::new(agent).until(never()).at_most(2).guard(Budget::cents(90)).pace(ms(1_000));
    let run = run.spawn().unwrap();
    sleep(ms(500)).await;
    let updates: Vec<_> = run.collect().await;
    let Some(Update::Report(report)) = updates.last() else { panic!("no report at the end") };
    assert_eq!((report.reason(), report.elapsed()), (Some(&StopReason::BudgetExceeded), ms(90)));
    assert_eq!(report.usage(), &cents(90));
    assert!(updates.len() < 80, "{} updates were kept for nobody", updates.len());
}

#[tokio::test(start_paused = true)]
async fn work_that_is_deferred_for_no_time_lets_others_run() {
    let agent = iteration_fn(async |_: IterationContext<u64>| -> Result<u64, WorkError> {
        Err(WorkError::Later { after: ms(0) })
    });
    let token = CancellationToken::new();
    let run = Loop::new(agent).until(never()).at_most(1).cancel_on(token.clone()).run();
    tokio::spawn(async move { token.cancel() });
    assert_eq!(run.await.unwrap().reason(), Some(&StopReason::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_is_written_once() {
    let token = CancellationToken::new();
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        cx.cancelled().await;
        Ok(1)
    });
    let run = Loop::new(agent).until(never()).at_most(3).cancel_on(token.clone()).stream().unwrap();
    tokio::spawn(async move { token.cancel() });
    let events: Vec<_> = run.collect().await;
    let requested = |update: &&Update<u64>| match update {
        Update::Event(event) => event.kind == EventKind::CancelRequested {},
        Update::Report(_) => false,
    };
    assert_eq!(events.iter().filter(requested).count(), 1);
}

/// Yielding to the runtime costs more than a ready step, so sixteen such steps share one yield.
#[tokio::test(start_paused = true)]
async fn ready_steps_let_others_run_now_and_then_and_not_each_time() {
    let succeeds = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    assert_eq!(yields(Loop::new(succeeds).until(never()).at_most(1_600)).await, 100);
    let fails = iteration_fn(async |_: IterationContext<u64>| Err::<u64, _>(WorkError::failed("no")));
    assert_eq!(yields(Loop::new(fails).until(never()).at_most(1_600)).await, 100);
}

async fn yields<I: loop_core::Iteration<Output = u64>>(run: Loop<I, Step<u64>, Bounded>) -> u64 {
    let mut run = std::pin::pin!(run.run());
    let mut yields = 0;
    while futures::poll!(run.as_mut()).is_pending() {
        yields += 1;
    }
    yields
}

#[test]
#[should_panic(expected = "its runtime was shut down")]
fn a_run_whose_runtime_is_gone_has_no_report() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (endless, _) = Endless::new();
    let run = runtime.block_on(async { Loop::new(endless).until(never()).at_most(3).spawn().unwrap() });
    drop(runtime);
    let _ = futures::executor::block_on(run.join());
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "was already taken from its stream")]
async fn a_report_is_given_once() {
    let mut run = Loop::new(sleeper(ms(1))).until(never()).at_most(1).spawn().unwrap();
    while run.next().await.is_some() {}
    let _ = run.join().await;
}
