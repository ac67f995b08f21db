//! A review as an evaluator.

use std::fmt;

use async_trait::async_trait;
use loop_core::{EvaluationContext, Evaluator, Halt, Outcome, StepRecord, StopReason, Verdict, WorkError};

use super::{
    Account, ChatWorker, Findings, Newest, ShellWorker, WorkTree, Worked, Worker,
    brief::{Checked, REVIEWER, Reviewing},
    findings::findings_of,
    verdict::{GiveVerdict, Slot, nonce, of_model},
};
use crate::{
    chat::{Chat, ChatAgent, TurnOutput},
    judge::Words,
    shell::{CommandEvaluator, ShellAgent, ShellOutput},
};

/// The reason of a run that a reviewer says a person has to look at: nothing else is left to do.
pub const BLOCKED: &str = "blocked";

/// The text of a verdict on work that nobody reviewed, since its agent says that it is complete and no check speaks
/// against it.
pub const CLAIMED: &str = "the executing agent says that the task is done (STATUS: COMPLETE)";

/// The mark of a step that passed because the executing agent says that the task is done.
const CLAIMED_MARK: &str = "review_claimed";

/// Returns whether a step passed because the executing agent says that the task is done, and not by a review.
pub fn is_claimed(step: &StepRecord) -> bool {
    step.marks().iter().any(|mark| &*mark.name == CLAIMED_MARK)
}

/// What is told of a review that came to no verdict.
const NO_VERDICT: &str = "the reviewing agent gave no verdict that could be read";

/// How much of an agent's words a reviewer is told.
const SAID_BYTES: usize = 8 * 1024;

/// Work that can be reviewed.
pub trait Reviewed: Words {
    /// What it really did, if that is known.
    fn account(&self) -> Option<&Account> {
        None
    }

    /// What the last review before it found, as text, if it is known otherwise than from the step before.
    fn found_before(&self) -> Option<&str> {
        None
    }

    /// Whether the agent says that nothing is left to do.
    fn claims_complete(&self) -> bool {
        false
    }
}

impl Reviewed for Worked {
    fn account(&self) -> Option<&Account> {
        Some(&self.account)
    }

    fn found_before(&self) -> Option<&str> {
        Some(&self.found_before).filter(|found| !found.is_empty()).map(String::as_str)
    }

    fn claims_complete(&self) -> bool {
        self.claims_complete()
    }
}

impl Reviewed for TurnOutput {}

impl Reviewed for ShellOutput {}

type Text = dyn Fn() -> String + Send;

/// An evaluator that is a reviewing agent: it begins afresh each time, is told what was really done, looks for itself,
/// and says what is left.
///
/// | the reviewer finds | the verdict is |
/// | --- | --- |
/// | nothing pending and no blocker | a pass |
/// | something pending | a fail; its text is the [`Findings`] |
/// | a blocker and nothing else | a blockable halt for [`BLOCKED`]; a run that is resumed is reviewed again |
/// | nothing that can be read | inconclusive |
/// | nothing pending, but fails itself: a command that exits with an error, a reply that was cut | inconclusive |
///
/// A check that fails is pending, whatever the reviewer says. That a reviewing command changed files is told in the
/// summary, and its verdict counts all the same: to run tests leaves files behind, and nobody can tell these from others.
///
/// # Default
/// An empty task, no checks, no instructions, and an agent's word that it is done is not believed.
///
/// ```
/// use loop_agents::{chat::{Chat, ChatAgent, ScriptedModel}, review::ReviewEvaluator, tools::Toolbox};
/// use loop_core::{Loop, evaluator_passed};
/// use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
/// use serde_json::json;
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let tools = Toolbox::reviewing(Workspace::open(folder.path(), ActionPolicy::default().reviewing())?);
/// let critic = ScriptedModel::new()
///     .calls("give_verdict", json!({ "pending": ["a second verse"], "blocker": "", "summary": "Short." }))
///     .says("Done.")
///     .calls("give_verdict", json!({ "pending": [], "blocker": "", "summary": "Fine." }))
///     .says("Done.");
/// let review = ReviewEvaluator::by_chat(Chat::new(critic).tools(tools)).task("Write a poem of two verses.");
/// let poet = ScriptedModel::new().says("Roses.").says("Roses. Violets.");
/// let poet = ChatAgent::new(Chat::new(poet)).goal("Write a poem of two verses.");
/// let report = Loop::new(poet).evaluate(review).until(evaluator_passed()).at_most(5).run().await?;
/// assert_eq!(report.iterations(), 2);
/// # Ok(()) }
/// ```
pub struct ReviewEvaluator {
    reviewer: Box<dyn Worker>,
    /// Where a model's verdict arrives, if it has the tool.
    slot: Option<Slot>,
    task: Box<Text>,
    checks: Vec<(String, CommandEvaluator)>,
    instructions: String,
    believes: bool,
    found: Option<Findings>,
}

