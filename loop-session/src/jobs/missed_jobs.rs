//! One-shot jobs whose time passed while no session was open.
//!
//! A reminder for nine o'clock may be useless at six in the evening, or still needed: only the person knows. So the
//! session asks about missed jobs when it begins. Unanswered jobs stay, and the next session asks again.

use std::collections::VecDeque;

use jiff::Timestamp;
use loop_schedule::{Job, JobAction, Scheduler, SchedulerEvent};

use super::session_jobs::SessionJobs;
use loop_telemetry::words::{instant, until};

use crate::error::InputError;

/// The missed jobs that still need a question, oldest first.
#[derive(Debug, Default)]
pub struct MissedJobs(VecDeque<MissedJob>);

/// A missed job of the folder, which needs a person's answer.
#[derive(Debug)]
struct MissedJob {
    job: Job,
    slot: Timestamp,
}

/// The action after an answer.
#[derive(Debug, PartialEq, Eq)]
pub enum MissedJobAction {
    /// Carry out this line in the session.
    Line(String),
    /// Nothing here: the job fires with the folder's other jobs.
    Elsewhere,
    /// Nothing: the job is deleted.
    Gone,
}

impl SessionJobs {
    /// Returns the missed jobs, oldest first. Returns none if another process fires these jobs, because that process
    /// asks. Blocks on the disk.
    ///
    /// # Errors
    /// The jobs cannot be read.
    pub fn missed_jobs(&self, now: Timestamp) -> Result<MissedJobs, InputError> {
        if self.project.store().is_firing()? {
            return Ok(MissedJobs::default());
        }
        let mut scheduler = Scheduler::new(self.settings().clone());
        for record in
            self.project.jobs()?.records().iter().filter(|record| !record.job.trigger.is_recurring())
        {
            scheduler.set(record.job.clone(), &record.state, now);
        }
        let asked = scheduler.tick(now, false).into_iter().filter_map(|event| match event {
            SchedulerEvent::Asked { job, slots } => {
                Some(MissedJob { job: Job::clone(&job), slot: slots.first })
            }
            _ => None,
        });
        let mut missed: Vec<_> = asked.collect();
        missed.sort_by_key(|missed| missed.slot);
        Ok(MissedJobs(missed.into()))
    }

    /// Carries out the person's answer at most once, even after a crash: the job is removed before its work begins.
    /// Blocks on the disk.
    ///
    /// # Errors
    /// The jobs cannot be written.
    fn carry_out_answer(&self, missed: &MissedJob, fire: bool) -> Result<MissedJobAction, InputError> {
        let id = missed.job.id;
        // An agent or a manifest needs a separate run.
        if fire && !matches!(JobAction::of(&missed.job), Ok(JobAction::Model { .. })) {
            let is_there = self.project.change(|jobs| jobs.request_fire(id))?;
            return Ok(if is_there { MissedJobAction::Elsewhere } else { MissedJobAction::Gone });
        }
        let run_turn = self.project.change(|jobs| jobs.remove(id))?;
        Ok(match run_turn.filter(|_| fire) {
            Some(record) => MissedJobAction::Line(record.job.prompt),
            None => MissedJobAction::Gone,
        })
    }
}

impl MissedJobs {
    /// Returns the next question, if there is one.
    pub fn question(&self, jobs: &SessionJobs, now: Timestamp) -> Option<String> {
        let MissedJob { job, slot } = self.0.front()?;
        Some(format!(
            "missed {}, {}: {}\n  now? [y]es / [n]o, never / anything else: later",
            until(*slot, now),
            instant(*slot, jobs.zone().rules()),
            job.prompt
        ))
    }

    /// Treats a line as the answer to a question, if it is one; otherwise the questions wait until later. Blocks on the
    /// disk.
    ///
    /// # Errors
    /// The jobs cannot be written.
    pub fn answer(&mut self, line: &str, jobs: &SessionJobs) -> Result<Option<MissedJobAction>, InputError> {
        let fire = match line.trim().to_lowercase().as_str() {
            "y" | "yes" => true,
            "n" | "no" => false,
            _ => {
                self.0.clear();
                return Ok(None);
            }
        };
        self.0.pop_front().map(|missed| jobs.carry_out_answer(&missed, fire)).transpose()
    }
}
