//! The agent of a plan: a command, or a model that uses tools.

use std::{path::PathBuf, sync::Arc};

use async_trait::async_trait;
use loop_agents::{
    chat::{Chat, ChatAgent, ScriptedModel, TurnLimits},
    pipeline::PipelineExecution,
    plan::PlanExecution,
    shell::{BackgroundPolicy, CommandLine, PromptMemory, ShellAgent, Template},
    usage::Format,
};
use loop_core::{Ceiling, Iteration, IterationContext, IterationError, Step, StepRecord, Work};

use super::{
    error::ComposeError,
    lanes::Lanes,
    listeners::{observe_command_output, observe_model_output, read_usage},
    output::AgentOutput,
    parts::{priced_model, settings},
    pipeline,
    sandbox::confined,
    steps,
};
use crate::{
    context::ExecutionContext,
    model::{ChatSetup, Model},
    names::{ModelName, ToolName, VendorModel},
    plan::{AgentPlan, ModelPlan, Plan, UsagePlan, WorkPlan},
    usage_reporter,
};

/// The text of `{memory}` in a prompt of the past: memories change, and a journal does not keep them.
const PAST_MEMORY: &str = "(the memories as they were then)";

/// The agent of a plan, ready to work.
#[derive(Debug)]
pub struct PlannedAgent(pub(super) AgentKind);

#[derive(Debug)]
pub(super) enum AgentKind {
    Command(Box<ShellAgent>),
    Model(Box<ChatAgent>),
    /// Either kind, for the steps of a plan.
    Steps(Box<PlanExecution>),
    /// Either kind, for the files of a pipeline.
    Pipeline(Box<PipelineExecution>),
    /// Either kind, in several loops at once.
    Lanes(Box<Lanes>),
}

/// The first prompt, and the agent that would be given it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FirstPrompt {
    /// The prompt.
    pub prompt: String,
    /// The command line with the prompt in it; of a model its name.
    pub agent: String,
}

impl AgentPlan {
    /// Describes an agent that is this shell command, with the defaults of a manifest that names nothing else: an empty
    /// prompt, and the format of its output as its own flags ask for it.
    pub fn of_command(command: CommandLine) -> Self {
        let format = usage_reporter::format(command.as_str()).unwrap_or(Format::Text);
        let model = usage_reporter::model(command.as_str());
        Self::of_work(WorkPlan::Command(command), UsagePlan { format, model, ..UsagePlan::default() })
    }

    /// Describes an agent that is the model of this name with all tools, with an empty prompt.
    pub fn of_model(name: ModelName) -> Self {
        let model = ModelPlan { name, system: None, tools: ToolName::ALL.to_vec() };
        Self::of_work(WorkPlan::Model(model), UsagePlan::default())
    }

    fn of_work(work: WorkPlan, usage: UsagePlan) -> Self {
        Self {
            work,
            prompt: Template::new(""),
            skills: None,
            usage,
            env: crate::EnvironmentPlan::default(),
            max_time: None,
            max_silence: None,
            background: BackgroundPolicy::default(),
            always_shell: false,
            sandbox: None,
        }
    }

    /// Makes the agent. It writes nothing and starts nothing before its first iteration.
    ///
    /// # Errors
    /// The model cannot be asked, or its tools cannot work here.
    ///
    /// ```
    /// use loop_agents::{process::Supervisor, shell::CommandLine};
    /// use loop_core::{Loop, Step, condition_fn};
    /// use loop_manifest::{AgentOutput, ExecutionContext, plan::AgentPlan};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let cx = ExecutionContext::new("/tmp", Supervisor::new("run-8"))?.with_variables(std::env::vars_os());
    /// let agent = AgentPlan::of_command(CommandLine::parse("echo hello")?).build(&cx)?;
    /// let once = condition_fn(|_: &Step<AgentOutput>, _| true);
    /// let report = Loop::new(agent).until(once).at_most(1).run().await?;
    /// assert!(matches!(report.last_output(), Some(AgentOutput::Command(output)) if output.exit.success()));
    /// # Ok(()) }
    /// ```
    pub fn build(&self, cx: &ExecutionContext) -> Result<PlannedAgent, ComposeError> {
        Ok(PlannedAgent(match &self.work {
            WorkPlan::Command(command) => AgentKind::Command(Box::new(self.command_agent(command, cx)?)),
            WorkPlan::Model(part) => {
                let model = self.priced(part, cx)?;
                AgentKind::Model(Box::new(self.model_agent(part, model, cx)?))
            }
        }))
    }

