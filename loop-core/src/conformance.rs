//! A kit that checks a driver of your own: scripted loops with faults, limits and cancellations, and what has to come of
//! them.
//!
//! Any driver has to produce the same settled steps, verdicts, usage and ending. Times may differ.
//!
//! ```
//! use loop_core::conformance::{ScriptedLoop, cases};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
//! for case in cases() {
//!     case.check(|run: ScriptedLoop| Ok(runtime.block_on(run.run())?))?;
//! }
//! # Ok(())
//! # }
//! ```

mod cases;

use std::{
    fmt::Write,
    future::{pending, poll_fn},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Poll,
    time::Duration,
};

use async_trait::async_trait;

pub use self::cases::cases;
use crate::{
    Answer, Ask, Bounded, BoxError, CancellationToken, Ceiling, Decision, EvaluationContext, Evaluator,
    Event, EventKind, Guardrail, Halt, Iteration, IterationContext, JudgedStep, Loop, Progress, Question,
    Report, StepRecord, StopReason, Usage, Verdict, WorkError, evaluator_passed, guardrail_fn,
};

/// A loop whose parts follow a script. It ends by itself, within less than a second of run time.
pub type ScriptedLoop = Loop<ScriptedIteration, JudgedStep<u64>, Bounded>;

/// One thing that scripted work does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    /// Is not ready once, and wakes its task.
    Yield,
    /// Reports this many tokens.
    Report(u64),
    /// Defers itself, at the first try.
    Defer,
    /// Cancels the run.
    Cancel,
    /// Waits until it is interrupted.
    Hang,
    /// Never ends, not even when it is interrupted.
    Ignore,
    /// Notes a fault.
    Fault,
    Fail,
    Halt,
}

/// How somebody reacts to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reaction {
    Yes,
    No,
    Nobody,
    /// Cancels the run, and never answers.
    Cancel,
}

/// A scripted loop, and what has to come of it. Created by [`cases`].
#[derive(Debug, Clone)]
pub struct Case {
    name: &'static str,
    /// The acts of each iteration; an iteration beyond them does nothing.
    agent: Vec<Vec<Act>>,
    /// The acts of each evaluation.
    judge: Vec<Vec<Act>>,
    /// The iteration whose output passes.
    passes_at: u64,
    at_most: u64,
    max_tokens: Option<u64>,
    max_time: Option<Duration>,
    pace: Duration,
    cancels_in_wait: bool,
    /// The reactions to the question before the second iteration. Without any, there is no question.
    reactions: Vec<Reaction>,
    expected: &'static str,
}

/// The error of a driver that does something else than the script demands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the driver fails the case \"{name}\"\nexpected:\n{expected}\nfound:\n{found}")]
pub struct Deviation {
    name: &'static str,
    expected: String,
    found: String,
}

impl Case {
    /// Returns what the case is about.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Lets the driver run the loop, and compares what came of it.
    ///
    /// # Errors
    /// [`Deviation`] with a description of both, if they differ or if the driver fails.
    pub fn check(
        &self,
        drive: impl FnOnce(ScriptedLoop) -> Result<Report<u64>, BoxError>,
    ) -> Result<(), Deviation> {
        let steps = Arc::new(Mutex::new(String::new()));
        let found = match drive(self.compose(Arc::clone(&steps))) {
            Ok(report) => described(&locked(&steps), &report),
            Err(error) => format!("the driver failed: {error}"),
        };
        let expected = self.expected.trim();
        match found.trim() == expected {
            true => Ok(()),
            false => Err(Deviation { name: self.name, expected: expected.to_owned(), found }),
        }
    }

