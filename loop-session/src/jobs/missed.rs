//! One-shots whose time came while nobody was here.
//!
//! A reminder for nine o'clock is no use at six in the evening, or it is just what is needed: only the person knows.
//! So they are shown when a session begins, and asked about; without an answer they stay, and are asked about again.

use std::collections::VecDeque;

use jiff::Timestamp;
use loop_schedule::{Event, Job, JobAction, Scheduler};

use super::session_jobs::SessionJobs;
use loop_telemetry::words::{instant, until};

use crate::error::InputError;

/// What is still to be asked about, the oldest first.
#[derive(Debug, Default)]
pub struct MissedJobs(VecDeque<Missed>);

/// A job of the folder that was missed, and that a person is asked about.
#[derive(Debug)]
struct Missed {
    job: Job,
    slot: Timestamp,
}

/// What is to be done now.
#[derive(Debug, PartialEq, Eq)]
pub enum MissedAnswer {
    /// This line, in the session.
    Line(String),
    /// Nothing here: the job fires where the folder's jobs do.
    Elsewhere,
    /// Nothing: the job is gone.
    Gone,
}

impl SessionJobs {
    /// What was missed, the oldest first; nothing if somebody else fires these jobs, who asks then. It blocks, for
    /// the disk.
    ///
    /// # Errors
    /// The jobs cannot be read.
    pub fn missed(&self, now: Timestamp) -> Result<MissedJobs, InputError> {
        if self.project.store().is_firing()? {
            return Ok(MissedJobs::default());
        }
        let mut scheduler = Scheduler::new(self.numbers().clone());
        for record in self.project.jobs()?.records().iter().filter(|record| !record.job.when.is_recurring()) {
            scheduler.set(record.job.clone(), &record.standing, now);
        }
        let asked = scheduler.tick(now, false).into_iter().filter_map(|event| match event {
            Event::Asked { job, slots } => Some(Missed { job: Job::clone(&job), slot: slots.first }),
            _ => None,
        });
        let mut missed: Vec<_> = asked.collect();
        missed.sort_by_key(|missed| missed.slot);
        Ok(MissedJobs(missed.into()))
    }

    /// Does what the person answered, at most once whatever happens: the job is taken away before it is done. It
    /// blocks, for the disk.
    ///
    /// # Errors
    /// The jobs cannot be written.
    fn answered(&self, missed: &Missed, fire: bool) -> Result<MissedAnswer, InputError> {
        let id = missed.job.id;
        // An agent or a manifest is for a run of its own.
        if fire && !matches!(JobAction::of(&missed.job), Ok(JobAction::Model { .. })) {
            let is_there = self.project.change(|jobs| jobs.want(id))?;
            return Ok(if is_there { MissedAnswer::Elsewhere } else { MissedAnswer::Gone });
        }
        let taken = self.project.change(|jobs| jobs.remove(id))?;
        Ok(match taken.filter(|_| fire) {
            Some(record) => MissedAnswer::Line(record.job.prompt),
            None => MissedAnswer::Gone,
        })
    }
}

impl MissedJobs {
    /// The question that is to be asked now, if one is.
    pub fn question(&self, jobs: &SessionJobs, now: Timestamp) -> Option<String> {
        let Missed { job, slot } = self.0.front()?;
        Some(format!(
            "missed {}, {}: {}\n  now? [y]es / [n]o, never / anything else: later",
            until(*slot, now),
            instant(*slot, jobs.zone().rules()),
            job.prompt
        ))
    }

    /// Takes a line for the answer, if it is one to a question; otherwise the questions are for another time. Blocks,
    /// for the disk.
    ///
    /// # Errors
    /// The jobs cannot be written.
    pub fn hear(&mut self, line: &str, jobs: &SessionJobs) -> Result<Option<MissedAnswer>, InputError> {
        let fire = match line.trim().to_lowercase().as_str() {
            "y" | "yes" => true,
            "n" | "no" => false,
            _ => {
                self.0.clear();
                return Ok(None);
            }
        };
        self.0.pop_front().map(|missed| jobs.answered(&missed, fire)).transpose()
    }
}
