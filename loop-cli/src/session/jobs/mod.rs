//! Prompts of a session that fire by the clock.
//!
//! Whoever types `/every 10m look at the build` wants it to stop when they close the window, and never to find it in
//! the middle of a reply. So such a job lives in memory, as long as its session, and fires between two turns; what is
//! to outlive the session is said to be, and is kept with the jobs of `loop schedule`.
//!
//! | what | where |
//! | --- | --- |
//! | who asks for jobs | `session/command/{every,schedule}.rs`, and for the model `tools/` |
//! | what is due comes between two lines | `clockwork.rs` |
//! | what was missed while nobody was here | `missed.rs` |

mod clockwork;
mod missed;
#[cfg(test)]
mod tests;
mod tools;

use std::sync::Arc;

use anyhow::anyhow;
use jiff::Timestamp;
use loop_schedule::{FirstFire, Job, JobId, MemoryStore, Reach, Record, Settings, When, Zone};

pub(super) use self::{
    clockwork::{Clockwork, Due},
    missed::{Asking, Wanted},
    tools::with_tools,
};
use crate::{
    clock,
    schedule::{self, Errand, SchedulePlace},
    view::text,
};

/// The key under which a job says who made it, if that was not a person.
const MADE_BY: &str = "made_by";
const MODEL: &str = "model";

/// The jobs of a session. Clones are the same.
#[derive(Debug, Clone)]
pub(super) struct SessionJobs {
    store: MemoryStore,
    /// Where jobs are that outlive the session.
    place: Arc<SchedulePlace>,
    /// Whose clock.
    zone: Zone,
}

/// A job that was added.
#[derive(Debug, Clone)]
pub(super) struct Added {
    job: Job,
    first: FirstFire,
    /// It outlives the session.
    durable: bool,
    /// What is odd about it.
    warning: Option<String>,
}

impl SessionJobs {
    /// None yet, in a folder whose other jobs are here, by this machine's clock.
    ///
    /// # Errors
    /// The machine's time zone cannot be told.
    pub(super) fn new(place: SchedulePlace) -> anyhow::Result<Self> {
        Ok(Self { store: MemoryStore::new(), place: Arc::new(place), zone: schedule::zone(None)? })
    }

    /// Whose clock holds.
    pub(super) const fn zone(&self) -> &Zone {
        &self.zone
    }

    /// The numbers that hold for jobs.
    pub(super) fn numbers(&self) -> &Settings {
        &self.place.numbers
    }

    /// Adds a job that ends with the session.
    ///
    /// # Errors
    /// It never fires, or not soon; it is too long; there are too many; all jobs are switched off.
    pub(super) fn add(&self, when: When, prompt: &str) -> anyhow::Result<Added> {
        self.fires()?;
        let now = clock::now();
        let mut job = Job::new(schedule::draw(), when, prompt, now);
        let first =
            self.store.update(|jobs| schedule::enlist(jobs, &mut job, self.numbers(), Reach::Year, now))?;
        Ok(Added { job, first, durable: false, warning: None })
    }

    /// Whether anything fires here.
    fn fires(&self) -> anyhow::Result<()> {
        if schedule::is_disabled() {
            return Err(anyhow!("nothing fires here: {} is set", schedule::DISABLE));
        }
        match self.place.off.is_off() {
            true => Err(anyhow!("nothing fires on this machine: `loop schedule on` lets jobs fire again")),
            false => Ok(()),
        }
    }

    /// Adds a job that outlives the session: the model of the settings does it, in runs of its own. It blocks, for the
    /// disk.
    ///
    /// # Errors
    /// As [`add`](Self::add), and the store cannot be written.
    pub(super) fn add_durable(&self, when: When, prompt: &str) -> anyhow::Result<Added> {
        let now = clock::now();
        let mut job = Job::new(schedule::draw(), when, prompt, now);
        Errand::Model { model: None, max_seconds: Errand::MAX_TIME.as_secs() }.give_to(&mut job);
        job.more.insert(MADE_BY.to_owned(), MODEL.into());
        let warning = schedule::conceal(&mut job)?;
        let enlist = |jobs: &mut _| schedule::enlist(jobs, &mut job, self.numbers(), Reach::Year, now);
        let first = self.place.change(enlist)??;
        Ok(Added { job, first, durable: true, warning })
    }