    fn compose(&self, steps: Arc<Mutex<String>>) -> ScriptedLoop {
        let cancel = CancellationToken::new();
        let script = |acts: &[Vec<Act>]| Script { acts: acts.to_vec(), cancel: cancel.clone(), deferred: 0 };
        let agent = ScriptedIteration(script(&self.agent));
        let judge = ScriptedEvaluator { script: script(&self.judge), passes_at: self.passes_at };
        let mut run = Loop::new(agent).evaluate(judge).until(evaluator_passed()).at_most(self.at_most);
        if let Some(time) = self.max_time {
            run = run.at_most_for(time);
        }
        if let Some(limit) = self.max_tokens {
            run = run.guard(TokenLimit(limit));
        }
        if !self.reactions.is_empty() {
            let question = Question::new("Go on?", Halt::new(StopReason::HitlCheckpoint, "nobody is there"));
            run = run.guard(guardrail_fn("checkpoint", move |progress| match progress.iterations() {
                1 => Decision::Ask(question.clone()),
                _ => Decision::Continue,
            }));
            run = run.on_ask(ScriptedAsk { reactions: self.reactions.clone(), cancel: cancel.clone() });
        }
        let (cancels_in_wait, token) = (self.cancels_in_wait, cancel.clone());
        let observer = move |event: &Event, progress: &Progress| match &event.kind {
            EventKind::StepSettled { .. } => progress.last_step().into_iter().for_each(|step| {
                describe_step(&mut locked(&steps), step);
            }),
            EventKind::WaitStarted { .. } if cancels_in_wait => token.cancel(),
            _ => {}
        };
        run.observe(observer).pace(self.pace).grace(Duration::from_millis(20)).cancel_on(cancel)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds a line about a settled step.
fn describe_step(text: &mut String, step: &StepRecord) {
    let result = match (step.failure(), step.fault()) {
        (Some(failure), _) => failure,
        (None, Some(fault)) => fault,
        (None, None) => "done",
    };
    let verdict = step.verdict().map_or_else(|| "none".to_owned(), |verdict| verdict.outcome().to_string());
    let tokens = step.usage().tokens().unwrap_or(0);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "step {}: {result}, verdict {verdict}, {tokens} tokens", step.iteration());
}

fn described(steps: &str, report: &Report<u64>) -> String {
    let tokens = report.usage().tokens().unwrap_or(0);
    let iterations = report.iterations();
    format!("{steps}{}, {iterations} iterations, {tokens} tokens", report.ending().name())
}

/// The script of an iteration or an evaluator.
struct Script {
    acts: Vec<Vec<Act>>,
    cancel: CancellationToken,
    /// The last index that was deferred.
    deferred: u64,
}

impl Script {
    /// Does the acts of this index.
    async fn perform<O>(&mut self, index: u64, cx: &IterationContext<O>) -> Result<(), WorkError> {
        let place = usize::try_from(index).ok().and_then(|index| index.checked_sub(1));
        let acts = place.and_then(|place| self.acts.get(place)).cloned().unwrap_or_default();
        for act in acts {
            match act {
                Act::Yield => yield_once().await,
                Act::Report(tokens) => cx.meter().add(Usage::unknown().with_input_tokens(tokens)),
                Act::Defer if self.deferred < index => {
                    self.deferred = index;
                    return Err(WorkError::Later { after: Duration::from_millis(1) });
                }
                Act::Defer => {}
                Act::Cancel => self.cancel.cancel(),
                Act::Hang => cx.cancelled().await,
                Act::Ignore => pending::<()>().await,
                Act::Fault => cx.fault("exit code 1"),
                Act::Fail => return Err(WorkError::failed("it broke")),
                Act::Halt => {
                    return Err(Halt::new(StopReason::AgentUnavailable, "it is not installed").into());
                }
            }
        }
        Ok(())
    }
}

async fn yield_once() {
    let mut yielded = false;
    poll_fn(|cx| match std::mem::replace(&mut yielded, true) {
        true => Poll::Ready(()),
        false => {
            cx.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await;
}

/// The work of a [`ScriptedLoop`].
#[expect(missing_debug_implementations, reason = "nobody looks at a script")]
pub struct ScriptedIteration(Script);

#[async_trait]
impl Iteration for ScriptedIteration {
    type Output = u64;

    async fn run(&mut self, cx: IterationContext<u64>) -> Result<u64, WorkError> {
        self.0.perform(cx.iteration(), &cx).await?;
        Ok(cx.iteration())
    }
}

struct ScriptedEvaluator {
    script: Script,
    passes_at: u64,
}

#[async_trait]
impl Evaluator<u64> for ScriptedEvaluator {
    async fn evaluate(&mut self, cx: EvaluationContext<u64>) -> Result<Verdict, WorkError> {
        self.script.perform::<u64>(cx.iteration(), &cx.part()).await?;
        Ok(if *cx.output() == self.passes_at { Verdict::pass() } else { Verdict::fail() })
    }
}

struct ScriptedAsk {
    reactions: Vec<Reaction>,
    cancel: CancellationToken,
}

#[async_trait]
impl Ask for ScriptedAsk {
    async fn ask(&mut self, _question: &Question, _progress: &Progress) -> Option<Answer> {
        let reaction = if self.reactions.is_empty() { Reaction::Nobody } else { self.reactions.remove(0) };
        yield_once().await;
        match reaction {
            Reaction::Yes => Some(Answer::Continue { guidance: None }),
            Reaction::No => Some(Answer::Stop),
            Reaction::Nobody => None,
            Reaction::Cancel => {
                self.cancel.cancel();
                pending().await
            }
        }
    }
}

/// Limits the tokens of a run.
struct TokenLimit(u64);

impl Guardrail for TokenLimit {
    fn name(&self) -> &str {
        "token_limit"
    }
    fn check(&self, _progress: &Progress) -> Decision {
        Decision::Continue
    }
    fn ceiling(&self, progress: &Progress) -> Ceiling {
        Ceiling::tokens(self.0.saturating_sub(progress.usage().tokens().unwrap_or(0)))
    }
}
