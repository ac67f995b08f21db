//! The iteration that performs the next step of a plan.

use std::{collections::BTreeMap, fmt};

use async_trait::async_trait;
use jiff::Timestamp;
use loop_core::{Halt, Iteration, IterationContext, StopReason, WorkError, with_causes};
use serde::{Deserialize, Serialize};

use super::{FailedCall, PlanDocument, PlanFile, PlanFileError, PlanStep, calls::StepCalls, prompt};
use crate::{
    judge::OutputText,
    output::{OUTPUT_MARK, fingerprint},
    review::{ActionLog, ReviewableOutput, Worker},
    shell::PromptMemory,
};

/// The stop reason of a run whose plan cannot be read or written.
pub const UNUSABLE: &str = "plan_unusable";

/// The work of an agent on a step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StepOutput {
    /// The number of the step in the plan, from 1; 0 if no step was open.
    pub step: usize,
    /// The title of the step.
    pub title: String,
    /// How often the agent worked on the step: 1 at first, and 1 more for each repair.
    pub turn: u64,
    /// The agent's last words.
    pub words: String,
    /// How many calls it made; `None` if that is not known, because its output does not report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// The calls that failed or were refused, and did not succeed later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedCall>,
    /// The changes of the plan's file that were taken back after the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored: Option<String>,
    /// Whether the output comes from a journal, because its run is resumed.
    #[serde(skip_serializing, default = "stored")]
    pub is_stored: bool,
}

const fn stored() -> bool {
    true
}

impl OutputText for StepOutput {
    fn excerpt(&self, max_bytes: usize) -> String {
        self.words.excerpt(max_bytes)
    }

    fn last_words(&self, max_bytes: usize) -> String {
        self.words.last_words(max_bytes)
    }
}

impl ReviewableOutput for StepOutput {}

type MakeWorker = dyn FnMut(Option<&str>) -> Result<Box<dyn Worker>, WorkError> + Send;

/// An agent, and the calls that it makes.
struct PlanWorker {
    worker: Box<dyn Worker>,
    calls: StepCalls,
}

/// An iteration in which an agent performs the first open step of a plan, and no other one.
///
/// The agent starts afresh for each step. For a repair, a model continues the conversation of the step. The states in
/// the plan's file belong to a [`PlanEvaluator`](super::PlanEvaluator): what the agent changes in them is taken back, and
/// so is a change of the step's own title, which has its validations. Other titles and new steps that a person writes
/// meanwhile count from the next step on.
///
/// ```
/// use loop_agents::{
///     chat::{Chat, ChatAgent, ScriptedModel},
///     plan::{PlanDocument, PlanEvaluator, PlanExecution, PlanFile, ToolChecks},
///     review::{ChatWorker, Worker},
///     tools::Toolbox,
/// };
/// use loop_core::{Loop, evaluator_passed};
/// use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let file = PlanFile::at(folder.path().join("plan.md"));
/// file.write(&PlanDocument::parse("- [ ] Say hello [validate: contains hello]\n", "Be polite")?)?;
///
/// let model = ScriptedModel::new().says("Good day.").says("hello");
/// let tools = || Ok::<_, loop_guardrails::policy::workspace::WorkspaceError>(
///     Toolbox::standard(Workspace::open(folder.path(), ActionPolicy::default())?));
/// let execution = PlanExecution::new(file.clone(), move |_| {
///     Ok(Box::new(ChatWorker::new(ChatAgent::new(Chat::new(model.clone())))) as Box<dyn Worker>)
/// });
/// let evaluator = PlanEvaluator::new(file.clone(), ToolChecks::new(tools()?));
/// let report = Loop::new(execution).evaluate(evaluator).until(evaluator_passed()).at_most(5).run().await?;
/// assert!(report.is_success());
/// assert_eq!(report.iterations(), 2);
/// assert_eq!(file.read()?.text(), "- [x] Say hello [validate: contains hello]\n");
/// # Ok(()) }
/// ```
pub struct PlanExecution {
    file: PlanFile,
    make: Box<MakeWorker>,
    workers: BTreeMap<Option<String>, PlanWorker>,
    /// The step whose conversation the worker of that step has.
    in_context: Option<(usize, String)>,
    /// The source of `{memory}`, if there is one.
    memory: Option<PromptMemory>,
}

impl PlanExecution {
    /// Creates an iteration for the plan in this file. `make` returns the agent for a model that a step names, or for
    /// `None` the one that performs all other steps.
    pub fn new(
        file: PlanFile,
        make: impl FnMut(Option<&str>) -> Result<Box<dyn Worker>, WorkError> + Send + 'static,
    ) -> Self {
        let (make, workers) = (Box::new(make), BTreeMap::new());
        Self { file, make, workers, in_context: None, memory: None }
    }

    /// Sets the source of `{memory}` in the titles of steps. Without one, it is replaced by nothing.
    #[must_use]
    pub fn memory(self, memory: Option<PromptMemory>) -> Self {
        Self { memory, ..self }
    }

