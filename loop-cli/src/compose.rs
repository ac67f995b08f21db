//! From a plan to a loop.

use std::{ffi::OsString, path::PathBuf};

use anyhow::Context;
use loop_agents::{
    process::{Custody, Job},
    shell::{CommandEvaluator, Shell, ShellAgent, ShellOutput},
    usage::UsageFile,
};
use loop_core::{Bounded, Judged, Loop, evaluator_passed};
use loop_guardrails::{
    Checkpoint, ConsecutiveFailures, MaxCost, MaxElapsed, MaxTokens, policy::environment::EnvironmentPolicy,
};

use crate::manifest::plan::{Plan, StopPlan};

/// Where the agent and the evaluator run, with which variables, and where they report what they use.
#[derive(Debug)]
pub(crate) struct Place {
    /// The folder.
    pub(crate) dir: PathBuf,
    /// The user's variables, of which they see what the plan lets them see.
    pub(crate) env: Vec<(OsString, OsString)>,
    /// The file to which they append their usage.
    pub(crate) usage: UsageFile,
    /// The command that runs, to be stopped and continued.
    pub(crate) job: Job,
    /// Who answers for what they leave behind.
    pub(crate) custody: Custody,
}

impl Place {
    /// How a command runs here that sees this of the variables.
    fn shell(&self, plan: &Plan, sees: &EnvironmentPolicy) -> Shell {
        let seen = sees.split(self.env.iter().cloned()).seen;
        let shell = Shell::new().dir(&self.dir).inherit_env(seen).inherit_env(&plan.agent.env.set);
        shell.usage_file(self.usage.clone()).job(self.job.clone()).custody(self.custody.clone())
    }
}

/// The plan's agent.
pub(crate) fn agent(plan: &Plan, place: &Place) -> anyhow::Result<ShellAgent> {
    let mut shell = place.shell(plan, &plan.agent_sees());
    if let Some(time) = plan.agent.max_time {
        shell = shell.max_time(time);
    }
    if let Some(silence) = plan.agent.max_silence {
        shell = shell.max_silence(silence);
    }
    let agent = ShellAgent::new(plan.agent.command.as_str()).context("agent.command")?;
    Ok(agent.goal(&plan.goal).prompt(&plan.agent.prompt).shell(shell).feedback_bytes(plan.feedback_bytes))
}

/// The plan's check.
pub(crate) fn evaluator(plan: &Plan, place: &Place) -> anyhow::Result<CommandEvaluator> {
    let mut shell = place.shell(plan, &plan.evaluator_sees());
    if let Some(time) = plan.evaluator.max_time {
        shell = shell.max_time(time);
    }
    let evaluator = CommandEvaluator::new(&plan.evaluator.command)
        .context("evaluator.command")?
        .shell(shell)
        .text_bytes(plan.feedback_bytes);
    Ok(match &plan.stop {
        StopPlan::EvaluatorPass => evaluator,
        // The evaluator looks for the match itself, since it sees all of its output; a condition
        // would see only what is kept of it.
        StopPlan::OutputMatches(pattern) => evaluator.matching(pattern.clone()),
    })
}

/// The loop of a plan's agent and check, but for who watches it and who answers its questions.
pub(crate) fn compose(
    plan: &Plan,
    agent: ShellAgent,
    evaluator: CommandEvaluator,
) -> Loop<ShellAgent, Judged<ShellOutput>, Bounded> {
    let limits = &plan.limits;
    let mut composed = Loop::new(agent)
        .evaluate(evaluator)
        .until(evaluator_passed())
        .at_most(limits.max_iterations.get())
        .pace(plan.delay);
    if let Some(cost) = limits.max_cost {
        composed = composed.guard(MaxCost::new(cost));
    }
    if let Some(tokens) = limits.max_tokens {
        composed = composed.guard(MaxTokens::new(tokens.get()));
    }
    if let Some(time) = limits.max_time {
        composed = composed.guard(MaxElapsed::new(time));
    }
    if let Some(failures) = limits.max_consecutive_failures {
        composed = composed.guard(ConsecutiveFailures::new(failures.get()));
    }
    if let Some(every) = limits.checkpoint {
        composed = composed.guard(Checkpoint::from(every));
    }
    composed
}
