//! The agents of a task: one works, the other reviews.

use loop_agents::{
    chat::{ChatAgent, TurnLimits},
    process::sandbox::Enforcement,
    review::{ChatWorker, EXECUTOR, REVIEWER, ReviewEvaluator, ShellWorker, WorkTree, Worker},
    shell::{CommandEvaluator, CommandLine, Shell, ShellAgent},
};
use loop_guardrails::policy::{ActionPolicy, Origin, WithOrigin, environment::EnvironmentPolicy};

use super::{FOLDER, TaskAgent, TaskError, TaskSandbox, TaskSpec, TaskText};
use crate::{
    compose::{confined, observe_model_output},
    context::ExecutionContext,
    model::{ChatSetup, Model},
    plan::AgentPlan,
    sandbox_plan::SandboxPlan,
    settings::Settings,
};

/// The name of the sandbox in messages.
const SANDBOX: &str = "--sandbox";

/// Makes the agents of a task.
pub(super) struct TaskAgents<'a> {
    spec: &'a TaskSpec,
    cx: &'a ExecutionContext,
    settings: &'a Settings,
}

impl<'a> TaskAgents<'a> {
    pub(super) fn new(spec: &'a TaskSpec, cx: &'a ExecutionContext) -> Result<Self, TaskError> {
        let settings = cx.settings().map_err(|findings| TaskError::Settings(findings.clone()))?;
        Ok(Self { spec, cx, settings })
    }

    /// Makes the agent that works.
    pub(super) fn executor(&self) -> Result<Box<dyn Worker>, TaskError> {
        Ok(match &self.spec.executor {
            TaskAgent::Model(name) => {
                let setup = self.setup().system(Some(EXECUTOR.to_owned()));
                let limits = TurnLimits::default().rounds(self.spec.rounds.get());
                let chat = self.model(name)?.chat(&setup)?.limits(limits);
                Box::new(ChatWorker::new(observe_model_output(ChatAgent::new(chat), self.cx)))
            }
            TaskAgent::Command(line) => {
                Box::new(ShellWorker::new(self.command(line)?, self.tree()).preface(EXECUTOR))
            }
        })
    }

    /// Makes the reviewer, with the checks of the task.
    pub(super) fn reviewer(&self, task: &TaskText) -> Result<ReviewEvaluator, TaskError> {
        let review = match &self.spec.reviewer {
            TaskAgent::Model(name) => {
                let setup = self.setup().system(Some(REVIEWER.to_owned())).reviewing();
                let limits = TurnLimits::default().rounds(self.spec.review_rounds());
                let chat = self.model(name)?.chat(&setup)?.limits(limits);
                ReviewEvaluator::by_chat_agent(chat, |agent| observe_model_output(agent, self.cx))
            }
            TaskAgent::Command(line) => ReviewEvaluator::by_command(self.command(line)?, self.tree()),
        };
        let task = task.clone();
        let review = review.task_from(move || task.for_review()).believing();
        self.spec.permissions.checks.iter().try_fold(review, |review, line| {
            let check = CommandEvaluator::new(line)
                .map_err(|source| TaskError::Command { place: format!("the check `{line}`"), source })?;
            let shell = confined(self.shell(), self.sandbox().as_ref(), line, SANDBOX, self.cx)?;
            Ok(review.check(line, check.shell(shell)))
        })
    }

    /// The files of the work.
    pub(super) fn tree(&self) -> WorkTree {
        WorkTree::at(self.cx.folder(), &self.shell())
    }

    fn model(&self, name: &str) -> Result<Model, TaskError> {
        let model = Model::choose(Some(name), self.settings, self.cx.variables())?.learn(self.cx, false);
        Ok(match self.spec.reasoning {
            Some(effort) => model.reasoning(effort),
            None => model,
        })
    }

    fn setup(&self) -> ChatSetup<'a> {
        ChatSetup::new(self.settings, self.cx).policy(self.policy())
    }

    /// The user named the task file, so what it allowed when the run began is the user's permission. Nobody may write
    /// the folder in which we keep the state of the task.
    fn policy(&self) -> ActionPolicy {
        let origin = || Origin::line(&*self.spec.file, 1);
        let entries = self.spec.permissions.bash.iter().map(|entry| WithOrigin::new(entry.clone(), origin()));
        self.settings.policy_allowing(entries).guard([self.cx.folder().join(FOLDER)])
    }

    /// A command, as `loop run --agent` would run it.
    fn command(&self, line: &str) -> Result<ShellAgent, TaskError> {
        let place = || format!("the command `{line}`");
        let command =
            CommandLine::parse(line).map_err(|source| TaskError::Command { place: place(), source })?;
        let plan = AgentPlan { sandbox: self.sandbox(), ..AgentPlan::of_command(command.clone()) };
        Ok(plan.command_agent(&command, self.cx)?)
    }

    fn sandbox(&self) -> Option<SandboxPlan> {
        let enforcement = match self.spec.sandbox? {
            TaskSandbox::Require => Enforcement::Require,
            TaskSandbox::Warn => Enforcement::Warn,
        };
        Some(SandboxPlan { enforcement, ..SandboxPlan::default() })
    }

    /// Returns the shell for checks: with the user's variables, except those that look like secrets.
    fn shell(&self) -> Shell {
        self.cx.shell(EnvironmentPolicy::new().split(self.cx.variables().iter().cloned()).seen)
    }
}
