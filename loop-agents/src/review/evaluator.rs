//! A review as an evaluator.

use std::fmt;

use async_trait::async_trait;
use loop_core::{EvaluationContext, Evaluator, Halt, Outcome, StepRecord, StopReason, Verdict, WorkError};
use serde_json::Value;

use super::{
    ActionLog, CallListener, ChatWorker, Findings, ShellWorker, TaskOutput, WorkTree, Worker,
    judgement::{Judgement, WITHOUT_VERDICT_MARK, printed},
    prompt::{CheckResult, REVIEWER, ReviewerPrompt},
    verdict::{GiveVerdict, VerdictSlot, nonce, of_model},
};
use crate::{
    chat::{Chat, ChatAgent, TurnOutput},
    judge::OutputText,
    process::Exit,
    shell::{CommandEvaluator, ShellAgent, ShellOutput},
    tools::ToolOutcome,
};

/// The stop reason of a run if the reviewer reports a blocker that needs a person, and no other work is left.
pub const BLOCKED: &str = "blocked";

/// The verdict's text for work that nobody reviewed, because its agent claims that it is complete and no check fails.
pub const CLAIMED: &str = "the working agent says that the task is done (STATUS: COMPLETE)";

/// The mark of a step that passed on the working agent's claim that the task is done.
const CLAIMED_MARK: &str = "review_claimed";

/// Returns true if a step passed on the working agent's claim that the task is done, and not by a review.
pub fn is_claimed(step: &StepRecord) -> bool {
    step.marks().iter().any(|mark| &*mark.name == CLAIMED_MARK)
}

/// The number of bytes of an agent's words to show to a reviewer.
const SAID_BYTES: usize = 8 * 1024;

/// Work that can be reviewed.
pub trait ReviewableOutput: OutputText {
    /// Returns the agent's actions, if known.
    fn actions(&self) -> Option<&ActionLog> {
        None
    }

    /// Returns the text of the last findings, if the work knows them from another source than the previous step.
    fn found_before(&self) -> Option<&str> {
        None
    }

    /// Returns true if the agent claims that nothing is left to do.
    fn claims_complete(&self) -> bool {
        false
    }
}

impl ReviewableOutput for TaskOutput {
    fn actions(&self) -> Option<&ActionLog> {
        Some(&self.actions)
    }

    fn found_before(&self) -> Option<&str> {
        Some(&self.found_before).filter(|found| !found.is_empty()).map(String::as_str)
    }

    fn claims_complete(&self) -> bool {
        self.claims_complete()
    }
}

impl ReviewableOutput for TurnOutput {}

impl ReviewableOutput for ShellOutput {}

type Text = dyn Fn() -> String + Send;

/// An evaluator that runs a reviewing agent. The reviewer starts afresh each time, receives the working agent's
/// actions, inspects the work itself, and reports what is left to do.
///
/// | the reviewer reports | the verdict is |
/// | --- | --- |
/// | no pending item and no blocker | a pass |
/// | a pending item | a fail, whose text is the [`Findings`] |
/// | only a blocker | a blockable halt for [`BLOCKED`]; a resumed run is reviewed again |
/// | nothing readable | inconclusive, and [`is_without_verdict`](super::is_without_verdict) |
/// | no pending item, but the reviewer itself fails: its command fails, or its reply was cut | the same |
///
/// A failing check is pending, whatever the reviewer reports. If a reviewing command changed files, the summary
/// mentions it, but the verdict counts all the same: running tests leaves files behind, and nobody can tell these from
/// other changes.
///
/// # Default
/// An empty task, no checks and no instructions. The evaluator does not trust an agent's claim that it is done.
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
    /// The slot for a model's verdict, if the model has the tool.
    slot: Option<VerdictSlot>,
    task: Box<Text>,
    checks: Vec<(String, CommandEvaluator)>,
    instructions: String,
    believes: bool,
    found: Option<Findings>,
    printed: Option<String>,
    listener: CallListener,
}

impl ReviewEvaluator {
    /// Creates a reviewer from a model. Each review starts with the conversation's current state. The verdict tool is
    /// added to its tools. Without a system prompt, it gets [`REVIEWER`].
    pub fn by_chat(chat: Chat) -> Self {
        Self::by_chat_agent(chat, |agent| agent)
    }

    /// Does the same as [`by_chat`](Self::by_chat), but lets `heard` configure the agent, for example with
    /// [`ChatAgent::on_event`].
    pub fn by_chat_agent(chat: Chat, heard: impl FnOnce(ChatAgent) -> ChatAgent) -> Self {
        let slot = VerdictSlot::default();
        let (chat, has_tool) = chat.or_system(REVIEWER).also(GiveVerdict(slot.clone()));
        let slot = has_tool.then_some(slot);
        let reviewer = ChatWorker::new(heard(ChatAgent::new(chat))).giving(slot.clone());
        Self::by(Box::new(reviewer), slot)
    }

    /// Creates a reviewer from a command that runs in this tree: Claude Code, Codex, pi or any other. The evaluator
    /// reads the verdict from the command's last words.
    pub fn by_command(agent: ShellAgent, tree: WorkTree) -> Self {
        Self::by(Box::new(ShellWorker::new(agent, tree).preface(REVIEWER)), None)
    }

