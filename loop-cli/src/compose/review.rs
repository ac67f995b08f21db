//! The review of a plan: a model that only looks, or a command.

use anyhow::Context;
use loop_agents::{
    chat::{Chat, TurnLimits},
    review::{ReviewEvaluator, WorkTree},
    shell::ShellAgent,
};

use super::{Place, Watchers, Worker};
use crate::model::{Model, Surroundings};
use loop_manifest::{
    ModelName,
    plan::{Plan, ReviewCommand, ReviewPlan, ReviewerPlan, UsagePlan},
};

/// The plan's review, with those who watch it.
///
/// # Errors
/// What is wrong with it, or with the machine. Nothing was run.
pub(super) fn review(
    part: &ReviewPlan,
    plan: &Plan,
    place: &Place,
    watchers: Option<&Watchers<'_>>,
) -> anyhow::Result<ReviewEvaluator> {
    let review = match &part.reviewer {
        ReviewerPlan::Model { name, rounds } => {
            let chat = conversation(name, *rounds, plan, place)?;
            ReviewEvaluator::by_chat_agent(chat, |agent| heard(agent, watchers))
        }
        ReviewerPlan::Command(part) => {
            let agent = heard(command(part, plan, place)?, watchers);
            // git is no agent, and gets no agent's key.
            let tree = WorkTree::at(&place.dir, &place.shell_of(plan, &plan.evaluator_sees()));
            ReviewEvaluator::by_command(agent, tree)
        }
    };
    let review = review.task(&plan.goal);
    Ok(match &part.prompt {
        Some(prompt) => review.instructions(prompt),
        None => review,
    })
}

/// With this model, whose tools change nothing.
fn conversation(name: &ModelName, rounds: u64, plan: &Plan, place: &Place) -> anyhow::Result<Chat> {
    let settings = place.settings()?;
    let mut model =
        Model::choose(Some(name.as_str()), &settings, &place.env).context("evaluator.review.model")?;
    if let Some(prices) = &plan.agent.usage.prices {
        model = model.prices(prices.clone());
    }
    let around = Surroundings::new(&settings, place)
        .environment(plan.evaluator_sees(), &plan.agent.env.set)
        .reviewing();
    let limits = TurnLimits::default().rounds(rounds);
    let limits = plan.evaluator.max_time.map_or(limits, |time| limits.time(time));
    Ok(model.chat(&around)?.limits(limits))
}

/// This command, which sees what an agent sees: the keys of its own vendor as well.
fn command(part: &ReviewCommand, plan: &Plan, place: &Place) -> anyhow::Result<ShellAgent> {
    let line = part.line.as_str();
    let mut shell = place.shell_of(plan, &plan.evaluator_sees().of_agent(line));
    if let Some(time) = plan.evaluator.max_time {
        shell = shell.max_time(time);
    }
    let agent =
        ShellAgent::new(line).context("evaluator.review.agent")?.shell(shell).costs(part.is_uncounted);
    let prices = plan.agent.usage.prices.clone();
    Ok(place.read_usage(agent, &UsagePlan { format: part.format, model: part.model.clone(), prices }))
}

fn heard<W: Worker>(agent: W, watchers: Option<&Watchers<'_>>) -> W {
    match watchers {
        Some(watchers) => watchers.hear(agent),
        None => agent,
    }
}