    /// Makes the agent that is this command.
    pub(crate) fn command_agent(
        &self,
        command: &CommandLine,
        cx: &ExecutionContext,
    ) -> Result<ShellAgent, ComposeError> {
        let mut shell = cx.shell(self.sees().split(cx.variables().iter().cloned()).seen);
        shell = shell.inherit_env(&self.env.set).always_shell(self.always_shell);
        if let Some(time) = self.max_time {
            shell = shell.max_time(time);
        }
        if let Some(silence) = self.max_silence {
            shell = shell.max_silence(silence);
        }
        if let Some(log) = &self.usage.log {
            shell = shell.usage_log(cx.usage_log(log));
        }
        let shell = confined(shell, self.sandbox.as_ref(), command.as_str(), "agent.sandbox", cx)?;
        let prompt = self.prompt_with(self.skill_list(cx)?);
        let agent = ShellAgent::of(command.clone()).prompt(prompt).shell(shell);
        let agent = agent.background(self.background);
        Ok(observe_command_output(read_usage(agent, &self.usage, cx), cx))
    }

    /// The model that is named, at the prices of the plan.
    pub(super) fn priced(&self, part: &ModelPlan, cx: &ExecutionContext) -> Result<Model, ComposeError> {
        priced_model("agent.model", &part.name, self.usage.prices.as_ref(), cx)
    }

    fn model_agent(
        &self,
        part: &ModelPlan,
        model: Model,
        cx: &ExecutionContext,
    ) -> Result<ChatAgent, ComposeError> {
        let prompt = self.prompt_with(self.instructions(&model, cx)?);
        let agent = ChatAgent::new(self.conversation(part, model, None, cx)?);
        // Each iteration begins a new conversation, as a command does. So a resumed run sends the same prompts as an
        // uninterrupted one, and an iteration does not pay for earlier text.
        Ok(observe_model_output(agent.prompt(prompt).fresh(), cx))
    }

    /// Begins a conversation with this model, whose tools cannot write the `guarded` file.
    pub(super) fn conversation(
        &self,
        part: &ModelPlan,
        mut model: Model,
        guarded: Option<PathBuf>,
        cx: &ExecutionContext,
    ) -> Result<Chat, ComposeError> {
        if let Some(silence) = self.max_silence {
            model = model.max_silence(silence);
        }
        let settings = settings(cx)?;
        let setup = ChatSetup::new(settings, cx)
            .policy(settings.policy().guard(guarded))
            .system(part.system.clone())
            .with_project_prompt()
            .with_skill_list(self.skills.is_none())
            .tools(Some(part.tools.clone()))
            .environment(self.sees(), &self.env.set);
        let mut limits = TurnLimits::default().rounds(settings.rounds());
        if let Some(time) = self.max_time {
            limits = limits.time(time);
        }
        Ok(model.chat(&setup)?.limits(limits))
    }
}

impl Plan {
    /// Makes the agent, which knows the goal.
    ///
    /// # Errors
    /// Those of [`AgentPlan::build`].
    pub fn agent(&self, cx: &ExecutionContext) -> Result<PlannedAgent, ComposeError> {
        if let Some(check) = &self.evaluator.pipeline {
            let agent = PlannedAgent(AgentKind::Pipeline(Box::new(pipeline::execution(check, self, cx)?)));
            return Ok(agent.memory(cx.memory(self.memory_tokens)));
        }
        let agent = match (&self.evaluator.plan, &self.agent.work) {
            (Some(check), _) => PlannedAgent(AgentKind::Steps(Box::new(steps::execution(check, self, cx)?))),
            (None, WorkPlan::Command(_)) => self.agent.build(cx)?,
            (None, WorkPlan::Model(part)) => {
                let model = self.agent.priced(part, cx)?;
                self.warn_of_unpriced(part, &model, cx);
                PlannedAgent(AgentKind::Model(Box::new(self.agent.model_agent(part, model, cx)?)))
            }
        };
        let agent = agent.goal(&self.goal).feedback_bytes(self.feedback_bytes);
        Ok(agent.memory(cx.memory(self.memory_tokens)))
    }

    /// Returns the prompt that an iteration with this context is given.
    pub fn prompt_in(&self, cx: &IterationContext<AgentOutput>) -> String {
        if let Some(check) = &self.evaluator.plan {
            return format!("the next open step of {}, as it was then", check.file.display());
        }
        if let Some(check) = &self.evaluator.pipeline {
            return format!("the next of {}, as it was then", check.files.join(", "));
        }
        let prompt = self.agent.prompt_with(self.agent.past_skills());
        let agent = PlannedAgent(match &self.agent.work {
            WorkPlan::Command(command) => {
                AgentKind::Command(Box::new(ShellAgent::of(command.clone()).prompt(prompt)))
            }
            // The model is never asked.
            WorkPlan::Model(_) => {
                let agent = ChatAgent::new(Chat::new(ScriptedModel::new()));
                AgentKind::Model(Box::new(agent.prompt(prompt).fresh()))
            }
        });
        let memory = PromptMemory::new(|_| PAST_MEMORY.to_owned());
        let agent = agent.goal(&self.goal).feedback_bytes(self.feedback_bytes).memory(Some(memory));
        agent.prompt_in(cx)
    }