    fn by(reviewer: Box<dyn Worker>, slot: Option<VerdictSlot>) -> Self {
        let (task, instructions) = (Box::new(String::new), String::new());
        let (checks, found, printed) = (Vec::new(), None, None);
        let listener = CallListener::default();
        Self { reviewer, slot, task, checks, instructions, believes: false, found, printed, listener }
    }

    /// Sets the task that the work has to fulfil.
    #[must_use]
    pub fn task(self, task: impl Into<String>) -> Self {
        let task = task.into();
        self.task_from(move || task.clone())
    }

    /// Sets the task that the work has to fulfil, as a function that each review calls anew.
    #[must_use]
    pub fn task_from(mut self, task: impl Fn() -> String + Send + 'static) -> Self {
        self.task = Box::new(task);
        self
    }

    /// Sets additional instructions for the reviewer.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = text.into();
        self
    }

    /// Adds a command that runs before each review, and whose outcome the reviewer receives. `line` is its name in the
    /// prompt.
    #[must_use]
    pub fn check(mut self, line: impl Into<String>, check: CommandEvaluator) -> Self {
        self.checks.push((line.into(), check));
        self
    }

    /// Calls `listener` with the checks and with the reviewer's calls, as they happen.
    #[must_use]
    pub fn on_call(mut self, listener: CallListener) -> Self {
        self.reviewer.on_call(listener.clone());
        self.listener = listener;
        self
    }

    /// Accepts work without a review if its agent claims that it is done, unless a check fails.
    #[must_use]
    pub const fn believing(mut self) -> Self {
        self.believes = true;
        self
    }

    /// Returns the last review's findings. They are available even if the review ended the run, because a halt cannot
    /// carry them.
    pub const fn found(&self) -> Option<&Findings> {
        self.found.as_ref()
    }

    /// Returns the end of the reviewer's words, on one line, if the last review reached no verdict. Returns `None`
    /// after any other review. See [`is_without_verdict`](super::is_without_verdict).
    pub fn printed_instead(&self) -> Option<&str> {
        self.printed.as_deref()
    }

    async fn checked<O: ReviewableOutput>(
        &mut self,
        cx: &EvaluationContext<O>,
    ) -> Result<Vec<CheckResult>, WorkError> {
        let mut checked = Vec::with_capacity(self.checks.len());
        for (line, check) in &mut self.checks {
            self.listener.began("", "check", &Value::from(&**line));
            let judged = check.judge(cx.clone()).await;
            report_check(&self.listener, &judged);
            let (verdict, _) = judged?;
            checked.push(CheckResult {
                line: line.clone(),
                passed: verdict.passed(),
                text: verdict.text().to_owned(),
            });
        }
        Ok(checked)
    }
}

#[async_trait]
impl<O: ReviewableOutput> Evaluator<O> for ReviewEvaluator {
    async fn evaluate(&mut self, cx: EvaluationContext<O>) -> Result<Verdict, WorkError> {
        (self.found, self.printed) = (None, None);
        let checks = self.checked(&cx).await?;
        let fails = checks.iter().any(|check| !check.passed);
        if self.believes && !fails && cx.output().claims_complete() {
            cx.mark(CLAIMED_MARK, 1);
            return Ok(Verdict::pass().with_text(CLAIMED));
        }
        let nonce = nonce();
        let earlier = cx.previous().and_then(|step| step.verdict()).map(Verdict::text);
        let before = cx.output().found_before().or(earlier).unwrap_or_default();
        let prompt = ReviewerPrompt {
            task: &(self.task)(),
            number: cx.iteration(),
            actions: cx.output().actions(),
            checks: &checks,
            before,
            said: &cx.output().excerpt(SAID_BYTES),
            instructions: &self.instructions,
            nonce: &nonce,
            has_tool: self.slot.is_some(),
        }
        .prompt();
        // Discard the verdict of an earlier review that was cut off.
        self.slot.as_ref().map(VerdictSlot::take);
        let mut actions = ActionLog::default();
        let words = self.reviewer.work(prompt, &mut actions, cx.part()).await.map_err(of_reviewer)?;
        let found = of_model(self.slot.as_ref().and_then(VerdictSlot::take), &words, &nonce);
        let Judgement { outcome, found, is_verdict } =
            Judgement::new(found, &words, &checks, &actions, before);
        if !is_verdict {
            cx.mark(WITHOUT_VERDICT_MARK, 1);
            self.printed = Some(printed(&words));
        }
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

fn report_check(listener: &CallListener, judged: &Result<(Verdict, Option<Exit>), WorkError>) {
    match judged {
        Ok((verdict, exit)) => {
            let outcome = if verdict.passed() { ToolOutcome::Done } else { ToolOutcome::Failed };
            listener.ended("", outcome, exit.map(Exit::shell_code), verdict.feedback().unwrap_or_default());
        }
        Err(error) => listener.ended("", ToolOutcome::Failed, None, &error.to_string()),
    }
}

/// Converts an unavailable reviewing agent into an unavailable evaluator.
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
