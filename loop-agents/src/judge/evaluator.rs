//! An evaluator that is a model.

use std::{fmt, time::Duration};

use async_trait::async_trait;
use loop_core::{
    EvaluationContext, Evaluator, EvaluatorError, Halt, Meter, StopReason, Verdict, WorkError, with_causes,
};
use tokio::time::timeout;

use super::{
    Votes, Words,
    ballot::Ballot,
    findings::verdict,
    form::{self, Opinion},
    paper::{Paper, SYSTEM},
};
use crate::{
    chat::{ChatModel, LEAST_WAIT, Message, ModelError, ModelErrorKind, Request, metered},
    output::DEFAULT_EXCERPT_BYTES,
};

/// The most criteria that a judge can have: of a longer list the middle is forgotten.
pub const MAX_CRITERIA: usize = 20;

/// An evaluator that asks a model whether an output meets criteria.
///
/// It sees the goal, the criteria and the output's text, and nothing else: no tools, no files, no earlier
/// conversation. A vote says for each criterion whether it is met, why, and how well; it says yes if all are met.
/// A reply that leaves a criterion out, says two things about one, gives a score that is no score, or is no verdict
/// at all (a refusal, broken JSON) is unclear, and an unclear vote is not a yes.
///
/// With several [votes](Self::votes), each is a conversation of its own, and they end as soon as they are decided.
/// The verdict fails if the model said so, and is inconclusive if it did not say; both are not passed. Its score is
/// the mean of all scores, its text says what was found, and its feedback what is missing, both within
/// [`text_bytes`](Self::text_bytes).
///
/// What each vote used is reported with its reply. A rate limit puts the evaluation off, and the votes that were cast
/// are kept. A key that is refused, or a model that does not exist, ends the run. A server that fails, fails
/// the step; [`Retry`](crate::chat::Retry) asks again before that.
///
/// # Default
/// One vote, no goal, no instructions, no limit in time, and at most 32 KiB ([`DEFAULT_EXCERPT_BYTES`]) of output and
/// of text.
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
    paper: Paper,
    votes: Votes,
    output_bytes: usize,
    text_bytes: usize,
    max_time: Option<Duration>,
    /// The votes of an evaluation that was put off.
    open: Option<Open>,
}

/// Votes about one question that are not decided.
#[derive(Debug)]
struct Open {
    question: String,
    opinions: Vec<Opinion>,
}

/// Criteria that nothing can be judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CriteriaError {
    /// There are none: everything would pass.
    #[error("a judge needs at least one criterion")]
    None,
    /// One of them is blank.
    #[error("criterion {0} is empty")]
    Empty(usize),
    /// More than [`MAX_CRITERIA`].
    #[error("{0} criteria are more than the {MAX_CRITERIA} that a judge can have")]
    TooMany(usize),
}

impl JudgeEvaluator {
    /// A judge that is this model, by these criteria.
    ///
    /// # Errors
    /// No criteria, an empty one, too many.
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
            paper: Paper { criteria, ..Paper::default() },
            votes: Votes::default(),
            output_bytes: DEFAULT_EXCERPT_BYTES,
            text_bytes: DEFAULT_EXCERPT_BYTES,
            max_time: None,
            open: None,
        })
    }

    /// What was to be achieved.
    #[must_use]
    pub fn goal(mut self, goal: impl Into<String>) -> Self {
        self.paper.goal = goal.into();
        self
    }

    /// What the judge is to consider besides: who reads the output, or what counts for how much.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.paper.instructions = instructions.into();
        self
    }

    /// How many votes there are, and how many have to say yes.
    #[must_use]
    pub fn votes(mut self, votes: Votes) -> Self {
        self.votes = votes;
        self
    }

    /// How many bytes of the output the judge sees: of a longer one its head and its tail.
    #[must_use]
    pub fn output_bytes(mut self, bytes: usize) -> Self {
        self.output_bytes = bytes;
        self
    }

    /// How many bytes the verdict's text has at most, and its feedback.
    #[must_use]
    pub fn text_bytes(mut self, bytes: usize) -> Self {
        self.text_bytes = bytes;
        self
    }

    /// How long all votes of one evaluation may take together; the step has failed then.
    #[must_use]
    pub fn max_time(mut self, time: Duration) -> Self {
        self.max_time = Some(time);
        self
    }

    /// Asks until it is decided.
    async fn judge(&mut self, question: String, meter: &Meter) -> Result<Verdict, WorkError> {
        let open = self.open.take().filter(|open| open.question == question);
        let mut opinions = open.map(|open| open.opinions).unwrap_or_default();
        loop {
            let ballot = Ballot::of(self.votes, opinions.iter().map(form::vote));
            if let Some(outcome) = ballot.outcome() {
                let criteria = &self.paper.criteria;
                return Ok(verdict(outcome, ballot, self.votes, &opinions, criteria, self.text_bytes));
            }
            match self.ask(&question, meter).await {
                Ok(opinion) => opinions.push(opinion),
                Err(error) => {
                    self.open = Some(Open { question, opinions });
                    return Err(error);
                }
            }
        }
    }

    /// One vote.
    async fn ask(&self, question: &str, meter: &Meter) -> Result<Opinion, WorkError> {
        let (messages, tools) = ([Message::user(question)], [form::tool()]);
        let request = Request::new(&messages).with_system(Some(SYSTEM)).with_tools(&tools, true);
        match metered(&*self.model, request, std::slice::from_ref(meter), &mut |_| {}).await {
            Ok(reply) => Ok(form::read(&reply, self.paper.criteria.len())),
            Err(error) => unanswered(error).map(Err),
        }
    }
}

/// What it means that there is no reply: why the vote is unclear, or why there is none.
fn unanswered(error: ModelError) -> Result<String, WorkError> {
    match error.kind() {
        ModelErrorKind::Refused | ModelErrorKind::Unreadable => Ok(with_causes(&error)),
        ModelErrorKind::RateLimited { reset: Some(reset) } => {
            Err(WorkError::Later { after: reset.max(LEAST_WAIT) })
        }
        ModelErrorKind::Unauthorized | ModelErrorKind::NotFound => {
            let why = format!("the judge cannot be asked: {}", with_causes(&error));
            Err(Halt::new(StopReason::EvaluatorUnavailable, why).into())
        }
        _ => Err(WorkError::failed(Unasked(error))),
    }
}

/// The model did not answer.
#[derive(Debug, thiserror::Error)]
#[error("the judge did not answer")]
struct Unasked(#[source] ModelError);

/// It took too long.
#[derive(Debug, thiserror::Error)]
#[error("the judge had not decided after {0:?}")]
struct TooSlow(Duration);

#[async_trait]
impl<O: Words> Evaluator<O> for JudgeEvaluator {
    async fn evaluate(&mut self, cx: EvaluationContext<O>) -> Result<Verdict, EvaluatorError> {
        let question = self.paper.about(&cx.output().excerpt(self.output_bytes));
        let meter = cx.meter();
        let max_time = self.max_time.unwrap_or(Duration::MAX);
        tokio::select! {
            biased;
            () = cx.cancelled() => Err(WorkError::failed("interrupted")),
            judged = timeout(max_time, self.judge(question, &meter)) => {
                judged.unwrap_or_else(|_| Err(WorkError::failed(TooSlow(max_time))))
            }
        }
    }
}

impl fmt::Debug for JudgeEvaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JudgeEvaluator")
            .field("model", &self.model.name())
            .field("paper", &self.paper)
            .field("votes", &self.votes)
            .finish_non_exhaustive()
    }
}
