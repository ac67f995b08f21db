//! From a plan to a loop.

use std::{
    ffi::OsString,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::Context;
use loop_agents::{
    process::{Custody, Job},
    shell::{CommandEvaluator, Shell, ShellAgent, ShellOutput},
    usage::UsageFile,
};
use loop_core::{Bounded, Judged, Loop, Pace, evaluator_passed, pace_fn};
use loop_guardrails::{
    Backoff, Checkpoint, ConsecutiveFailures, MaxCost, MaxElapsed, MaxTokens, SpendingRate,
    policy::environment::EnvironmentPolicy,
};

use crate::{
    interrupted::Interrupted,
    manifest::plan::{PacePlan, Plan, ResumePlan, StopPlan},
};

/// Where the agent and the evaluator run, with which variables, and where they report what they use.
#[derive(Debug)]
pub(crate) struct Place {
    /// The folder.
    pub(crate) dir: PathBuf,
    /// The user's variables, of which they see what the plan lets them see.
    pub(crate) env: Vec<(OsString, OsString)>,
    /// The file to which they append their usage.
    pub(crate) usage: UsageFile,
    /// What is odd about the usage that the agent prints.
    pub(crate) notes: Notes,
    /// The command that runs, to be stopped and continued.
    pub(crate) job: Job,
    /// Who answers for what they leave behind.
    pub(crate) custody: Custody,
}

/// What is noted while a terminal belongs to the run, to be said after it. Clones share the notes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    fn add(&self, note: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(note.to_owned());
    }

    /// The notes so far, the oldest first.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
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
    let agent = agent.goal(&plan.goal).prompt(&plan.agent.prompt).shell(shell);
    let agent = agent.feedback_bytes(plan.feedback_bytes);
    if plan.agent.usage.format.flags().is_none() {
        return Ok(agent);
    }
    let notes = place.notes.clone();
    Ok(agent.usage_reader(plan.agent.usage.reader()).on_note(move |note| notes.add(note)))
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

/// A plan's loop.
pub(crate) type Composed = Loop<ShellAgent, Judged<ShellOutput>, Bounded>;

/// The loop of a plan's agent and check, but for who watches it and who answers its questions.
pub(crate) fn compose(
    plan: &Plan,
    place: &Place,
    agent: ShellAgent,
    evaluator: CommandEvaluator,
) -> Composed {
    let limits = &plan.limits;
    let mut composed = Loop::new(agent)
        .evaluate(evaluator)
        .until(evaluator_passed())
        .at_most(limits.max_iterations.get())
        .pace(pace(plan.pace, place));
    if let Some(cost) = limits.max_cost {
        composed = composed.guard(MaxCost::new(cost));
    }
    if let Some(cost) = limits.max_hourly_cost {
        composed = composed.guard(SpendingRate::per_hour(cost));
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
    if plan.resume != ResumePlan::Rerun {
        composed = composed.guard(Interrupted::new(plan.resume));
    }
    composed
}

/// The longer of both waits.
fn pace(PacePlan { every, backoff }: PacePlan, place: &Place) -> impl Pace + use<> {
    // Runs that failed together must not try again together, and the rest of a run's name is the time.
    let seed = uuid::Uuid::parse_str(place.custody.run()).map_or(0, |run| run.as_u64_pair().1);
    let backoff = Backoff::new(backoff).seed(seed);
    pace_fn(move |progress| backoff.delay(progress).max(every))
}
