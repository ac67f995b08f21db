//! The clocks of loops within loops: what stops the outer one, and what stops both.

use std::time::Duration;

use loop_core::{
    Answer, Ask, Bounded, Decision, Guardrail, Halt, Iteration, IterationContext, Loop, Progress, Question,
    Step, StopReason, SuspendedTime, WorkError, guardrail_fn, iteration_fn,
};
use tokio::time::sleep;

use crate::test_parts::{Budget, cents, ms, never, sleeper, timed};

const HOUR: Duration = Duration::from_secs(3_600);

/// A person who thinks for an hour.
struct Thinker;

#[async_trait::async_trait]
impl Ask for Thinker {
    async fn ask(&mut self, _: &Question, _: &Progress) -> Option<Answer> {
        sleep(HOUR).await;
        Some(Answer::Continue { guidance: None })
    }
}

/// Asks before the second iteration.
fn checkpoint() -> impl Guardrail {
    guardrail_fn("checkpoint", |progress: &Progress| match progress.iterations() {
        1 => Decision::Ask(Question::new("go on?", Halt::new(StopReason::HitlCheckpoint, ""))),
        _ => Decision::Continue,
    })
}

/// Works twice for 100 ms, and asks in between.
fn asking() -> Loop<impl Iteration<Output = u64>, Step<u64>, Bounded> {
    Loop::new(sleeper(ms(100))).until(never()).at_most(2).guard(checkpoint()).on_ask(Thinker)
}

/// Runs a loop of one iteration with a limit on its time.
async fn outer<F, Fut>(limit: Duration, run: F) -> (Duration, loop_core::Report<u64>)
where
    F: FnMut(IterationContext<u64>) -> Fut + Send,
    Fut: Future<Output = Result<u64, WorkError>> + Send,
{
    let run = Loop::new(iteration_fn(run)).until(never()).at_most(1).at_most_for(limit).grace(ms(0));
    let (took, report) = timed(run.run()).await;
    (took, report.expect("it is built"))
}

#[tokio::test(start_paused = true)]
async fn time_of_the_outer_loop_stands_still_while_an_inner_one_asks() {
    let (took, report) =
        outer(ms(250), async |cx: IterationContext<u64>| Ok(asking().run_within(&cx).await?.iterations()))
            .await;
    assert_eq!((took, report.elapsed()), (HOUR + ms(200), ms(200)));
    assert_eq!(report.reason(), Some(&StopReason::MaxIterations));
}

#[tokio::test(start_paused = true)]
async fn the_time_of_the_outer_loop_goes_on_after_the_question() {
    let (took, report) = outer(ms(250), async |cx: IterationContext<u64>| {
        asking().run_within(&cx).await?;
        std::future::pending().await
    })
    .await;
    assert_eq!((took, report.elapsed()), (HOUR + ms(250), ms(250)));
    assert_eq!(report.reason(), Some(&StopReason::TimeExceeded));
}

#[tokio::test(start_paused = true)]
async fn questions_of_several_loops_at_once_stop_the_outer_clock_once() {
    let (took, report) = outer(ms(10_000), async |cx: IterationContext<u64>| {
        let later = async {
            sleep(ms(500)).await;
            asking().run_within(&cx).await
        };
        let (first, second) = tokio::join!(asking().run_within(&cx), later);
        Ok(first?.iterations() + second?.iterations())
    })
    .await;
    // The first asks from 100 ms on, and the second until an hour after 600 ms.
    assert_eq!((took, report.elapsed()), (HOUR + ms(700), ms(200)));
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_dropped_lets_the_outer_clock_go_on() {
    let (took, report) = outer(ms(250), async |cx: IterationContext<u64>| {
        tokio::select! {
            _ = asking().run_within(&cx) => {}
            () = sleep(ms(1_000)) => {}
        }
        std::future::pending().await
    })
    .await;
    assert_eq!((took, report.elapsed()), (ms(1_150), ms(250)));
}

#[tokio::test(start_paused = true)]
async fn a_question_of_one_loop_does_not_delay_the_limit_of_another() {
    let within = iteration_fn(async |cx: IterationContext<u64>| {
        let spends = async {
            sleep(ms(500)).await;
            cx.meter().add(cents(5));
            cx.cancelled().await;
        };
        let _ = tokio::join!(asking().run_within(&cx), spends);
        Ok(1)
    });
    let run = Loop::new(within).until(never()).at_most(1).guard(Budget::cents(5)).overrun(ms(50));
    let (took, report) = timed(run.run()).await;
    assert_eq!(took, ms(550));
    assert_eq!(report.unwrap().reason(), Some(&StopReason::BudgetExceeded));
}

/// Runs a loop of 300 ms within another. The program is suspended for 200 of them, which `handle` reports.
async fn suspended(
    handle: &SuspendedTime,
    outer: &SuspendedTime,
    inner: Option<&SuspendedTime>,
) -> [Duration; 2] {
    let (handle, inner) = (handle.clone(), inner.cloned());
    let agent = iteration_fn(move |cx: IterationContext<u64>| {
        let (handle, inner) = (handle.clone(), inner.clone());
        async move {
            let work = iteration_fn(move |_: IterationContext<u64>| {
                let handle = handle.clone();
                async move {
                    sleep(ms(300)).await;
                    handle.add(ms(200));
                    Ok(1)
                }
            });
            let run = Loop::new(work).until(never()).at_most(1);
            let run = match inner {
                Some(inner) => run.suspended_time(inner),
                None => run,
            };
            let report = run.run_within(&cx).await?;
            Ok(u64::try_from(report.elapsed().as_millis()).expect("a short time"))
        }
    });
    let run = Loop::new(agent).until(never()).at_most(1).suspended_time(outer.clone());
    let report = run.run().await.expect("a run");
    [report.elapsed(), ms(*report.last_output().expect("an output"))]
}

#[tokio::test(start_paused = true)]
async fn suspended_time_of_the_outer_loop_counts_for_the_inner_one() {
    let handle = SuspendedTime::new();
    assert_eq!(suspended(&handle, &handle, None).await, [ms(100), ms(100)]);
}

#[tokio::test(start_paused = true)]
async fn a_handle_of_both_loops_counts_once() {
    let handle = SuspendedTime::new();
    assert_eq!(suspended(&handle, &handle, Some(&handle)).await, [ms(100), ms(100)]);
}

#[tokio::test(start_paused = true)]
async fn a_handle_of_the_inner_loop_does_not_stop_the_outer_clock() {
    let handle = SuspendedTime::new();
    assert_eq!(suspended(&handle, &SuspendedTime::new(), Some(&handle)).await, [ms(300), ms(100)]);
}