impl ReviewEvaluator {
    /// A model reviews, each time in this conversation as it is now. The verdict tool is added to its tools; without a
    /// system prompt it gets [`REVIEWER`].
    pub fn by_chat(chat: Chat) -> Self {
        Self::by_chat_agent(chat, |agent| agent)
    }

    /// The same, with somebody who listens: see [`ChatAgent::on_event`].
    pub fn by_chat_agent(chat: Chat, heard: impl FnOnce(ChatAgent) -> ChatAgent) -> Self {
        let slot = Slot::default();
        let (chat, has_tool) = chat.or_system(REVIEWER).also(GiveVerdict(slot.clone()));
        let slot = has_tool.then_some(slot);
        let reviewer = ChatWorker::new(heard(ChatAgent::new(chat))).giving(slot.clone());
        Self::by(Box::new(reviewer), slot)
    }

    /// A command reviews, in this tree: Claude Code, Codex, pi or any other. Its verdict is read from its last words.
    pub fn by_command(agent: ShellAgent, tree: WorkTree) -> Self {
        Self::by(Box::new(ShellWorker::new(agent, tree).preface(REVIEWER)), None)
    }

    fn by(reviewer: Box<dyn Worker>, slot: Option<Slot>) -> Self {
        let (task, instructions) = (Box::new(String::new), String::new());
        Self { reviewer, slot, task, checks: Vec::new(), instructions, believes: false, found: None }
    }

    /// What was asked for.
    #[must_use]
    pub fn task(self, task: impl Into<String>) -> Self {
        let task = task.into();
        self.task_from(move || task.clone())
    }

    /// What was asked for, asked for anew in each review.
    #[must_use]
    pub fn task_from(mut self, task: impl Fn() -> String + Send + 'static) -> Self {
        self.task = Box::new(task);
        self
    }

    /// What to look at besides.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = text.into();
        self
    }

    /// A command that is run before each review, and of whose outcome the reviewer is told. `line` is what it is
    /// called.
    #[must_use]
    pub fn check(mut self, line: impl Into<String>, check: CommandEvaluator) -> Self {
        self.checks.push((line.into(), check));
        self
    }

    /// Work of which its agent says that it is done is not reviewed, unless a check fails.
    #[must_use]
    pub const fn believing(mut self) -> Self {
        self.believes = true;
        self
    }

    /// What the last review found, also where it ended the run: a halt has no room for it.
    pub const fn found(&self) -> Option<&Findings> {
        self.found.as_ref()
    }

    async fn checked<O: Reviewed>(&mut self, cx: &EvaluationContext<O>) -> Result<Vec<Checked>, WorkError> {
        let mut checked = Vec::with_capacity(self.checks.len());
        for (line, check) in &mut self.checks {
            let verdict = check.evaluate(cx.clone()).await?;
            checked.push(Checked {
                line: line.clone(),
                passed: verdict.passed(),
                text: verdict.text().to_owned(),
            });
        }
        Ok(checked)
    }
}

