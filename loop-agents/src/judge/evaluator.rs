//! An evaluator that asks a model.

use std::{fmt, time::Duration};

use async_trait::async_trait;
use loop_core::{
    EvaluationContext, Evaluator, EvaluatorError, Halt, Meter, StopReason, Verdict, WorkError, with_causes,
};
use tokio::time::timeout;

use super::{
    OutputText, VotePolicy,
    judge_prompt::{JudgePrompt, SYSTEM},
    verdict_schema::{self, VoteFindings},
    verdict_text::verdict,
    votes::VoteTally,
};
use crate::{
    chat::{ChatModel, LEAST_WAIT, Message, ModelError, ModelErrorKind, Request, metered},
    output::DEFAULT_EXCERPT_BYTES,
};

/// The most criteria that a judge can have: models forget the middle of a longer list.
pub const MAX_CRITERIA: usize = 20;

/// An evaluator that asks a model whether an output meets criteria.
///
/// The model sees the goal, the criteria and the output's text, and nothing else: no tools, no files, no earlier
/// conversation. A vote tells for each criterion whether the output meets it, why, and how well. The vote is yes if the
/// output meets all criteria. A reply is unclear if it leaves out a criterion, contradicts itself, has an invalid
/// score, or is not a verdict at all (a refusal, broken JSON). An unclear vote is not a yes.
///
/// With several [votes](Self::votes), each is a separate conversation, and the judge stops as soon as the votes decide.
/// The verdict fails if the model said no, and is inconclusive if the model did not say; neither passes. Its score is
/// the mean of all scores, its text gives the findings, and its feedback lists what is missing, both within
/// [`text_bytes`](Self::text_bytes).
///
/// The judge reports the usage of each vote with its reply. A rate limit defers the evaluation, which keeps the votes
/// so far. A refused key or an unknown model ends the run. An error of the server fails the step;
/// [`Retry`](crate::chat::Retry) makes further attempts before that.
///
/// # Default
/// One vote, no goal, no instructions, no time limit, and at most 32 KiB ([`DEFAULT_EXCERPT_BYTES`]) of output and of
/// text.
///
/// ```
/// use loop_agents::{chat::ScriptedModel, judge::JudgeEvaluator, shell::ShellAgent};
/// use loop_core::{Loop, evaluator_passed};
/// use serde_json::json;
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = ScriptedModel::new().calls("give_verdict", json!({ "criteria": [
///     { "number": 1, "reason": "It says hello.", "score": 1, "met": true },
/// ] }));
///
/// let judge = JudgeEvaluator::new(model, ["It greets the reader"])?.goal("A letter");
/// let letter = ShellAgent::new("echo Hello!")?;
/// let report = Loop::new(letter).evaluate(judge).until(evaluator_passed()).at_most(3).run().await?;
/// assert_eq!(report.iterations(), 1);
/// # Ok(()) }
/// ```
pub struct JudgeEvaluator {
    model: Box<dyn ChatModel>,
    prompt: JudgePrompt,
    votes: VotePolicy,
    output_bytes: usize,
    text_bytes: usize,
    max_time: Option<Duration>,
    /// The votes of a deferred evaluation.
    pending: Option<PendingVotes>,
}

/// Votes about one question that are not decided yet.
#[derive(Debug)]
struct PendingVotes {
    question: String,
    votes_so_far: Vec<VoteFindings>,
}

/// Unusable criteria.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CriteriaError {
    /// There are none, so everything would pass.
    #[error("a judge needs at least one criterion")]
    None,
    /// The criterion with this number is blank.
    #[error("criterion {0} is empty")]
    Empty(usize),
    /// There are more than [`MAX_CRITERIA`].
    #[error("{0} criteria are too many: a judge can have {MAX_CRITERIA}")]
    TooMany(usize),
}

impl JudgeEvaluator {
    /// Creates a judge that asks this model about these criteria.
    ///
    /// # Errors
    /// Fails if there are no criteria, if one is blank, or if there are too many.
    pub fn new(
        model: impl ChatModel + 'static,
        criteria: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, CriteriaError> {
        let criteria: Vec<String> = criteria.into_iter().map(Into::into).collect();
        if criteria.is_empty() {
            return Err(CriteriaError::None);
        }
        if let Some(index) = criteria.iter().position(|criterion| criterion.trim().is_empty()) {
            return Err(CriteriaError::Empty(index + 1));
        }
        if criteria.len() > MAX_CRITERIA {
            return Err(CriteriaError::TooMany(criteria.len()));
        }
        Ok(Self {
            model: Box::new(model),
            prompt: JudgePrompt { criteria, ..JudgePrompt::default() },
            votes: VotePolicy::default(),
            output_bytes: DEFAULT_EXCERPT_BYTES,
            text_bytes: DEFAULT_EXCERPT_BYTES,
            max_time: None,
            pending: None,
        })
    }

    /// Sets the goal of the work.
    #[must_use]
    pub fn goal(mut self, goal: impl Into<String>) -> Self {
        self.prompt.goal = goal.into();
        self
    }

    /// Adds instructions for the judge, such as who reads the output, or how to weigh the criteria.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.prompt.instructions = instructions.into();
        self
    }

    /// Sets how many votes to take, and how many must be yes.
    #[must_use]
    pub fn votes(mut self, votes: VotePolicy) -> Self {
        self.votes = votes;
        self
    }

    /// Sets how many bytes of the output the judge sees. It sees the head and the tail of a longer one.
    #[must_use]
    pub fn output_bytes(mut self, bytes: usize) -> Self {
        self.output_bytes = bytes;
        self
    }

    /// Sets the most bytes of the verdict's text, and of its feedback.
    #[must_use]
    pub fn text_bytes(mut self, bytes: usize) -> Self {
        self.text_bytes = bytes;
        self
    }

    /// Limits the time of all votes of one evaluation together. After it the step fails.
    #[must_use]
    pub fn max_time(mut self, time: Duration) -> Self {
        self.max_time = Some(time);
        self
    }

    /// Asks for votes until they decide.
    async fn judge(&mut self, question: String, meter: &Meter) -> Result<Verdict, WorkError> {
        let pending = self.pending.take().filter(|pending| pending.question == question);
        let mut votes_so_far = pending.map(|pending| pending.votes_so_far).unwrap_or_default();
        loop {
            let tally = VoteTally::of(self.votes, votes_so_far.iter().map(verdict_schema::vote));
            if let Some(outcome) = tally.outcome() {
                let criteria = &self.prompt.criteria;
                return Ok(verdict(outcome, tally, self.votes, &votes_so_far, criteria, self.text_bytes));
            }
            match self.ask(&question, meter).await {
                Ok(findings) => votes_so_far.push(findings),
                Err(error) => {
                    self.pending = Some(PendingVotes { question, votes_so_far });
                    return Err(error);
                }
            }
        }
    }

    /// Asks for one vote.
    async fn ask(&self, question: &str, meter: &Meter) -> Result<VoteFindings, WorkError> {
        let (messages, tools) = ([Message::user(question)], [verdict_schema::tool()]);
        let request = Request::new(&messages).with_system(Some(SYSTEM)).with_tools(&tools, true);
        match metered(&*self.model, request, std::slice::from_ref(meter), &mut |_| {}).await {
            Ok(reply) => Ok(verdict_schema::read(&reply, self.prompt.criteria.len())),
            Err(error) => unanswered(error).map(Err),
        }
    }
}

/// Converts a model's error to the reason of an unclear vote, or to an error of the evaluation.
fn unanswered(error: ModelError) -> Result<String, WorkError> {
    match error.kind() {
        ModelErrorKind::Refused | ModelErrorKind::Unreadable => Ok(with_causes(&error)),
        kind if let Some(wait) = kind.wait() => Err(WorkError::Later { after: wait.max(LEAST_WAIT) }),
        kind if kind.is_lasting() => {
            let why = format!("cannot ask the judge: {}", with_causes(&error));
            Err(Halt::new(StopReason::EvaluatorUnavailable, why).into())
        }
        _ => Err(WorkError::failed(NoReply(error))),
    }
}

/// The model did not answer.
#[derive(Debug, thiserror::Error)]
#[error("the judge did not answer")]
struct NoReply(#[source] ModelError);

/// The votes took too long.
#[derive(Debug, thiserror::Error)]
#[error("the judge did not decide within {0:?}")]
struct JudgeTimeout(Duration);

#[async_trait]
impl<O: OutputText> Evaluator<O> for JudgeEvaluator {
    async fn evaluate(&mut self, cx: EvaluationContext<O>) -> Result<Verdict, EvaluatorError> {
        let question = self.prompt.about(&cx.output().excerpt(self.output_bytes));
        let meter = cx.meter();
        let max_time = self.max_time.unwrap_or(Duration::MAX);
        tokio::select! {
            biased;
            () = cx.cancelled() => Err(WorkError::failed("interrupted")),
            judged = timeout(max_time, self.judge(question, &meter)) => {
                judged.unwrap_or_else(|_| Err(WorkError::failed(JudgeTimeout(max_time))))
            }
        }
    }
}

impl fmt::Debug for JudgeEvaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JudgeEvaluator")
            .field("model", &self.model.name())
            .field("prompt", &self.prompt)
            .field("votes", &self.votes)
            .finish_non_exhaustive()
    }
}
