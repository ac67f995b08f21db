//! Time that does not count as run time.

use loop_core::{
    Answer, Ask, Decision, Halt, IterationContext, Loop, Progress, Question, StopReason, SuspendedTime,
    guardrail_fn, iteration_fn,
};
use std::time::Duration;
use tokio::time::sleep;

use crate::test_parts::{ms, never, sleeper, timed};

/// Reports suspended time that has just passed, after this delay.
fn stopped_for(time: Duration, until: Duration, suspended_time: &SuspendedTime) {
    let suspended_time = suspended_time.clone();
    tokio::spawn(async move {
        sleep(until).await;
        suspended_time.add(time);
    });
}

#[tokio::test(start_paused = true)]
async fn time_off_moves_the_deadline_of_work() {
    let suspended_time = SuspendedTime::new();
    stopped_for(ms(200), ms(250), &suspended_time);
    let run =
        Loop::new(sleeper(ms(9_000))).until(never()).at_most_for(ms(300)).suspended_time(suspended_time);
    let (took, report) = timed(run.grace(ms(0)).run()).await;
    assert_eq!(took, ms(500));
    assert_eq!(report.unwrap().elapsed(), ms(300));
}

#[tokio::test(start_paused = true)]
async fn time_off_lengthens_a_wait() {
    let suspended_time = SuspendedTime::new();
    stopped_for(ms(200), ms(250), &suspended_time);
    let run =
        Loop::new(sleeper(ms(10))).until(never()).at_most(2).pace(ms(1_000)).suspended_time(suspended_time);
    let (took, report) = timed(run.run()).await;
    assert_eq!(took, ms(1_220));
    assert_eq!(report.unwrap().elapsed(), ms(1_020));
}

/// Thinks for a second, during which the program is stopped for a while.
struct Thinker;

#[async_trait::async_trait]
impl Ask for Thinker {
    async fn ask(&mut self, _: &Question, _: &Progress) -> Option<Answer> {
        sleep(ms(1_000)).await;
        Some(Answer::Continue { guidance: None })
    }
}

#[tokio::test(start_paused = true)]
async fn time_off_while_a_person_is_asked_is_not_taken_off_twice() {
    let asks = guardrail_fn("checkpoint", |progress| match progress.iterations() {
        1 => Decision::Ask(Question::new("go on?", Halt::new(StopReason::HitlCheckpoint, ""))),
        _ => Decision::Continue,
    });
    let suspended_time = SuspendedTime::new();
    stopped_for(ms(400), ms(900), &suspended_time);
    let run = Loop::new(sleeper(ms(100))).until(never()).at_most(9).at_most_for(ms(250)).guard(asks);
    let run = run.on_ask(Thinker).suspended_time(suspended_time).grace(ms(0));
    let (took, report) = timed(run.run()).await;
    assert_eq!(report.unwrap().elapsed(), ms(250));
    assert_eq!(took, ms(1_250));
}

#[tokio::test(start_paused = true)]
async fn more_time_off_than_there_is_stops_the_clock_and_does_not_wrap() {
    let suspended_time = SuspendedTime::new();
    let handle = suspended_time.clone();
    let agent = iteration_fn(move |cx: IterationContext<u64>| {
        handle.add(Duration::MAX);
        async move {
            sleep(ms(5)).await;
            Ok(cx.iteration())
        }
    });
    let report =
        Loop::new(agent).until(never()).at_most(3).suspended_time(suspended_time).run().await.unwrap();
    assert_eq!(report.elapsed(), Duration::ZERO);
}
