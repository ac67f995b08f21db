//! The parts of a scripted loop.

use std::{
    future::{pending, poll_fn},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::Poll,
    time::{Duration, Instant},
};

use async_trait::async_trait;

use super::{Act, Case, Reaction};
use crate::{
    Answer, Ask, CancellationToken, Ceiling, Cost, CostQuality, Decision, EvaluationContext, Evaluator,
    Guardrail, Halt, Iteration, IterationContext, Progress, Question, StopReason, Usage, Usd, Verdict,
    WorkError,
};

/// The script of an iteration or an evaluator.
pub(super) struct Script {
    acts: Vec<Vec<Act>>,
    cancel: CancellationToken,
    ends: CancellationToken,
    /// The last index that was deferred.
    deferred: u64,
    /// The tokens that both have reported.
    reported: Arc<AtomicU64>,
    max_tokens: Option<u64>,
    is_resumed: bool,
    is_guided: bool,
}

impl Script {
    pub(super) fn new(
        case: &Case,
        acts: &[Vec<Act>],
        (cancel, ends): (&CancellationToken, &CancellationToken),
        reported: Arc<AtomicU64>,
    ) -> Self {
        Self {
            acts: acts.to_vec(),
            cancel: cancel.clone(),
            ends: ends.clone(),
            deferred: 0,
            reported,
            max_tokens: case.max_tokens.or(case.max_shared_tokens),
            is_resumed: case.is_resumed,
            is_guided: case.reactions.contains(&Reaction::Yes),
        }
    }

    /// Does the acts of this index.
    async fn perform<O>(&mut self, index: u64, cx: &IterationContext<O>) -> Result<(), WorkError> {
        let place = usize::try_from(index).ok().and_then(|index| index.checked_sub(1));
        let acts = place.and_then(|place| self.acts.get(place)).cloned().unwrap_or_default();
        for act in acts {
            match act {
                Act::Yield => yield_once().await,
                Act::Report(tokens) => {
                    self.reported.fetch_add(tokens, Ordering::AcqRel);
                    cx.meter().add(Usage::unknown().with_input_tokens(tokens));
                }
                Act::Cost(dollars) => {
                    cx.meter().add(Usage::unknown().with_cost(Cost::at_least(Usd::dollars(dollars))));
                    cx.meter().revise(CostQuality::Known);
                }
                Act::Defer if self.deferred < index => {
                    self.deferred = index;
                    return Err(WorkError::Later { after: Duration::from_millis(1) });
                }
                Act::Defer => {}
                Act::Cancel => self.cancel.cancel(),
                Act::EndRun => self.ends.cancel(),
                Act::Hang => cx.cancelled().await,
                Act::Ignore => pending::<()>().await,
                Act::Fault => cx.fault("exit code 1"),
                Act::Note => {
                    cx.mark("tree", index);
                    cx.cut_work("a build");
                }
                Act::Fail => return Err(WorkError::failed("it broke")),
                Act::Halt => {
                    return Err(Halt::new(StopReason::AgentUnavailable, "it is not installed").into());
                }
            }
        }
        Ok(())
    }

    /// Returns how the driver's context differs from the right one.
    fn fault(&self, cx: &IterationContext<u64>, last: Option<u64>) -> Option<String> {
        let index = cx.iteration();
        let attempt = if self.is_resumed && index == 2 { 2 } else { 1 };
        let guidance = (self.is_guided && index == 2).then_some("go");
        let left = self.max_tokens.map(|limit| limit.saturating_sub(self.reported.load(Ordering::Acquire)));
        let previous = cx.previous().map(|step| step.iteration());
        let facts = [
            ("attempt", format!("{attempt}"), format!("{}", cx.attempt())),
            ("guidance", format!("{guidance:?}"), format!("{:?}", cx.guidance())),
            ("tokens left", format!("{left:?}"), format!("{:?}", cx.left().tokens)),
            (
                "previous step",
                format!("{:?}", index.checked_sub(1).filter(|it| *it > 0)),
                format!("{previous:?}"),
            ),
            ("last output", format!("{last:?}"), format!("{:?}", cx.last_output())),
        ];
        let wrong = facts.into_iter().find(|(_, expected, found)| expected != found)?;
        let (what, expected, found) = wrong;
        Some(format!("the context of iteration {index} has the wrong {what}: {found} and not {expected}"))
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

/// The work of a [`ScriptedLoop`](super::ScriptedLoop). Each iteration returns its index.
#[expect(missing_debug_implementations, reason = "nobody looks at a script")]
pub struct ScriptedIteration {
    script: Script,
    last_output: Option<u64>,
}

impl ScriptedIteration {
    pub(super) fn new(script: Script) -> Self {
        let last_output = script.is_resumed.then_some(1);
        Self { script, last_output }
    }
}

#[async_trait]
impl Iteration for ScriptedIteration {
    type Output = u64;

    async fn run(&mut self, cx: IterationContext<u64>) -> Result<u64, WorkError> {
        if let Some(fault) = self.script.fault(&cx, self.last_output) {
            return Err(WorkError::failed(fault));
        }
        self.script.perform(cx.iteration(), &cx).await?;
        self.last_output = Some(cx.iteration());
        Ok(cx.iteration())
    }
}

pub(super) struct ScriptedEvaluator {
    pub(super) script: Script,
    pub(super) passes_at: u64,
}

#[async_trait]
impl Evaluator<u64> for ScriptedEvaluator {
    async fn evaluate(&mut self, cx: EvaluationContext<u64>) -> Result<Verdict, WorkError> {
        if *cx.output() != cx.iteration() {
            let message = format!("iteration {} is judged by the output of {}", cx.iteration(), cx.output());
            return Err(WorkError::failed(message));
        }
        self.script.perform::<u64>(cx.iteration(), &cx.part()).await?;
        Ok(if *cx.output() == self.passes_at { Verdict::pass() } else { Verdict::fail() })
    }
}

pub(super) struct ScriptedAsk {
    pub(super) reactions: Vec<Reaction>,
    pub(super) cancel: CancellationToken,
}

/// The time until a [late](Reaction::Late) answer.
pub(super) const LATE: Duration = Duration::from_millis(200);

#[async_trait]
impl Ask for ScriptedAsk {
    async fn ask(&mut self, _question: &Question, _progress: &Progress) -> Option<Answer> {
        let reaction = if self.reactions.is_empty() { Reaction::Nobody } else { self.reactions.remove(0) };
        yield_once().await;
        match reaction {
            Reaction::Yes => Some(Answer::Continue { guidance: Some("go".into()) }),
            Reaction::Late => {
                let asked = Instant::now();
                while asked.elapsed() < LATE {
                    yield_once().await;
                }
                Some(Answer::Continue { guidance: None })
            }
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
pub(super) struct TokenLimit(pub(super) u64);

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
