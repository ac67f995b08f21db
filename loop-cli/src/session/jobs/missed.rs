//! One-shots whose time came while nobody was here.
//!
//! A reminder for nine o'clock is no use at six in the evening, or it is just what is needed: only the person knows.
//! So they are shown when a session begins, and asked about; without an answer they stay, and are asked about again.

use std::collections::VecDeque;

use jiff::Timestamp;
use loop_schedule::{Event, Job, Scheduler};

use super::SessionJobs;
use crate::{
    schedule::{self, Errand},
    view::text,
};

/// What is still to be asked about, the oldest first.
#[derive(Debug, Default)]
pub(in crate::session) struct Asking(VecDeque<Missed>);

/// A job of the folder that was missed, and that a person is asked about.
#[derive(Debug)]
struct Missed {
    job: Job,
    slot: Timestamp,
}

/// What is to be done now.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::session) enum Wanted {
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
    pub(in crate::session) fn missed(&self, now: Timestamp) -> anyhow::Result<Asking> {
        if self.place.store.is_firing()? {
            return Ok(Asking::default());
        }
        let mut scheduler = Scheduler::new(self.numbers().clone());
        for record in self.place.jobs()?.records().iter().filter(|record| !record.job.when.is_recurring()) {
            scheduler.set(record.job.clone(), &record.standing, now);
        }
        let asked = scheduler.tick(now, false).into_iter().filter_map(|event| match event {
            Event::Asked { job, slots } => Some(Missed { job: Job::clone(&job), slot: slots.first }),
            _ => None,
        });
        let mut missed: Vec<_> = asked.collect();
        missed.sort_by_key(|missed| missed.slot);
        Ok(Asking(missed.into()))
    }

    /// Does what the person answered, at most once whatever happens: the job is taken away before it is done. It
    /// blocks, for the disk.
    ///
    /// # Errors
    /// The jobs cannot be written.
    fn answered(&self, missed: &Missed, fire: bool) -> anyhow::Result<Wanted> {
        let id = missed.job.id;
        // An agent or a manifest is for a run of its own.
        if fire && !matches!(Errand::of(&missed.job), Ok(Errand::Model { .. })) {
            let is_there = self.place.change(|jobs| jobs.want(id))?;
            return Ok(if is_there { Wanted::Elsewhere } else { Wanted::Gone });
        }
        let taken = self.place.change(|jobs| jobs.remove(id))?;
        Ok(match taken.filter(|_| fire) {
            Some(record) => Wanted::Line(record.job.prompt),
            None => Wanted::Gone,
        })
    }
}

impl Asking {
    /// The question that is to be asked now, if one is.
    pub(in crate::session) fn question(&self, jobs: &SessionJobs, now: Timestamp) -> Option<String> {
        let Missed { job, slot } = self.0.front()?;
        Some(format!(
            "missed {}, {}: {}\n  now? [y]es / [n]o, never / anything else: later",
            schedule::until(*slot, now),
            schedule::instant(*slot, jobs.zone()),
            text::printable(&job.prompt)
        ))
    }

    /// Takes a line for the answer, if it is one to a question; otherwise the questions are for another time. Blocks,
    /// for the disk.
    ///
    /// # Errors
    /// The jobs cannot be written.
    pub(in crate::session) fn hear(
        &mut self,
        line: &str,
        jobs: &SessionJobs,
    ) -> anyhow::Result<Option<Wanted>> {
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
