//! The steps of a plan: the agent that performs them, and the evaluator that marks them.

use async_trait::async_trait;
use loop_agents::{
    chat::ChatAgent,
    plan::{PlanEvaluator, PlanExecution, PlanFile, ToolChecks, UNUSABLE},
    review::{ChatWorker, ShellWorker, WorkTree, Worker},
};
use loop_core::{EvaluationContext, Evaluator, EvaluatorError, Halt, StopReason, Verdict, with_causes};

use super::{
    error::ComposeError, listeners::observe_model_output, output::AgentOutput, parts::settings,
    review::check_shell,
};
use crate::{
    context::ExecutionContext,
    model::{ChatSetup, audit, workspace},
    names::{ModelName, ToolName},
    plan::{ModelPlan, Plan, PlanCheck, WorkPlan},
};

impl PlanCheck {
    /// Returns the file of the plan, for a run in this folder.
    pub fn file_in(&self, folder: &std::path::Path) -> PlanFile {
        PlanFile::at(folder.join(&self.file))
    }
}

/// Returns the agent that performs the steps.
///
/// # Errors
/// The agent cannot work here.
pub(super) fn execution(
    check: &PlanCheck,
    plan: &Plan,
    cx: &ExecutionContext,
) -> Result<PlanExecution, ComposeError> {
    let workers = StepWorkers { plan: plan.clone(), file: check.file_in(cx.folder()), cx: cx.clone() };
    let file = workers.file.clone();
    // Nothing else says before the first step whether the agent can work.
    let mut first = Some(workers.worker(None)?);
    Ok(PlanExecution::new(file, move |model| {
        if model.is_none()
            && let Some(worker) = first.take()
        {
            return Ok(worker);
        }
        workers.worker(model).map_err(|error| {
            let advice =
                format!("{}\nCorrect the plan or the agent, then resume the run", with_causes(&error));
            Halt::new(StopReason::custom(UNUSABLE), advice).blockable(true).into()
        })
    }))
}

/// Makes the agents of steps.
struct StepWorkers {
    plan: Plan,
    file: PlanFile,
    cx: ExecutionContext,
}

impl StepWorkers {
    /// Makes the agent for steps that name this model, or for those that name none.
    fn worker(&self, model: Option<&str>) -> Result<Box<dyn Worker>, ComposeError> {
        let agent = &self.plan.agent;
        match (&agent.work, model) {
            (WorkPlan::Command(command), None) => {
                // git is not an agent, and gets no agent's key.
                let tree = WorkTree::at(self.cx.folder(), &check_shell(&self.plan, "git", &self.cx)?);
                Ok(Box::new(ShellWorker::new(agent.command_agent(command, &self.cx)?, tree)))
            }
            (WorkPlan::Command(_), Some(name)) => {
                let (place, name) = ("a step of the plan".to_owned(), name.to_owned());
                Err(ComposeError::ModelOfCommand { place, name })
            }
            (WorkPlan::Model(part), name) => {
                let name = name.map(|name| name.parse::<ModelName>().map_err(ComposeError::part("the plan")));
                let part = ModelPlan {
                    name: name.transpose()?.unwrap_or_else(|| part.name.clone()),
                    ..part.clone()
                };
                let model = agent.priced(&part, &self.cx)?;
                let chat = agent.instructed(&part, model, Some(self.file.path().to_owned()), &self.cx)?;
                Ok(Box::new(ChatWorker::new(observe_model_output(ChatAgent::new(chat), &self.cx))))
            }
        }
    }
}

/// Returns the evaluator that marks the steps.
///
/// # Errors
/// The folder cannot be worked in, or the settings are wrong.
pub(super) fn evaluator(
    check: &PlanCheck,
    plan: &Plan,
    cx: &ExecutionContext,
) -> Result<PlanSteps, ComposeError> {
    let settings = settings(cx)?;
    let file = check.file_in(cx.folder());
    let workspace = workspace(cx, settings.policy().guard([file.path().to_owned()]))?;
    let setup = ChatSetup::new(settings, cx).environment(plan.evaluator_sees(), &plan.agent.env.set);
    let toolbox = setup.toolbox(&ToolName::ALL, &workspace, &audit(cx)?);
    let shell = check_shell(plan, "a validation of a plan", cx)?;
    let mut checks = ToolChecks::new(toolbox).custom(settings.user.tables.plan.validations.clone(), shell);
    checks = checks.max_time(plan.evaluator.max_time.unwrap_or_else(|| settings.plan_validation_time()));
    let evaluator = PlanEvaluator::new(file, checks)
        .repairs(check.repairs.unwrap_or_else(|| settings.plan_repairs()))
        .keep_going(check.keep_going)
        .one_step(check.one_step);
    Ok(PlanSteps(evaluator))
}

/// Judges the step in the output of a plan's agent.
pub(super) struct PlanSteps(PlanEvaluator<ToolChecks>);

#[async_trait]
impl Evaluator<AgentOutput> for PlanSteps {
    async fn evaluate(&mut self, cx: EvaluationContext<AgentOutput>) -> Result<Verdict, EvaluatorError> {
        let AgentOutput::Step(output) = cx.output() else { return self.0.judge(None).await };
        self.0.judge(Some(output)).await
    }
}