#[async_trait]
impl<O: Reviewed> Evaluator<O> for ReviewEvaluator {
    async fn evaluate(&mut self, cx: EvaluationContext<O>) -> Result<Verdict, WorkError> {
        self.found = None;
        let checks = self.checked(&cx).await?;
        let fails = checks.iter().any(|check| !check.passed);
        if self.believes && !fails && cx.output().claims_complete() {
            cx.mark(CLAIMED_MARK, 1);
            return Ok(Verdict::pass().with_text(CLAIMED));
        }
        let nonce = nonce();
        let earlier = cx.previous().and_then(|step| step.verdict()).map(Verdict::text);
        let before = cx.output().found_before().or(earlier).unwrap_or_default();
        let prompt = Reviewing {
            task: &(self.task)(),
            number: cx.iteration(),
            account: cx.output().account(),
            checks: &checks,
            before,
            said: &cx.output().excerpt(SAID_BYTES),
            instructions: &self.instructions,
            nonce: &nonce,
            has_tool: self.slot.is_some(),
        }
        .prompt();
        // Of an earlier review that was cut nothing is to be found here.
        self.slot.as_ref().map(Slot::take);
        let mut account = Account::default();
        let words = self.reviewer.work(prompt, &mut account, cx.part()).await.map_err(of_reviewer)?;
        let found = of_model(self.slot.as_ref().and_then(Slot::take), &words, &nonce);
        let (outcome, found) = judged(found, &checks, &account, before);
        let verdict = Verdict::new(outcome).with_text(found.to_string());
        let Findings { pending, blocker, .. } = &*self.found.insert(found);
        match outcome {
            Outcome::Fail if pending.is_empty() => {
                Err(Halt::new(StopReason::custom(BLOCKED), blocker.as_str()).blockable(true).into())
            }
            Outcome::Fail => Ok(verdict.with_feedback(pending.join("; "))),
            _ => Ok(verdict),
        }
    }
}

/// What the findings mean for the loop. `account` is what the reviewer did: that it changed files is told, since a
/// command cannot be kept from it; and one that fails has found nothing only because it failed, perhaps. What the
/// review `before` found stays until another one finds something out.
fn judged(
    found: Option<Findings>,
    checks: &[Checked],
    account: &Account,
    before: &str,
) -> (Outcome, Findings) {
    let failing: Vec<_> = checks.iter().filter(|check| !check.passed).map(Checked::failing).collect();
    let failure = account.failure.as_ref().map(|failure| format!("The reviewer {failure}. "));
    let failure = failure.unwrap_or_default();
    let changed = [&account.written, &account.edited, &account.removed].map(Newest::items).concat();
    let changed = match changed.is_empty() {
        true => String::new(),
        false => format!("The reviewer itself changed {}. ", changed.join(", ")),
    };
    let is_verdict = found.as_ref().is_some_and(|found| failure.is_empty() || !found.is_clean());
    let mut found = found.unwrap_or_else(|| Findings::new([""; 0], "", NO_VERDICT));
    let outcome = match (found.is_clean() && failing.is_empty(), is_verdict) {
        (false, _) => Outcome::Fail,
        (true, true) => Outcome::Pass,
        (true, false) => Outcome::Inconclusive,
    };
    if let (false, Some(known)) = (is_verdict, findings_of(before)) {
        // Whether a check fails is known anew.
        let is_check = |item: &String| checks.iter().any(|check| *item == check.failing());
        let pending = known.pending.into_iter().filter(|item| !is_check(item)).collect();
        found = Findings { pending, blocker: known.blocker, ..found };
    }
    let pending: Vec<_> = failing.into_iter().chain(found.pending).collect();
    (outcome, Findings::new(&pending, &found.blocker, &format!("{failure}{changed}{}", found.summary)))
}

/// A reviewer that cannot be run is an evaluator that cannot be.
fn of_reviewer(error: WorkError) -> WorkError {
    match error {
        WorkError::Halt(Halt { reason: StopReason::AgentUnavailable, message, .. }) => {
            Halt::new(StopReason::EvaluatorUnavailable, format!("the reviewing agent: {message}")).into()
        }
        other => other,
    }
}

impl fmt::Debug for ReviewEvaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReviewEvaluator")
            .field("checks", &self.checks)
            .field("instructions", &self.instructions)
            .field("believes", &self.believes)
            .finish_non_exhaustive()
    }
}
