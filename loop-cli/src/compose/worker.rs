//! The two kinds of agents that a plan can have: commands and models.

use anyhow::Context;
use loop_agents::{
    chat::{Chat, ChatAgent, Delta, ScriptedModel, TurnEvent, TurnLimits},
    process::Stream,
    review::Reviewed,
    shell::{CommandLine, ShellAgent},
};
use loop_core::{Iteration, IterationContext};
use serde::{Serialize, de::DeserializeOwned};

use super::Place;
use crate::{
    logging::OutputLogs,
    model::{Model, Surroundings},
    view::{self, Output},
};
use loop_manifest::{
    VendorModel,
    plan::{ModelPlan, Plan, WorkPlan},
};

/// An agent that a plan can have.
pub(crate) trait Worker:
    Iteration<Output: Serialize + DeserializeOwned + Reviewed> + Sized + 'static
{
    /// What the plan says of this kind of agents.
    type Part;

    /// The plan's agent, ready to work.
    ///
    /// # Errors
    /// What is wrong with it, or with the machine. Nothing was run.
    fn of(part: &Self::Part, plan: &Plan, place: &Place) -> anyhow::Result<Self>;

    /// The plan's agent, without anything to work with: it can say what its prompts are.
    ///
    /// # Errors
    /// A command that is none.
    fn nowhere(part: &Self::Part, plan: &Plan) -> anyhow::Result<Self>;

    /// The prompt of an iteration.
    fn prompt_in(&self, cx: &IterationContext<Self::Output>) -> String;

    /// Shows and keeps what it says while it works.
    #[must_use]
    fn heard(self, output: Option<Output>, logs: Option<OutputLogs>) -> Self;
}

impl Worker for ShellAgent {
    type Part = CommandLine;

    fn of(command: &CommandLine, plan: &Plan, place: &Place) -> anyhow::Result<Self> {
        let mut shell = place.shell_of(plan, &plan.agent_sees());
        if let Some(time) = plan.agent.max_time {
            shell = shell.max_time(time);
        }
        if let Some(silence) = plan.agent.max_silence {
            shell = shell.max_silence(silence);
        }
        Ok(place.read_usage(Self::nowhere(command, plan)?.shell(shell), &plan.agent.usage))
    }

    fn nowhere(command: &CommandLine, plan: &Plan) -> anyhow::Result<Self> {
        let agent = Self::new(command.as_str()).context("agent.command")?;
        Ok(agent.goal(&plan.goal).prompt(&plan.agent.prompt).feedback_bytes(plan.feedback_bytes))
    }

    fn prompt_in(&self, cx: &IterationContext<Self::Output>) -> String {
        Self::prompt_in(self, cx)
    }

    fn heard(mut self, output: Option<Output>, logs: Option<OutputLogs>) -> Self {
        if let Some(output) = output {
            self = self.on_output(move |_, bytes| output.feed(bytes));
        }
        match logs {
            Some(logs) => self.on_raw_output(move |stream, bytes| logs.write(stream, bytes)),
            None => self,
        }
    }
}

impl Worker for ChatAgent {
    type Part = ModelPlan;

    fn of(part: &ModelPlan, plan: &Plan, place: &Place) -> anyhow::Result<Self> {
        let settings = place.settings()?;
        let mut model =
            Model::choose(Some(part.name.as_str()), &settings, &place.env).context("agent.model")?;
        if let Some(prices) = &plan.agent.usage.prices {
            model = model.prices(prices.clone());
        }
        if let Some(silence) = plan.agent.max_silence {
            model = model.max_silence(silence);
        }
        warn_of_unpriced(&model, plan);
        let around = Surroundings::new(&settings, place)
            .system(part.system.clone())
            .tools(Some(part.tools.clone()))
            .environment(plan.agent_sees(), &plan.agent.env.set);
        let mut limits = TurnLimits::default();
        if let Some(time) = plan.agent.max_time {
            limits = limits.time(time);
        }
        Ok(talking(model.chat(&around)?.limits(limits), plan))
    }

    fn nowhere(_: &ModelPlan, plan: &Plan) -> anyhow::Result<Self> {
        // It is never asked.
        Ok(talking(Chat::new(ScriptedModel::new()), plan))
    }

    fn prompt_in(&self, cx: &IterationContext<Self::Output>) -> String {
        Self::prompt_in(self, cx)
    }

    fn heard(self, output: Option<Output>, logs: Option<OutputLogs>) -> Self {
        self.on_event(move |event| {
            let said = match event {
                TurnEvent::Delta(Delta::Text(text)) => text.to_owned(),
                TurnEvent::Delta(Delta::Restarted) => {
                    "\n(the reply broke off, and begins again)\n".to_owned()
                }
                TurnEvent::Calling(call) => format!("\n[{}] {}\n", call.name, call.arguments),
                _ => return,
            };
            if let Some(output) = &output {
                output.feed(said.as_bytes());
            }
            if let Some(logs) = &logs {
                logs.write(Stream::Stdout, said.as_bytes());
            }
        })
    }
}

/// A limit on money that would never bind. Of a model that is named plainly, the manifest's check has said so: it
/// was accepted.
fn warn_of_unpriced(model: &Model, plan: &Plan) {
    let limited = plan.limits.max_cost.is_some() || plan.limits.max_hourly_cost.is_some();
    let WorkPlan::Model(ModelPlan { name, .. }) = &plan.agent.work else { return };
    let is_own_name = name.as_str().parse::<VendorModel>().is_err();
    let prices = plan.agent.usage.prices.clone().unwrap_or_default();
    if limited && is_own_name && !prices.has(model.id()) {
        view::warning(&format!(
            "the limit on the cost cannot hold: the prices of {} have none for `{}`, which `{}` is; write \
             `agent.prices`, or limit the tokens",
            prices.date(),
            model.id(),
            name.as_str()
        ));
    }
}

/// An iteration begins anew, as that of a command does: so a run that is resumed is told what it would have been
/// told, and what it costs does not grow with what was said long ago.
fn talking(chat: Chat, plan: &Plan) -> ChatAgent {
    let agent = ChatAgent::new(chat).goal(&plan.goal).prompt(&plan.agent.prompt);
    agent.feedback_bytes(plan.feedback_bytes).fresh()
}
