//! Who works on a task, and who reviews it.

use anyhow::Context;
use loop_agents::{
    chat::{ChatAgent, TurnLimits},
    review::{ChatWorker, EXECUTOR, REVIEWER, ReviewEvaluator, ShellWorker, WorkTree, Worker},
    shell::{CommandEvaluator, Shell, ShellAgent},
};
use loop_guardrails::policy::{ActionPolicy, Origin, Placed, environment::EnvironmentPolicy};

use crate::{
    compose::{self, Place},
    model::{Model, Surroundings},
    task::{Assignment, FOLDER, TaskText, Who},
    view::{Output, Screen},
};
use loop_manifest::{Flags, Loaded, Paint, plan::WorkPlan, settings::Settings};

/// Makes the agents of a task.
pub(super) struct Cast<'a> {
    assignment: &'a Assignment,
    place: &'a Place,
    settings: &'a Settings,
    /// Where is shown what they say, if somebody wants to see that.
    shown: Option<Output>,
}

impl<'a> Cast<'a> {
    pub(super) fn new(
        assignment: &'a Assignment,
        place: &'a Place,
        settings: &'a Settings,
        verbose: bool,
    ) -> Self {
        let shown = verbose.then(|| Output::new(Screen::plain(), true));
        Self { assignment, place, settings, shown }
    }

    /// Where is shown what the agents say. They work one after the other.
    pub(super) fn shown(&self) -> Option<Output> {
        self.shown.clone()
    }

    /// Finds out whether there is such a cast.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn try_out(&self, task: &TaskText) -> anyhow::Result<()> {
        self.executor().context("who works")?;
        self.reviewer(task).map(drop).context("who reviews")
    }

    /// Who works.
    ///
    /// # Errors
    /// No such model, a command that is none.
    pub(super) fn executor(&self) -> anyhow::Result<Box<dyn Worker>> {
        Ok(match &self.assignment.executor {
            Who::Model(name) => {
                let around = self.surroundings().system(Some(EXECUTOR.to_owned()));
                let chat = self.model(name)?.chat(&around)?;
                let limits = TurnLimits::default().rounds(self.assignment.rounds.get());
                Box::new(ChatWorker::new(self.heard(ChatAgent::new(chat.limits(limits)))))
            }
            Who::Command(line) => {
                Box::new(ShellWorker::new(self.heard(self.command(line)?), self.tree()).preface(EXECUTOR))
            }
        })
    }

    /// Who reviews, with the checks of the task.
    ///
    /// # Errors
    /// As [`executor`](Self::executor), and a check that is no command.
    pub(super) fn reviewer(&self, task: &TaskText) -> anyhow::Result<ReviewEvaluator> {
        let review = match &self.assignment.reviewer {
            Who::Model(name) => {
                let around = self.surroundings().system(Some(REVIEWER.to_owned())).reviewing();
                let chat = self.model(name)?.chat(&around)?;
                let limits = TurnLimits::default().rounds(self.assignment.review_rounds());
                ReviewEvaluator::by_chat_agent(chat.limits(limits), |agent| self.heard(agent))
            }
            Who::Command(line) => ReviewEvaluator::by_command(self.heard(self.command(line)?), self.tree()),
        };
        let task = task.clone();
        let review = review.task_from(move || task.for_review()).believing();
        self.assignment.rights.checks.iter().try_fold(review, |review, line| {
            let check = CommandEvaluator::new(line).with_context(|| format!("the check `{line}`"))?;
            Ok(review.check(line, check.shell(self.shell())))
        })
    }

    fn model(&self, name: &str) -> anyhow::Result<Model> {
        let model = Model::choose(Some(name), self.settings, &self.place.env)?;
        Ok(match self.assignment.reasoning {
            Some(effort) => model.reasoning(effort),
            None => model,
        })
    }

    fn surroundings(&self) -> Surroundings<'a> {
        Surroundings::new(self.settings, self.place).policy(self.policy())
    }

    /// What the task file allowed when the run began is the user's leave: they named the file. What we keep of the
    /// task is nobody's to write.
    fn policy(&self) -> ActionPolicy {
        let origin = || Origin::line(&*self.assignment.file, 1);
        let programs = self.assignment.rights.bash.iter().map(|name| Placed::new(name.clone(), origin()));
        self.settings.policy_allowing(programs).guard([self.place.dir.join(FOLDER)])
    }

    /// A command, as `loop run --agent` would run it.
    fn command(&self, line: &str) -> anyhow::Result<ShellAgent> {
        let max = i64::try_from(self.assignment.loops.get()).unwrap_or(i64::MAX);
        let flags = Flags {
            agent: line,
            check: "true",
            max,
            goal: None,
            prompt: None,
            max_cost: None,
            max_time: None,
            allow_unmetered: false,
        };
        let loaded = flags.plan(self.assignment.name().to_owned());
        let Loaded { plan, .. } =
            loaded.map_err(|findings| anyhow::anyhow!("{}", findings.render(Paint::Plain)))?;
        match &plan.agent.work {
            WorkPlan::Command(part) => compose::Worker::of(part, &plan, self.place),
            WorkPlan::Model(_) => unreachable!("flags name a command"),
        }
    }

    /// The files of the work.
    pub(super) fn tree(&self) -> WorkTree {
        WorkTree::at(&self.place.dir, &self.shell())
    }

    /// How checks run: with the user's variables, without what looks like a secret.
    fn shell(&self) -> Shell {
        self.place.shell(EnvironmentPolicy::new().split(self.place.env.iter().cloned()).seen)
    }

    fn heard<W: compose::Worker>(&self, agent: W) -> W {
        agent.heard(self.shown(), None)
    }
}
