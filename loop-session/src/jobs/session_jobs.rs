//! The jobs of a session.

use std::sync::Arc;

use jiff::Timestamp;
use loop_schedule::{
    DISABLE_VARIABLE, FirstFire, Job, JobAction, JobId, MemoryStore, ProjectJobs, Reach, Record, Settings,
    When, Zone, ZoneError,
};
use loop_telemetry::words::{instant, until};

use crate::{error::InputError, host::SessionHost};

/// The key under which a job says who made it, if that was not a person.
const MADE_BY: &str = "made_by";
const MODEL: &str = "model";

/// The jobs of a session. Clones are the same.
#[derive(Debug, Clone)]
pub struct SessionJobs {
    pub(super) store: MemoryStore,
    /// The jobs of the folder, which outlive the session.
    pub(super) project: Arc<ProjectJobs>,
    /// The time zone of cron expressions.
    zone: Zone,
    pub(super) host: SessionHost,
    /// Whether a variable stops all jobs of this process.
    pub(super) is_disabled: bool,
}

/// A job that was added.
#[derive(Debug, Clone)]
pub(crate) struct AddedJob {
    pub(super) job: Job,
    first: FirstFire,
    /// It outlives the session.
    durable: bool,
    /// What is odd about it.
    warning: Option<&'static str>,
}

impl SessionJobs {
    /// Begins without jobs, in a folder whose other jobs are these, by this machine's clock.
    ///
    /// # Errors
    /// The machine's time zone has no name.
    pub(crate) fn new(project: ProjectJobs, host: SessionHost) -> Result<Self, ZoneError> {
        let zone = Zone::of_system()?;
        Ok(Self { store: MemoryStore::new(), project: Arc::new(project), zone, host, is_disabled: false })
    }

    /// Sets whether a variable stops all jobs of this process.
    pub(crate) fn disabled(self, is_disabled: bool) -> Self {
        Self { is_disabled, ..self }
    }

    /// Whose clock holds.
    pub(crate) const fn zone(&self) -> &Zone {
        &self.zone
    }

    /// The numbers that hold for jobs.
    pub(crate) fn numbers(&self) -> &Settings {
        self.project.settings()
    }

    /// Adds a job that ends with the session.
    ///
    /// # Errors
    /// It never fires, or not soon; it is too long; there are too many; all jobs are switched off.
    pub(crate) fn add(&self, when: When, prompt: &str) -> Result<AddedJob, InputError> {
        self.fires()?;
        let now = self.host.now();
        let mut job = Job::new(JobId::random(), when, prompt, now);
        let first =
            self.store.update(|jobs| jobs.add_under_free_id(&mut job, self.numbers(), Reach::Year, now))?;
        Ok(AddedJob { job, first, durable: false, warning: None })
    }

    /// Whether anything fires here.
    fn fires(&self) -> Result<(), InputError> {
        if self.is_disabled {
            return Err(InputError::refused(format!("nothing fires here: {DISABLE_VARIABLE} is set")));
        }
        match self.project.off_switch().is_off() {
            true => Err(InputError::refused(
                "nothing fires on this machine: `loop schedule on` lets jobs fire again",
            )),
            false => Ok(()),
        }
    }

    /// Adds a job that outlives the session: the model of the settings does it, in runs of its own. It blocks, for the
    /// disk.
    ///
    /// # Errors
    /// As [`add`](Self::add), and the store cannot be written.
    pub(crate) fn add_durable(&self, when: When, prompt: &str) -> Result<AddedJob, InputError> {
        let now = self.host.now();
        let mut job = Job::new(JobId::random(), when, prompt, now);
        JobAction::Model { model: None, max_seconds: JobAction::MAX_TIME.as_secs() }.give_to(&mut job);
        job.more.insert(MADE_BY.to_owned(), MODEL.into());
        let secrets = self.host.secrets();
        let warning = job.redact_prompt(|text| secrets.redact(text))?;
        let first = self
            .project
            .change(|jobs| jobs.add_under_free_id(&mut job, self.numbers(), Reach::Year, now))??;
        Ok(AddedJob { job, first, durable: true, warning })
    }

    /// The jobs of the session, in the order in which they were added.
    fn records(&self) -> Vec<Record> {
        self.store.read().records().to_vec()
    }

    /// Removes a job of either kind: it never fires again. Says whether there was one. It blocks, for the disk.
    ///
    /// # Errors
    /// The store cannot be written.
    pub(crate) fn delete(&self, id: JobId) -> Result<bool, InputError> {
        let is_ours = self.store.update(|jobs| jobs.remove(id)).is_some();
        Ok(is_ours || self.project.change(|jobs| jobs.remove(id))?.is_some())
    }

    /// Does the same for the model: a job that a person keeps in the folder is theirs. It blocks, for the disk.
    ///
    /// # Errors
    /// The job is a person's, or the store cannot be written.
    pub(crate) fn delete_for_model(&self, id: JobId) -> Result<bool, InputError> {
        let jobs = self.project.jobs()?;
        let made_by = jobs.get(id).map(|record| record.job.more.get(MADE_BY).cloned());
        match made_by {
            Some(by) if by != Some(MODEL.into()) => Err(InputError::refused(format!(
                "the job {id} is a person's: `loop schedule delete {id}` removes it, which is for them to type"
            ))),
            _ => self.delete(id),
        }
    }

    /// Changes a job of the session; says whether there is one.
    pub(crate) fn change(&self, change: JobChange, id: JobId) -> bool {
        let now = self.host.now();
        self.store.update(|jobs| match change {
            JobChange::Pause => jobs.set_paused(id, true, now),
            JobChange::Resume => jobs.set_paused(id, false, now),
            JobChange::Fire => jobs.want(id),
        })
    }

    /// All jobs, a line each: those of the session, and those that outlive it. It blocks, for the disk.
    ///
    /// # Errors
    /// Those that outlive it cannot be read.
    pub(crate) fn page(&self, now: Timestamp) -> Result<String, InputError> {
        let lines =
            |records: &[Record]| records.iter().map(|record| self.line(record, now)).collect::<Vec<_>>();
        let (ours, kept) = (lines(&self.records()), lines(self.project.jobs()?.records()));
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
        let due = record.status(self.numbers(), now).and_then(|status| status.due);
        let next = match due {
            _ if job.paused => "paused".to_owned(),
            Some(due) => until(due, now),
            None => "now".to_owned(),
        };
        format!("{}  {}, {next}: {}", job.id, job.when.describe(), self.host.one_line(&job.prompt))
    }
}

/// What can be done to a job of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JobChange {
    Pause,
    Resume,
    Fire,
}

impl AddedJob {
    /// What was added, when it fires, and until when.
    pub(crate) fn text(&self, zone: &Zone, now: Timestamp) -> String {
        let Self { job, first, durable, warning } = self;
        let life = if *durable {
            "it is kept, and fires while `loop schedule run` works in this folder"
        } else {
            "it ends with this session"
        };
        let due = instant(first.due, zone.rules());
        let distance = until(first.due, now);
        let warning = warning.iter().map(|warning| format!("\nwarning: {warning}")).collect::<String>();
        format!("{}  {}, next {due}, {distance}; {life}{warning}", job.id, job.when.describe())
    }
}
