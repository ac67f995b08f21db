//! The files of a pipeline: the agents that answer them, the evaluator of their replies, and the end after the last one.

use std::borrow::Cow;

use async_trait::async_trait;
use loop_agents::{
    chat::{ChatAgent, Vendor},
    pipeline::{ConfidenceGate, PipelineEvaluator, PipelineExecution, PipelineFile},
    review::{ChatWorker, ShellWorker, WorkTree, Worker},
};
use loop_core::{
    BoxError, EvaluationContext, Evaluator, EvaluatorError, Event, JudgedStep, Progress, SnapshotError,
    StopCondition, Verdict,
};

use super::{
    error::ComposeError, listeners::observe_model_output, output::AgentOutput, parts::settings,
    review::check_shell,
};
use crate::{
    context::ExecutionContext,
    model::workspace,
    names::{ModelName, vendor_name},
    plan::{ModelPlan, PipelineCheck, Plan, WorkPlan},
};

/// Returns the agent that answers the files. All files are read, and all models found, before the first step.
///
/// # Errors
/// A file cannot be read, a model does not exist, or the agent cannot work here.
pub(super) fn execution(
    check: &PipelineCheck,
    plan: &Plan,
    cx: &ExecutionContext,
) -> Result<PipelineExecution, ComposeError> {
    let workspace = workspace(cx, settings(cx)?.policy())?;
    check.files.iter().try_fold(PipelineExecution::new(check.gate), |pipeline, path| {
        let file = PipelineFile::read(&workspace, path);
        let file = file.map_err(ComposeError::part("evaluator.pipeline.files"))?;
        let worker = worker(&file, plan, cx)?;
        Ok(pipeline.then(file, worker))
    })
}

/// Makes the agent that answers a file.
fn worker(file: &PipelineFile, plan: &Plan, cx: &ExecutionContext) -> Result<Box<dyn Worker>, ComposeError> {
    let agent = &plan.agent;
    match (&agent.work, file.model()) {
        (WorkPlan::Command(command), None) => {
            // git is not an agent, and gets no agent's key.
            let tree = WorkTree::at(cx.folder(), &check_shell(plan, "git", cx)?);
            Ok(Box::new(ShellWorker::new(agent.command_agent(command, cx)?, tree)))
        }
        (WorkPlan::Command(_), Some(name)) => {
            let (place, name) = (file.path().to_owned(), name.to_owned());
            Err(ComposeError::ModelOfCommand { place, name })
        }
        (WorkPlan::Model(part), None) => answering(part, plan, cx),
        (WorkPlan::Model(part), Some(name)) => {
            let named = name.parse::<ModelName>().map_err(ComposeError::part("the name"));
            let worker = named.and_then(|name| answering(&ModelPlan { name, ..part.clone() }, plan, cx));
            worker.map_err(ComposeError::part(format!("{} names the model `@{name}`", file.path())))
        }
    }
}

/// Begins a conversation with this model, which has no tools.
fn answering(part: &ModelPlan, plan: &Plan, cx: &ExecutionContext) -> Result<Box<dyn Worker>, ComposeError> {
    let part = ModelPlan { tools: Vec::new(), ..part.clone() };
    let model = plan.agent.priced(&part, cx)?;
    // Other servers have any model of their vendor, and a request to them only for this would cost time.
    if model.vendor_name() == vendor_name(Vendor::Ollama) {
        model.reach()?;
    }
    plan.warn_of_unpriced(&part, &model, cx);
    let chat = plan.agent.instructed(&part, model, None, cx)?;
    Ok(Box::new(ChatWorker::new(observe_model_output(ChatAgent::new(chat), cx))))
}

/// Judges the reply in the output of a pipeline's agent.
pub(super) struct PipelineReplies(PipelineEvaluator);

impl PipelineReplies {
    pub(super) const fn new(gate: ConfidenceGate) -> Self {
        Self(PipelineEvaluator::new(gate))
    }
}

#[async_trait]
impl Evaluator<AgentOutput> for PipelineReplies {
    async fn evaluate(&mut self, cx: EvaluationContext<AgentOutput>) -> Result<Verdict, EvaluatorError> {
        match cx.output() {
            AgentOutput::Reply(output) => self.0.judge(output),
            _ => Ok(Verdict::inconclusive().with_text("there is no reply yet")),
        }
    }
}

/// A condition that is not met before the last file of a pipeline. For all other agents it changes nothing.
pub(super) struct AfterLastFile<C>(pub(super) C);

impl<C: StopCondition<JudgedStep<AgentOutput>>> StopCondition<JudgedStep<AgentOutput>> for AfterLastFile<C> {
    fn is_met(&self, step: &JudgedStep<AgentOutput>, progress: &Progress) -> bool {
        let is_between = matches!(step.output(), Some(AgentOutput::Reply(output)) if !output.is_last());
        !is_between && self.0.is_met(step, progress)
    }
    fn observe(&mut self, event: &Event) {
        self.0.observe(event);
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        self.0.snapshot()
    }
    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        self.0.restore(state)
    }
    fn name(&self) -> Cow<'_, str> {
        self.0.name()
    }
    fn decided_by(&self, step: &JudgedStep<AgentOutput>, progress: &Progress) -> String {
        self.0.decided_by(step, progress)
    }
}