    /// Returns what is known about a step whose title asks for it.
    fn recalled(&self, step: &PlanStep, repair: Option<&Repair<'_>>) -> String {
        let verdict = repair.map_or("", |repair| repair.feedback);
        PromptMemory::recalled_for(self.memory.as_ref(), &step.title, verdict)
    }

    /// Returns the prompt that an iteration with this context is given: that of the next open step of the plan. The
    /// prompt is empty if no step is open, or if the plan cannot be read.
    pub fn prompt_in(&self, cx: &IterationContext<StepOutput>) -> String {
        let Ok(plan) = self.file.read() else { return String::new() };
        plan.next().map_or_else(String::new, |index| {
            let step = &plan.steps()[index];
            let repair = repair(cx, index, step);
            let recalled = self.recalled(step, repair.as_ref());
            match repair {
                Some(Repair { feedback, .. }) => prompt::repair(&plan, index, feedback, false, &recalled),
                None => prompt::step(&plan, index, &recalled),
            }
        })
    }

    fn worker(&mut self, model: Option<&str>) -> Result<&mut PlanWorker, WorkError> {
        let key = model.map(str::to_owned);
        if !self.workers.contains_key(&key) {
            let (mut worker, calls) = ((self.make)(model)?, StepCalls::default());
            worker.on_call(calls.listener());
            self.workers.insert(key.clone(), PlanWorker { worker, calls });
        }
        self.workers.get_mut(&key).ok_or_else(|| WorkError::failed("there is no agent"))
    }
}

#[async_trait]
impl Iteration for PlanExecution {
    type Output = StepOutput;

    async fn run(&mut self, cx: IterationContext<StepOutput>) -> Result<StepOutput, WorkError> {
        let plan = self.file.read().map_err(unusable)?;
        let Some(index) = plan.next() else { return Ok(StepOutput::default()) };
        let step = &plan.steps()[index];
        let place = (index, step.title.clone());
        let repair = repair(&cx, index, step);
        let recalled = self.recalled(step, repair.as_ref());
        let was_here = self.in_context.take() == Some(place.clone());
        let mut guard = StateGuard { file: self.file.clone(), before: Some(plan.clone()), performed: index };
        let PlanWorker { worker, calls } = self.worker(step.model.as_deref())?;
        let is_in_context = repair.is_some() && was_here && worker.continue_next();
        let (turn, prompt) = match repair {
            Some(Repair { turn, feedback }) => {
                (turn, prompt::repair(&plan, index, feedback, is_in_context, &recalled))
            }
            None => (1, prompt::step(&plan, index, &recalled)),
        };
        calls.take();
        let mut actions = ActionLog::default();
        let worked = worker.work(prompt, &mut actions, cx.part()).await;
        let (made, failed) = calls.take();
        let is_known = worker.reports_calls();
        let restored = guard.restore().map_err(unusable)?;
        let words = worked?;
        if let Some(failure) = actions.failure {
            return Err(WorkError::failed(format!("the agent of step {} {failure}", index + 1)));
        }
        self.in_context = Some(place);
        cx.mark(OUTPUT_MARK, fingerprint(words.len() as u64, &[words.as_bytes()]));
        Ok(StepOutput {
            step: index + 1,
            title: step.title.clone(),
            turn,
            words,
            calls: is_known.then_some(made),
            failed,
            restored: restored.map(str::to_owned),
            is_stored: false,
        })
    }
}

/// The work on a step that is not done yet.
struct Repair<'a> {
    turn: u64,
    feedback: &'a str,
}

/// Returns the repair that the previous iteration left for this step, if any.
fn repair<'a>(cx: &'a IterationContext<StepOutput>, index: usize, step: &PlanStep) -> Option<Repair<'a>> {
    let previous = cx.previous()?;
    let feedback = previous.verdict()?.feedback()?;
    let output =
        previous.output().filter(|output| (output.step, &output.title) == (index + 1, &step.title))?;
    Some(Repair { turn: output.turn + 1, feedback })
}

/// Ends a run whose plan cannot be used.
#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub(super) fn unusable(error: PlanFileError) -> WorkError {
    let message = format!("{}\nCorrect the file, then resume the run", with_causes(&error));
    Halt::new(StopReason::custom(UNUSABLE), message).blockable(true).into()
}

/// Restores the states in the plan's file and the title of the performed step, also if the step is cut.
struct StateGuard {
    file: PlanFile,
    before: Option<PlanDocument>,
    performed: usize,
}

impl StateGuard {
    fn restore(&mut self) -> Result<Option<&'static str>, PlanFileError> {
        let before = self.before.take();
        before.map_or(Ok(None), |before| self.file.restore(&before, self.performed, Timestamp::now()))
    }
}

impl Drop for StateGuard {
    fn drop(&mut self) {
        // A cut step has no output that could report an error; the next one reads the file again.
        let _ = self.restore();
    }
}

impl fmt::Debug for PlanExecution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlanExecution").field("file", &self.file).finish_non_exhaustive()
    }
}
