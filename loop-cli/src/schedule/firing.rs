//! Doing what a fire wants.

use std::sync::Arc;

use anyhow::Context;
use async_trait::async_trait;
use loop_agents::process::Custody;
use loop_schedule::{Delivering, Delivery, Fire, JobAction, Notice};

use super::{Child, Fired, SchedulePlace, action, child::Ended, outcome::Outcome, told::Told};

/// Starts this program for each fire.
#[derive(Debug)]
pub(crate) struct Firing {
    /// Where this program is.
    pub(crate) program: String,
    pub(crate) place: Arc<SchedulePlace>,
    pub(crate) told: Arc<Told>,
    /// Who answers for what the runs leave behind.
    pub(crate) custody: Custody,
}

#[async_trait]
impl Delivery for Firing {
    /// A run that somebody else began in the folder goes first: two would undo each other's work.
    fn is_idle(&self) -> bool {
        !matches!(self.place.runs.living_in(self.place.project.dir()), Ok(Some(_)))
    }

    async fn deliver(&self, fire: Fire, work: Delivering) {
        match work.started().await {
            Ok(true) => {}
            Ok(false) => return self.told.notice(&Notice::Dropped(fire)),
            Err(error) => return self.told.warn(&format!("{:#}", anyhow::Error::new(error))),
        }
        self.told.fired(&fire);
        let mut fired = Fired::begun(&fire, crate::clock::now());
        if let Err(error) = self.perform(&fire, &work, &mut fired).await {
            fired.error = Some(format!("{error:#}"));
        }
        fired.ended_at = crate::clock::now();
        self.told.over(&fired);
        if let Err(error) = self.place.history().add(&fired) {
            self.told.warn(&format!("{error:#}"));
        }
    }

    fn notice(&self, notice: Notice) {
        self.told.notice(&notice);
    }
}

impl Firing {
    async fn perform(&self, fire: &Fire, work: &Delivering, fired: &mut Fired) -> anyhow::Result<()> {
        let job = &fire.job;
        let work_of_job = JobAction::of(job)?;
        let arguments = action::arguments(&work_of_job, &job.prompt);
        let slots = fire.slots.map_or(0, |slots| slots.count);
        let child = Child::new(&self.program, arguments, self.place.project.dir(), self.custody.clone())
            .also_env([("LOOP_JOB_ID", job.id.to_string()), ("LOOP_JOB_SLOTS", slots.to_string())]);
        let hear = |line: &str| {
            if !action::is_prompt(&work_of_job) {
                self.told.heard(job.id, line);
            }
        };
        let ended = child.run(work.cancelled().cancelled(), hear).await;
        let Ended { exit, record, last_words } = ended.context("it could not be run")?;
        fired.exit_code = Some(exit.shell_code());
        let Some(record) = record else {
            fired.error = last_words.filter(|_| !exit.success());
            return Ok(());
        };
        fired.stop_reason = Some(record.ending_name().to_owned());
        fired.run_id = record.run_id;
        let run = fired.run_id.as_deref();
        if let Some(Outcome { fault, said }) = run.and_then(|run| Outcome::of(&self.place.runs, run)) {
            fired.error = fault;
            said.lines()
                .filter(|_| action::is_prompt(&work_of_job))
                .for_each(|line| self.told.heard(job.id, line));
        }
        Ok(())
    }
}