    /// The jobs of the session, in the order in which they were added.
    fn records(&self) -> Vec<Record> {
        self.store.read().records().to_vec()
    }

    /// Removes a job of either kind: it never fires again. Says whether there was one. It blocks, for the disk.
    ///
    /// # Errors
    /// The store cannot be written.
    pub(super) fn delete(&self, id: JobId) -> anyhow::Result<bool> {
        let is_ours = self.store.update(|jobs| jobs.remove(id)).is_some();
        Ok(is_ours || self.place.change(|jobs| jobs.remove(id))?.is_some())
    }

    /// Does the same for the model: a job that a person keeps in the folder is theirs. It blocks, for the disk.
    ///
    /// # Errors
    /// The job is a person's, or the store cannot be written.
    pub(super) fn delete_for_model(&self, id: JobId) -> anyhow::Result<bool> {
        let jobs = self.place.jobs()?;
        let made_by = jobs.get(id).map(|record| record.job.more.get(MADE_BY).cloned());
        match made_by {
            Some(by) if by != Some(MODEL.into()) => Err(anyhow!(
                "the job {id} is a person's: `loop schedule delete {id}` removes it, which is for them to type"
            )),
            _ => self.delete(id),
        }
    }

    /// Changes a job of the session; says whether there is one.
    pub(super) fn change(&self, change: Change, id: JobId) -> bool {
        let now = clock::now();
        self.store.update(|jobs| match change {
            Change::Pause => jobs.set_paused(id, true, now),
            Change::Resume => jobs.set_paused(id, false, now),
            Change::Fire => jobs.want(id),
        })
    }

    /// All jobs, a line each: those of the session, and those that outlive it. It blocks, for the disk.
    ///
    /// # Errors
    /// Those that outlive it cannot be read.
    pub(super) fn page(&self, now: Timestamp) -> anyhow::Result<String> {
        let lines =
            |records: &[Record]| records.iter().map(|record| self.line(record, now)).collect::<Vec<_>>();
        let (ours, kept) = (lines(&self.records()), lines(self.place.jobs()?.records()));
        let mut page =
            if ours.is_empty() { vec!["nothing is scheduled in this session".to_owned()] } else { ours };
        if !kept.is_empty() {
            page.push("kept in this folder, and fired by `loop schedule run`:".to_owned());
            page.extend(kept);
        }
        Ok(page.join("\n"))
    }

    /// A line about a job: its id, when it fires, and what.
    fn line(&self, record: &Record, now: Timestamp) -> String {
        let Record { job, .. } = record;
        let due = schedule::status(record, self.numbers(), now).and_then(|status| status.due);
        let next = match due {
            _ if job.paused => "paused".to_owned(),
            Some(due) => schedule::until(due, now),
            None => "now".to_owned(),
        };
        format!("{}  {}, {next}: {}", job.id, job.when.describe(), text::one_line(&job.prompt))
    }
}

/// What can be done to a job of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Pause,
    Resume,
    Fire,
}

impl Added {
    /// What was added, when it fires, and until when.
    pub(super) fn text(&self, zone: &Zone, now: Timestamp) -> String {
        let Self { job, first, durable, warning } = self;
        let life = if *durable {
            "it is kept, and fires while `loop schedule run` works in this folder"
        } else {
            "it ends with this session"
        };
        let due = schedule::instant(first.due, zone);
        let until = schedule::until(first.due, now);
        let warning = warning.iter().map(|warning| format!("\nwarning: {warning}")).collect::<String>();
        format!("{}  {}, next {due}, {until}; {life}{warning}", job.id, job.when.describe())
    }
}
