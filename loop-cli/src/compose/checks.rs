//! The check of a plan: a command, a number that the agent says, a model that judges, or several of them.

use anyhow::Context;
use loop_agents::{
    judge::{ConfidenceEvaluator, InOrder, JudgeEvaluator, Words},
    shell::CommandEvaluator,
};
use loop_core::Evaluator;

use super::Place;
use crate::{
    manifest::plan::{ConfidencePlan, JudgePlan, Plan, StopPlan},
    model::Model,
    settings::Settings,
};

/// All that has to pass, what costs least first. `heard` passes on what the command prints.
///
/// # Errors
/// What is wrong with a part of it, or with the machine. Nothing was run.
pub(super) fn all<O: Words>(
    plan: &Plan,
    place: &Place,
    heard: impl FnOnce(CommandEvaluator) -> CommandEvaluator,
) -> anyhow::Result<InOrder<O>> {
    let mut checks: Vec<Box<dyn Evaluator<O>>> = Vec::new();
    if let Some(command) = command(plan, place)? {
        checks.push(Box::new(heard(command)));
    }
    if let Some(ConfidencePlan { at_least, key }) = &plan.evaluator.confidence {
        let evaluator = ConfidenceEvaluator::at_least(*at_least).context("evaluator.confidence.at_least")?;
        checks.push(Box::new(evaluator.key(key)));
    }
    if let Some(part) = &plan.evaluator.judge {
        checks.push(Box::new(judge(part, plan, place)?));
    }
    Ok(checks.into_iter().collect())
}

/// The plan's command that judges, if it has one.
pub(crate) fn command(plan: &Plan, place: &Place) -> anyhow::Result<Option<CommandEvaluator>> {
    let Some(line) = &plan.evaluator.command else { return Ok(None) };
    let mut shell = place.shell_of(plan, &plan.evaluator_sees());
    if let Some(time) = plan.evaluator.max_time {
        shell = shell.max_time(time);
    }
    let evaluator = CommandEvaluator::new(line)
        .context("evaluator.command")?
        .shell(shell)
        .text_bytes(plan.feedback_bytes)
        .costs(plan.evaluator.is_uncounted);
    Ok(Some(match &plan.stop {
        StopPlan::EvaluatorPass => evaluator,
        // The evaluator looks for the match itself, since it sees all of its output; a condition
        // would see only what is kept of it.
        StopPlan::OutputMatches(pattern) => evaluator.matching(pattern.clone()),
    }))
}

/// Sees whether the plan's judge can be asked, if it has one.
///
/// # Errors
/// No such model, or no key for it.
pub(crate) fn see_judge(plan: &Plan, place: &Place) -> anyhow::Result<()> {
    plan.evaluator.judge.as_ref().map_or(Ok(()), |part| judge(part, plan, place).map(drop))
}

fn judge(part: &JudgePlan, plan: &Plan, place: &Place) -> anyhow::Result<JudgeEvaluator> {
    let settings = Settings::load(&place.dir, |name| place.var(name))
        .map_err(|findings| anyhow::anyhow!("{findings}"))?;
    let mut model =
        Model::choose(Some(part.model.as_str()), &settings, &place.env).context("evaluator.judge.model")?;
    if let Some(prices) = &plan.agent.usage.prices {
        model = model.prices(prices.clone());
    }
    let mut judge = JudgeEvaluator::new(model.boxed(place.seed()), &part.criteria)
        .context("evaluator.judge.criteria")?
        .goal(&plan.goal)
        .votes(part.votes)
        .text_bytes(plan.feedback_bytes);
    if let Some(prompt) = &part.prompt {
        judge = judge.instructions(prompt);
    }
    Ok(match plan.evaluator.max_time {
        Some(time) => judge.max_time(time),
        None => judge,
    })
}