    /// Returns the prompt of the first iteration, and what would be given it. `checked` is the result of the check
    /// before it, if that comes first. Nothing is run.
    ///
    /// # Errors
    /// Those of [`AgentPlan::build`], and a prompt that has to be an argument and cannot be one.
    pub fn first_prompt(
        &self,
        checked: Option<StepRecord>,
        cx: &ExecutionContext,
    ) -> Result<FirstPrompt, ComposeError> {
        let cost = [self.limits.max_cost, self.limits.max_hourly_cost].into_iter().flatten().min();
        let mut left = Ceiling::NONE;
        (left.time, left.cost) = (self.limits.max_time, cost);
        let name = || self.agent.model().map_or("", |model| model.name.as_str());
        let of_step = |prompt| {
            let command = self.agent.command().map(|line| line.as_str().to_owned());
            FirstPrompt { prompt, agent: command.unwrap_or_else(|| format!("the model {}", name())) }
        };
        Ok(match &self.agent(cx)?.0 {
            AgentKind::Steps(agent) => of_step(agent.prompt_in(&IterationContext::new(&Work::new(), 1))),
            AgentKind::Pipeline(agent) => of_step(agent.prompt_in(&IterationContext::new(&Work::new(), 1))),
            AgentKind::Command(agent) => {
                let cx = first_context(left, checked);
                let preview = agent.preview(&cx).map_err(ComposeError::part("the first prompt"))?;
                FirstPrompt { prompt: preview.prompt, agent: preview.invocation.line }
            }
            AgentKind::Lanes(_) => unreachable!("`Plan::agent` makes the agent of one loop"),
            AgentKind::Model(agent) => {
                let cx = first_context(left, checked);
                FirstPrompt { prompt: agent.prompt_in(&cx), agent: format!("the model {}", name()) }
            }
        })
    }

    /// Warns about a cost limit that would never bind. Validation of the manifest already covers models with plain
    /// names.
    pub(super) fn warn_of_unpriced(
        &self,
        ModelPlan { name, .. }: &ModelPlan,
        model: &Model,
        cx: &ExecutionContext,
    ) {
        let limited = self.limits.max_cost.is_some() || self.limits.max_hourly_cost.is_some();
        let is_own_name = name.as_str().parse::<VendorModel>().is_err();
        let prices = self.agent.usage.prices.clone().unwrap_or_default();
        if limited && is_own_name && !prices.has(model.id()) {
            cx.warn(&format!(
                "the cost limit cannot be enforced: the price list of {} has no price for `{}`, the model that `{}` \
                 names; write `agent.prices`, or limit the tokens",
                prices.date(),
                model.id(),
                name.as_str()
            ));
        }
    }
}

/// Returns the context of the first iteration, after this check.
fn first_context<O>(left: Ceiling, checked: Option<StepRecord>) -> IterationContext<O> {
    let previous = checked.map(|record| Arc::new(Step::new(record, None)));
    IterationContext::new(&Work::new(), 1).with_left(left).with_previous(previous)
}

impl From<Lanes> for PlannedAgent {
    fn from(lanes: Lanes) -> Self {
        Self(AgentKind::Lanes(Box::new(lanes)))
    }
}

impl PlannedAgent {
    /// Returns the prompt that an iteration with this context is given.
    pub fn prompt_in(&self, cx: &IterationContext<AgentOutput>) -> String {
        match &self.0 {
            AgentKind::Command(agent) => agent.prompt_in(&cx.map_previous(AgentOutput::of_command)),
            AgentKind::Model(agent) => agent.prompt_in(&cx.map_previous(AgentOutput::of_model)),
            AgentKind::Steps(agent) => agent.prompt_in(&cx.map_previous(AgentOutput::of_step)),
            AgentKind::Pipeline(agent) => agent.prompt_in(&cx.map_previous(AgentOutput::of_reply)),
            AgentKind::Lanes(_) => String::new(),
        }
    }
}

#[async_trait]
impl Iteration for PlannedAgent {
    type Output = AgentOutput;

    async fn run(&mut self, cx: IterationContext<AgentOutput>) -> Result<AgentOutput, IterationError> {
        match &mut self.0 {
            AgentKind::Command(agent) => {
                agent.run(cx.map_previous(AgentOutput::of_command)).await.map(AgentOutput::Command)
            }
            AgentKind::Model(agent) => {
                agent.run(cx.map_previous(AgentOutput::of_model)).await.map(AgentOutput::Model)
            }
            AgentKind::Steps(agent) => {
                agent.run(cx.map_previous(AgentOutput::of_step)).await.map(AgentOutput::Step)
            }
            AgentKind::Pipeline(agent) => {
                let reply = agent.run(cx.map_previous(AgentOutput::of_reply)).await;
                reply.map(|output| AgentOutput::Reply(Box::new(output)))
            }
            AgentKind::Lanes(lanes) => {
                lanes.run(cx.map_previous(|_| None)).await.map(|output| AgentOutput::Lanes(Box::new(output)))
            }
        }
    }
}
