//! The review of a plan: a model that only looks, or a command.

use loop_agents::{
    chat::{Chat, TurnLimits},
    review::{ReviewEvaluator, WorkTree},
    shell::{Shell, ShellAgent},
    usage::Format,
};

use super::{
    error::ComposeError,
    listeners::{observe_command_output, observe_model_output, read_usage},
    parts::{priced_model, settings},
    sandbox::confined,
};
use crate::{
    context::ExecutionContext,
    model::ChatSetup,
    names::ModelName,
    plan::{Plan, ReviewCommand, ReviewPlan, ReviewerPlan, UsagePlan},
};

/// The plan's review.
pub(super) fn review(
    part: &ReviewPlan,
    plan: &Plan,
    cx: &ExecutionContext,
) -> Result<ReviewEvaluator, ComposeError> {
    let review = match &part.reviewer {
        ReviewerPlan::Model { name, rounds } => {
            let chat = conversation(name, *rounds, plan, cx)?;
            ReviewEvaluator::by_chat_agent(chat, |agent| observe_model_output(agent, cx))
        }
        ReviewerPlan::Command(part) => {
            // git is not an agent, and gets no agent's key.
            let tree = WorkTree::at(cx.folder(), &check_shell(plan, "git", cx)?);
            ReviewEvaluator::by_command(observe_command_output(command(part, plan, cx)?, cx), tree)
        }
    };
    let review = review.task(&plan.goal);
    Ok(match &part.prompt {
        Some(prompt) => review.instructions(prompt),
        None => review,
    })
}

/// Returns the shell for commands of the check, which do not see the agent's keys.
pub(super) fn check_shell(plan: &Plan, command: &str, cx: &ExecutionContext) -> Result<Shell, ComposeError> {
    let seen = plan.evaluator_sees().split(cx.variables().iter().cloned()).seen;
    let shell = cx.shell(seen).inherit_env(&plan.agent.env.set).always_shell(plan.agent.always_shell);
    confined(shell, plan.evaluator.sandbox.as_ref(), command, "evaluator.sandbox", cx)
}

/// Builds a conversation with this model, whose tools change nothing.
fn conversation(
    name: &ModelName,
    rounds: u64,
    plan: &Plan,
    cx: &ExecutionContext,
) -> Result<Chat, ComposeError> {
    let model = priced_model("evaluator.review.model", name, plan.agent.usage.prices.as_ref(), cx)?;
    let setup =
        ChatSetup::new(settings(cx)?, cx).environment(plan.evaluator_sees(), &plan.agent.env.set).reviewing();
    let limits = TurnLimits::default().rounds(rounds);
    let limits = plan.evaluator.max_time.map_or(limits, |time| limits.time(time));
    Ok(model.chat(&setup)?.limits(limits))
}

/// Builds an agent from this command, with the same variables as an agent: it also gets the keys of its own vendor.
fn command(part: &ReviewCommand, plan: &Plan, cx: &ExecutionContext) -> Result<ShellAgent, ComposeError> {
    let line = part.line.as_str();
    let sees = plan.evaluator_sees().of_agent(line);
    let mut shell = cx.shell(sees.split(cx.variables().iter().cloned()).seen);
    shell = shell.inherit_env(&plan.agent.env.set).always_shell(plan.agent.always_shell);
    if let Some(time) = plan.evaluator.max_time {
        shell = shell.max_time(time);
    }
    let shell = confined(shell, plan.evaluator.sandbox.as_ref(), line, "evaluator.sandbox", cx)?;
    let agent = ShellAgent::of(part.line.clone()).shell(shell).costs(part.format == Format::Text);
    let prices = plan.agent.usage.prices.clone();
    Ok(read_usage(
        agent,
        &UsagePlan { format: part.format, model: part.model.clone(), prices, log: None },
        cx,
    ))
}
