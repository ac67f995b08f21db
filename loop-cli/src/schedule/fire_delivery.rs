//! Carries out fires.

use std::sync::Arc;

use anyhow::Context;
use async_trait::async_trait;
use loop_agents::process::Supervisor;
use loop_core::with_causes;
use loop_schedule::{Delivery, DeliveryContext, Fire, JobAction, RunnerNotice};

use loop_session::fires::FireResult;

use super::{
    FireProcess, FolderSchedule, action, fire_process::FireProcessExit, fire_reporter::FireReporter,
    last_iteration::LastIteration,
};

/// Starts this program for each fire.
#[derive(Debug)]
pub(crate) struct FireDelivery {
    /// Where this program is.
    pub(crate) program: String,
    pub(crate) folder: Arc<FolderSchedule>,
    pub(crate) reporter: Arc<FireReporter>,
    /// The supervisor of leftover processes.
    pub(crate) supervisor: Supervisor,
}

#[async_trait]
impl Delivery for FireDelivery {
    /// Returns whether the folder is idle. A run that somebody else began there goes first: two runs would undo each
    /// other's work.
    fn is_idle(&self) -> bool {
        !matches!(self.folder.runs.active_in(self.folder.project.dir()), Ok(Some(_)))
    }

    async fn deliver(&self, fire: Fire, work: DeliveryContext) {
        match work.started().await {
            Ok(true) => {}
            Ok(false) => return self.reporter.notice(&RunnerNotice::Dropped(fire)),
            Err(error) => return self.reporter.warn(&format!("{:#}", anyhow::Error::new(error))),
        }
        self.reporter.fired(&fire);
        let mut result = FireResult::begun(&fire, crate::clock::now());
        if let Err(error) = self.perform(&fire, &work, &mut result).await {
            result.error = Some(format!("{error:#}"));
        }
        result.ended_at = crate::clock::now();
        self.reporter.ended(&result);
        if let Err(error) = self.folder.history().add(&result) {
            self.reporter.warn(&with_causes(&error));
        }
    }

    fn notice(&self, notice: RunnerNotice) {
        self.reporter.notice(&notice);
    }
}

impl FireDelivery {
    async fn perform(
        &self,
        fire: &Fire,
        work: &DeliveryContext,
        result: &mut FireResult,
    ) -> anyhow::Result<()> {
        let job = &fire.job;
        let work_of_job = JobAction::of(job)?;
        let arguments = action::arguments(&work_of_job, job);
        let slots = fire.slots.map_or(0, |slots| slots.count);
        let child =
            FireProcess::new(&self.program, arguments, self.folder.project.dir(), self.supervisor.clone())
                .also_env([("LOOP_JOB_ID", job.id.to_string()), ("LOOP_JOB_SLOTS", slots.to_string())]);
        let hear = |line: &str| {
            if !action::is_prompt(&work_of_job) {
                self.reporter.output_line(job.id, line);
            }
        };
        let ended = child.run(work.cancelled().cancelled(), hear).await;
        // The next fire may be hours away.
        self.supervisor.rest().await;
        let FireProcessExit { exit, record, last_words } = ended.context("it could not be run")?;
        result.exit_code = Some(exit.shell_code());
        let Some(record) = record else {
            result.error = last_words.filter(|_| !exit.success());
            return Ok(());
        };
        result.stop_reason = Some(record.ending_name().to_owned());
        result.run_id = record.run_id;
        let run = result.run_id.as_deref();
        if let Some(LastIteration { fault, said }) =
            run.and_then(|run| LastIteration::of(&self.folder.runs, run))
        {
            result.error = fault;
            said.lines()
                .filter(|_| action::is_prompt(&work_of_job))
                .for_each(|line| self.reporter.output_line(job.id, line));
        }
        Ok(())
    }
}
