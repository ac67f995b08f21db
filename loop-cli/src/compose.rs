//! From a plan to a loop.

mod checks;
mod goal;
mod review;
mod worker;

use std::{ffi::OsString, path::PathBuf};

use loop_agents::{
    judge::InOrder,
    process::{Custody, Job},
    shell::{CommandEvaluator, Shell, ShellAgent},
    usage::UsageFile,
};
use loop_core::{Bounded, Guardrail, Iteration, Judged, Loop, Pace, pace_fn};
use loop_guardrails::{
    Backoff, Checkpoint, ConsecutiveFailures, MaxCost, MaxElapsed, MaxTokens, SpendingRate, Unmetered,
    policy::environment::EnvironmentPolicy,
};

pub(crate) use self::{
    checks::{command, see_judges},
    goal::is_met,
    worker::Worker,
};
use crate::{
    ask::{Declining, Terminal},
    drive::Audience,
    interrupted::Interrupted,
    keeping,
    logging::OutputLogs,
    view::{Lines, Notes, Output, Screen},
};
use loop_manifest::{
    plan::{PacePlan, Plan, ResumePlan, UsagePlan},
    settings::Settings,
};

/// Where the agent and the evaluator run, with which variables, and where they report what they use.
#[derive(Debug)]
pub(crate) struct Place {
    /// The folder.
    pub(crate) dir: PathBuf,
    /// The manifest or the task file that is executed: its whole path, without links. Tools ask before they change it.
    pub(crate) executed: Option<PathBuf>,
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

impl Place {
    /// The same, where this file is executed.
    pub(crate) fn executing(self, file: Option<PathBuf>) -> Self {
        Self { executed: file, ..self }
    }

    /// How a command runs here that sees these variables.
    pub(crate) fn shell(&self, seen: impl IntoIterator<Item = (OsString, OsString)>) -> Shell {
        let shell = Shell::new().dir(&self.dir).inherit_env(seen);
        shell.usage_file(self.usage.clone()).job(self.job.clone()).custody(self.custody.clone())
    }

    /// The value of one of the user's variables.
    pub(crate) fn var(&self, name: &str) -> Option<OsString> {
        self.env.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
    }

    /// The settings that hold here.
    ///
    /// # Errors
    /// What is wrong with them.
    fn settings(&self) -> anyhow::Result<Settings> {
        keeping::settings(&self.dir, |name| self.var(name)).map_err(|findings| anyhow::anyhow!("{findings}"))
    }

    /// The agent with a reader of what it prints, if anything of that is usage.
    fn read_usage(&self, agent: ShellAgent, usage: &UsagePlan) -> ShellAgent {
        if usage.format.flags().is_none() {
            return agent;
        }
        let notes = self.notes.clone();
        agent.usage_reader(usage.reader()).on_note(move |note| notes.add(note))
    }

    /// A number of this run's own: runs that failed together must not try again together.
    pub(crate) fn seed(&self) -> u64 {
        // The rest of a run's name is the time.
        uuid::Uuid::parse_str(self.custody.run()).map_or(0, |run| run.as_u64_pair().1)
    }

    /// How one of the plan's commands runs here that sees this of the variables.
    fn shell_of(&self, plan: &Plan, sees: &EnvironmentPolicy) -> Shell {
        self.shell(sees.split(self.env.iter().cloned()).seen).inherit_env(&plan.agent.env.set)
    }
}

/// The loop of a plan whose agent leaves an `O` behind.
pub(crate) type Composed<W> = Loop<W, Judged<<W as Iteration>::Output>, Bounded>;

/// Who watches a run, and who answers its questions.
#[derive(Debug)]
pub(crate) struct Watchers<'a> {
    pub(crate) audience: Audience,
    /// Where all is kept that is printed, if it is.
    pub(crate) logs: Option<&'a OutputLogs>,
    pub(crate) screen: &'a Screen,
    pub(crate) declining: &'a Declining,
}

