//! The check of a plan: a command, a number that the agent says, a model that judges, an agent that reviews, or
//! several of them.

use anyhow::Context;
use loop_agents::{
    judge::{ConfidenceEvaluator, InOrder, JudgeEvaluator},
    review::Reviewed,
    shell::CommandEvaluator,
};
use loop_core::Evaluator;

use super::{Place, Watchers, review::review};
use crate::model::Model;
use loop_manifest::{
    StopPlan,
    plan::{ConfidencePlan, EvaluatorPlan, JudgePlan, Plan},
};

/// All that has to pass, what costs least first, with those who watch it.
///
/// # Errors
/// What is wrong with a part of it, or with the machine. Nothing was run.
pub(super) fn all<O: Reviewed>(
    plan: &Plan,
    place: &Place,
    watchers: &Watchers<'_>,
) -> anyhow::Result<InOrder<O>> {
    let mut checks: Vec<Box<dyn Evaluator<O>>> = Vec::new();
    if let Some(command) = command(plan, place)? {
        checks.push(Box::new(watchers.hear_check(command)));
    }
    if let Some(ConfidencePlan { at_least, key }) = &plan.evaluator.confidence {
        let evaluator = ConfidenceEvaluator::at_least(*at_least).context("evaluator.confidence.at_least")?;
        checks.push(Box::new(evaluator.key(key)));
    }
    if let Some(part) = &plan.evaluator.judge {
        checks.push(Box::new(judge(part, plan, place)?));
    }
    if let Some(part) = &plan.evaluator.review {
        checks.push(Box::new(review(part, plan, place, Some(watchers))?));
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
        // The evaluator looks for the match itself, since it sees all of its output; a condition
        // would see only what is kept of it.
        StopPlan::OutputMatches(pattern) => evaluator.matching(pattern.clone()),
        stop => evaluator.looking_for(stop.patterns().into_iter().cloned()).context("stop_condition")?,
    }))
}

/// Sees whether the plan's judge and its reviewer can be asked, as far as it has them.
///
/// # Errors
/// No such model, or no key for it.
pub(crate) fn see_judges(plan: &Plan, place: &Place) -> anyhow::Result<()> {
    let EvaluatorPlan { judge: of_judge, review: of_review, .. } = &plan.evaluator;
    of_judge.as_ref().map_or(Ok(()), |part| judge(part, plan, place).map(drop))?;
    of_review.as_ref().map_or(Ok(()), |part| review(part, plan, place, None).map(drop))
}

fn judge(part: &JudgePlan, plan: &Plan, place: &Place) -> anyhow::Result<JudgeEvaluator> {
    let settings = place.settings()?;
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
