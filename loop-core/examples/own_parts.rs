//! All parts of a loop, implemented by hand: the work, the check, the goal, a limit, the delay and a person.
//!
//! A writer drafts, an editor scores, and the text is done after two good drafts in a row, because one may be luck. A
//! patron pays for a hundred words in total, and wants to be asked before the fourth draft.
//!
//! Run it with `cargo run -p loop-core --example own_parts`.
#![expect(clippy::print_stdout, reason = "an example shows what came of it")]

use std::time::Duration;

use async_trait::async_trait;
use loop_core::{
    Answer, Ask, BuildError, Ceiling, Decision, EvaluationContext, Evaluator, Event, EventKind, Guardrail,
    Halt, Iteration, IterationContext, JudgedStep, Loop, Pace, Progress, Question, StopCondition, StopReason,
    Usage, Verdict, WorkError, WorkResult,
};

/// The work. It sees the previous draft, the editor's verdict on it, and the patron's note.
struct Writer;

#[async_trait]
impl Iteration for Writer {
    type Output = String;

    async fn run(&mut self, cx: IterationContext<String>) -> Result<String, WorkError> {
        let mut draft = cx.last_output().cloned().unwrap_or_default();
        let advice = cx.previous().and_then(|step| step.verdict()?.feedback());
        for word in [advice, cx.guidance()].into_iter().flatten() {
            draft.push_str(word);
            draft.push(' ');
        }
        let words = draft.split_whitespace().count() as u64;
        cx.meter().add(Usage::unknown().with_tokens(0, words));
        Ok(draft)
    }
}

/// The check.
struct Editor;

#[async_trait]
impl Evaluator<String> for Editor {
    async fn evaluate(&mut self, cx: EvaluationContext<String>) -> Result<Verdict, WorkError> {
        let words = cx.output().split_whitespace().count();
        let verdict = if words >= 4 { Verdict::pass() } else { Verdict::fail() };
        Ok(verdict.with_score(words as f64 / 6.0).with_feedback("more"))
    }
}

/// The goal. Its state is a fold of the events, so it survives a restart.
#[derive(Default)]
struct GoodTwice {
    in_a_row: u32,
}

impl StopCondition<JudgedStep<String>> for GoodTwice {
    fn is_met(&self, _step: &JudgedStep<String>, _progress: &Progress) -> bool {
        self.in_a_row >= 2
    }

    fn observe(&mut self, event: &Event) {
        if let EventKind::EvaluationFinished { result: WorkResult::Done(verdict), .. } = &event.kind {
            self.in_a_row = if verdict.passed() { self.in_a_row + 1 } else { 0 };
        }
    }
}

/// A limit: pays for a number of words, and wants to be asked before the fourth draft.
struct Patron {
    words: u64,
}

impl Guardrail for Patron {
    fn name(&self) -> &str {
        "patron"
    }

    fn check(&self, progress: &Progress) -> Decision {
        if self.ceiling(progress).is_exhausted() {
            return Decision::Halt(Halt::new(
                StopReason::TokensExceeded,
                "every word that was paid for is written",
            ));
        }
        match progress.iterations() {
            3 => Decision::Ask(Question::new(
                "three drafts are done: shall there be another?",
                Halt::new(StopReason::HitlCheckpoint, "the patron is away"),
            )),
            _ => Decision::Continue,
        }
    }

    /// Cuts a draft whose words exceed the limit.
    fn ceiling(&self, progress: &Progress) -> Ceiling {
        Ceiling::tokens(self.words.saturating_sub(progress.usage().tokens().unwrap_or(0)))
    }
}

/// The delay: shorter after a better draft.
struct DraftPace;

impl Pace for DraftPace {
    fn delay(&self, progress: &Progress) -> Duration {
        let score = progress.last_step().and_then(|step| step.verdict()?.score()).unwrap_or(0.0);
        Duration::from_millis(3).mul_f64(1.0 - score)
    }
}

/// The person.
struct Author;

#[async_trait]
impl Ask for Author {
    async fn ask(&mut self, _question: &Question, progress: &Progress) -> Option<Answer> {
        assert_eq!(progress.iterations(), 3);
        Some(Answer::Continue { guidance: Some("wit".to_owned()) })
    }
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), BuildError> {
    let report = Loop::new(Writer)
        .evaluate(Editor)
        .until(GoodTwice::default())
        .at_most(10)
        .guard(Patron { words: 100 })
        .pace(DraftPace)
        .on_ask(Author)
        .run()
        .await?;

    println!("{} after {} drafts: {:?}", report.ending(), report.iterations(), report.output());
    assert_eq!(report.reason(), None);
    assert_eq!(report.iterations(), 5);
    assert_eq!(report.output().map(String::as_str), Some("more more more wit more "));
    // Words are counted, and the cost stays unknown because nobody reported it.
    assert_eq!(report.usage().tokens(), Some(1 + 2 + 4 + 5));
    assert_eq!(report.usage().cost, None);
    Ok(())
}