impl Watchers<'_> {
    /// Shows and keeps what this agent says.
    fn hear<W: Worker>(&self, agent: W) -> W {
        agent.heard(self.output(), self.logs.cloned())
    }

    /// Shows and keeps what this command prints.
    fn hear_check(&self, check: CommandEvaluator) -> CommandEvaluator {
        let (mut output, logs) = (self.output(), self.logs.cloned());
        check.on_output(move |stream, bytes| {
            if let Some(output) = &mut output {
                output.feed(bytes);
            }
            if let Some(logs) = &logs {
                logs.write(stream, bytes);
            }
        })
    }

    fn output(&self) -> Option<Output> {
        let show = self.audience.show_output;
        (show || self.screen.is_live()).then(|| Output::new(self.screen.clone(), show))
    }
}

/// The loop of a plan's agent and check, with those who watch it.
pub(crate) fn watched<W: Worker>(
    agent: W,
    plan: &Plan,
    place: &Place,
    watchers: &Watchers<'_>,
) -> anyhow::Result<Composed<W>> {
    let Watchers { audience, screen, declining, .. } = *watchers;
    let agent = watchers.hear(agent);
    let evaluator = checks::all(plan, place, watchers)?;
    let max_iterations = plan.limits.max_iterations.get();
    let mut composed = compose(plan, place, agent, evaluator);
    if !audience.quiet {
        place.notes.say_on(screen);
        composed = composed.observe(Lines::new(screen.clone(), max_iterations));
    }
    if audience.can_be_asked {
        composed = composed.on_ask(Terminal::new(screen.clone(), declining.clone(), max_iterations));
    }
    Ok(composed)
}

fn compose<W: Worker>(plan: &Plan, place: &Place, agent: W, evaluator: InOrder<W::Output>) -> Composed<W> {
    let composed = Loop::new(agent)
        .evaluate(evaluator)
        .until(goal::goal(&plan.stop))
        .at_most(plan.limits.max_iterations.get())
        .pace(pace(plan.pace, place));
    guardrails(plan).into_iter().fold(composed, Loop::guard)
}

/// Iterations in a row that may report nothing of what a limit counts.
const MAX_UNMETERED: u64 = 3;

/// The plan's guardrails, in their order, but for the most iterations: that is the loop's bound.
pub(crate) fn guardrails(plan: &Plan) -> Vec<Box<dyn Guardrail>> {
    let limits = &plan.limits;
    let mut rails: Vec<Box<dyn Guardrail>> = Vec::new();
    if let Some(cost) = limits.max_cost {
        rails.push(Box::new(MaxCost::new(cost)));
    }
    if let Some(cost) = limits.max_hourly_cost {
        rails.push(Box::new(SpendingRate::per_hour(cost)));
    }
    if let Some(tokens) = limits.max_tokens {
        rails.push(Box::new(MaxTokens::new(tokens.get())));
    }
    if let Some(time) = limits.max_time {
        rails.push(Box::new(MaxElapsed::new(time)));
    }
    if let Some(failures) = limits.max_consecutive_failures {
        rails.push(Box::new(ConsecutiveFailures::new(failures.get())));
    }
    // After the failures, of which an agent that fails at once and so reports nothing is one.
    if !limits.allow_unmetered && (limits.max_cost.is_some() || limits.max_hourly_cost.is_some()) {
        rails.push(Box::new(Unmetered::cost(MAX_UNMETERED)));
    }
    if !limits.allow_unmetered && limits.max_tokens.is_some() {
        rails.push(Box::new(Unmetered::tokens(MAX_UNMETERED)));
    }
    if let Some(every) = limits.checkpoint {
        rails.push(Box::new(Checkpoint::from(every)));
    }
    if plan.resume != ResumePlan::Rerun {
        rails.push(Box::new(Interrupted::new(plan.resume)));
    }
    rails
}

/// The longer of both waits.
fn pace(PacePlan { every, backoff }: PacePlan, place: &Place) -> impl Pace + use<> {
    let backoff = Backoff::new(backoff).seed(place.seed());
    pace_fn(move |progress| backoff.delay(progress).max(every))
}
