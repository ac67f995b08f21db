//! Questions to a person.

use std::sync::{Arc, Mutex};

use loop_core::{
    Answer, Ask, CancellationToken, Decision, Halt, IterationContext, Loop, Progress, Question, StopReason,
    guardrail_fn, iteration_fn,
};
use tokio::time::sleep;

use crate::test_parts::{ms, never, sleeper, timed};

/// Asks before the second iteration.
fn checkpoint() -> impl loop_core::Guardrail {
    guardrail_fn("checkpoint", |progress: &Progress| match progress.iterations() {
        1 => {
            Decision::Ask(Question::new("go on?", Halt::new(StopReason::HitlCheckpoint, "nobody was there")))
        }
        _ => Decision::Continue,
    })
}

/// A person who thinks for an hour.
struct Thinker(Option<Answer>);

#[async_trait::async_trait]
impl Ask for Thinker {
    async fn ask(&mut self, question: &Question, progress: &Progress) -> Option<Answer> {
        assert_eq!(question.text, "go on?");
        assert_eq!(progress.iterations(), 1);
        sleep(ms(3_600_000)).await;
        self.0.clone()
    }
}

fn note(text: &str) -> Option<Answer> {
    Some(Answer::Continue { guidance: Some(text.to_owned()) })
}

#[tokio::test(start_paused = true)]
async fn time_stands_still_while_a_person_is_asked() {
    let run = Loop::new(sleeper(ms(100))).until(never()).at_most(3).at_most_for(ms(250)).guard(checkpoint());
    let (took, report) = timed(run.on_ask(Thinker(note("hurry"))).grace(ms(0)).run()).await;
    let report = report.unwrap();
    assert_eq!(report.reason(), Some(&StopReason::TimeExceeded));
    assert_eq!(report.elapsed(), ms(250));
    assert_eq!(took, ms(3_600_250));
}

#[tokio::test(start_paused = true)]
async fn a_note_reaches_the_next_iteration_and_no_other() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&heard);
    let agent = iteration_fn(move |cx: IterationContext<u64>| {
        notes.lock().unwrap().push(cx.guidance().map(str::to_owned));
        async { Ok(1) }
    });
    let run = Loop::new(agent).until(never()).at_most(3).guard(checkpoint()).on_ask(Thinker(note("look")));
    assert_eq!(run.run().await.unwrap().iterations(), 3);
    assert_eq!(*heard.lock().unwrap(), [None, Some("look".to_owned()), None]);
}

#[tokio::test(start_paused = true)]
async fn a_question_that_nobody_answers_is_a_blockable_halt() {
    let run = Loop::new(sleeper(ms(1))).until(never()).at_most(3).guard(checkpoint());
    let report = run.run().await.unwrap();
    assert_eq!(report.reason(), Some(&StopReason::HitlCheckpoint));
    assert!(report.ending().is_blockable());
    assert_eq!(report.ending().guardrail(), Some("checkpoint"));
}

#[tokio::test(start_paused = true)]
async fn who_says_no_ends_the_run_as_declined() {
    let run = Loop::new(sleeper(ms(1))).until(never()).at_most(3).guard(checkpoint());
    let report = run.on_ask(Thinker(Some(Answer::Stop))).run().await.unwrap();
    assert_eq!(report.reason(), Some(&StopReason::Declined));
    assert!(!report.ending().is_blockable());
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_does_not_wait_for_the_answer() {
    let token = CancellationToken::new();
    let run = Loop::new(sleeper(ms(10))).until(never()).at_most(3).guard(checkpoint());
    let run = run.on_ask(Thinker(note("late"))).cancel_on(token.clone());
    tokio::spawn(async move {
        sleep(ms(500)).await;
        token.cancel();
    });
    let (took, report) = timed(run.run()).await;
    let report = report.unwrap();
    assert_eq!(took, ms(500));
    assert_eq!(report.reason(), Some(&StopReason::Cancelled));
    assert_eq!(report.elapsed(), ms(10));
}

#[tokio::test(start_paused = true)]
async fn usage_that_comes_while_a_person_thinks_counts() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        let meter = cx.meter();
        tokio::spawn(async move {
            sleep(ms(1_000)).await;
            meter.add(crate::test_parts::cents(4));
        });
        Ok(1)
    });
    let run = Loop::new(agent).until(never()).at_most(3).guard(checkpoint()).on_ask(Thinker(None));
    let report = run.run().await.unwrap();
    assert_eq!(report.reason(), Some(&StopReason::HitlCheckpoint));
    assert_eq!(report.usage(), &crate::test_parts::cents(4));
}
