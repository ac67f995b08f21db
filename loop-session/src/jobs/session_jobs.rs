//! The jobs of a session.

use std::sync::Arc;

use jiff::Timestamp;
use loop_schedule::{
    DISABLE_VARIABLE, Expiry, FirstFire, Horizon, Job, JobAction, JobId, JobRecord, MemoryStore, ProjectJobs,
    ScheduleSettings, Trigger, Zone, ZoneError,
};
use loop_telemetry::words::until;

use super::confirmation::{AddedAs, JobConfirmation, when};
use crate::{error::InputError, host::SessionHost};

/// The metadata key that names a job's creator, if that was not a person.
const MADE_BY: &str = "made_by";
const MODEL: &str = "model";

/// The jobs of a session. Clones share the jobs.
#[derive(Debug, Clone)]
pub struct SessionJobs {
    pub(super) store: MemoryStore,
    /// The jobs of the folder, which outlive the session.
    pub(super) project: Arc<ProjectJobs>,
    /// The time zone for cron expressions.
    zone: Zone,
    pub(super) host: SessionHost,
    /// True if a variable stops all jobs of this process.
    pub(super) is_disabled: bool,
}

/// A job that was added.
#[derive(Debug, Clone)]
pub(crate) struct AddedJob {
    pub(super) job: Job,
    first: FirstFire,
    /// True if the job outlives the session.
    durable: bool,
    /// A warning about the job, if there is one.
    warning: Option<&'static str>,
}

impl SessionJobs {
    /// Creates an empty job list beside the folder's stored jobs, in this machine's time zone.
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

    /// Returns the time zone of the jobs.
    pub(crate) const fn zone(&self) -> &Zone {
        &self.zone
    }

    /// Returns the jobs of the folder, which outlive the session.
    pub fn project(&self) -> &ProjectJobs {
        &self.project
    }

    /// Returns the numeric settings for jobs.
    pub(crate) fn settings(&self) -> &ScheduleSettings {
        self.project.settings()
    }

    /// Adds a job that ends with the session.
    ///
    /// # Errors
    /// Fails if the job never fires or not soon, the prompt is too long, there are too many jobs, or all jobs are
    /// switched off.
    pub(crate) fn add(&self, trigger: Trigger, prompt: &str, expiry: Expiry) -> Result<AddedJob, InputError> {
        self.fires()?;
        let now = self.host.now();
        let mut job = Job::new(JobId::random(), trigger, prompt, now).expires(expiry);
        let first = self
            .store
            .update(|jobs| jobs.add_under_free_id(&mut job, self.settings(), Horizon::Year, now))?;
        Ok(AddedJob { job, first, durable: false, warning: None })
    }

    /// Adds a job for the model that ends with the session.
    ///
    /// # Errors
    /// As for [`add`](Self::add).
    pub(super) fn add_for_model(&self, trigger: Trigger, prompt: &str) -> Result<AddedJob, InputError> {
        let expiry = expiry_for_model(&trigger);
        self.add(trigger, prompt, expiry)
    }

    /// Describes a job of the model that is not added yet: its schedule, its next fire and its expiry. `None` if it
    /// cannot be added.
    pub(super) fn preview(&self, trigger: Trigger, prompt: &str) -> Option<Vec<String>> {
        let (now, expiry) = (self.host.now(), expiry_for_model(&trigger));
        let job = Job::new(JobId::random(), trigger, prompt, now).expires(expiry);
        let first = job.first_fire(self.settings(), Horizon::Year, now).ok()?;
        let (settings, zone) = (self.settings(), &self.zone);
        let planned =
            JobConfirmation { job: &job, first, added: None, expiry_flag: None, settings, zone, now };
        Some(planned.lines(|value| self.host.one_line(value)))
    }

    /// Confirms a job that was added: its prompt, its schedule, its expiry, and the command that deletes it.
    pub(crate) fn confirmation(&self, added: &AddedJob) -> String {
        let AddedJob { job, first, durable, warning } = added;
        let kept = match durable {
            true => AddedAs {
                by: "the model of the settings, while `loop schedule run` or a session works in this folder",
                delete: "loop schedule delete",
            },
            false => AddedAs { by: "this session; the job ends with it", delete: "/schedule delete" },
        };
        let confirmation = JobConfirmation {
            job,
            first: *first,
            added: Some(kept),
            expiry_flag: None,
            settings: self.settings(),
            zone: &self.zone,
            now: self.host.now(),
        };
        let mut lines = vec![format!("{} {}", job.id, self.host.one_line(&job.prompt))];
        lines.extend(confirmation.lines(|value| self.host.one_line(value)));
        lines.extend(warning.iter().map(|warning| format!("warning: {warning}")));
        lines.join("\n")
    }

    /// Fails if this session fires no jobs.
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

    /// Adds a job that outlives the session. The model of the settings carries it out, in separate runs. Blocks on the
    /// disk.
    ///
    /// # Errors
    /// As for [`add`](Self::add); also fails if the store cannot be written.
    pub(crate) fn add_durable(&self, trigger: Trigger, prompt: &str) -> Result<AddedJob, InputError> {
        let now = self.host.now();
        let expiry = expiry_for_model(&trigger);
        let mut job = Job::new(JobId::random(), trigger, prompt, now).expires(expiry);
        JobAction::Model { model: None, max_seconds: JobAction::MAX_TIME.as_secs() }.store_in(&mut job);
        job.more.insert(MADE_BY.to_owned(), MODEL.into());
        let secrets = self.host.secrets();
        let warning = job.redact_prompt(|text| secrets.redact(text))?;
        let first = self
            .project
            .change(|jobs| jobs.add_under_free_id(&mut job, self.settings(), Horizon::Year, now))??;
        Ok(AddedJob { job, first, durable: true, warning })
    }

    /// Returns how many jobs end with the session.
    pub(crate) fn count(&self) -> usize {
        self.store.read().records().len()
    }

    /// Returns the jobs of the session in insertion order.
    fn records(&self) -> Vec<JobRecord> {
        self.store.read().records().to_vec()
    }

    /// Deletes a job of either kind, so that it never fires again. Returns whether it existed. Blocks on the disk.
    ///
    /// # Errors
    /// The store cannot be written.
    pub(crate) fn delete(&self, id: JobId) -> Result<bool, InputError> {
        let is_ours = self.store.update(|jobs| jobs.remove(id)).is_some();
        Ok(is_ours || self.project.change(|jobs| jobs.remove(id))?.is_some())
    }

    /// Deletes a job for the model, which may not delete a person's stored job. Blocks on the disk.
    ///
    /// # Errors
    /// The job belongs to a person, or the store cannot be written.
    pub(crate) fn delete_for_model(&self, id: JobId) -> Result<bool, InputError> {
        let jobs = self.project.jobs()?;
        let made_by = jobs.get(id).map(|record| record.job.more.get(MADE_BY).cloned());
        match made_by {
            Some(by) if by != Some(MODEL.into()) => Err(InputError::refused(format!(
                "the job {id} belongs to a person: only they can remove it, with `loop schedule delete {id}`"
            ))),
            _ => self.delete(id),
        }
    }

    /// Changes a job of the session. Returns whether it exists.
    pub(crate) fn change(&self, change: JobChange, id: JobId) -> bool {
        let now = self.host.now();
        self.store.update(|jobs| match change {
            JobChange::Pause => jobs.set_paused(id, true, now),
            JobChange::Resume => jobs.set_paused(id, false, now),
            JobChange::Fire => jobs.request_fire(id),
        })
    }

    /// Lists all jobs, one per line, both of the session and durable. Blocks on the disk.
    ///
    /// # Errors
    /// The durable jobs cannot be read.
    pub(crate) fn page(&self, now: Timestamp) -> Result<String, InputError> {
        let lines =
            |records: &[JobRecord]| records.iter().map(|record| self.line(record, now)).collect::<Vec<_>>();
        let (ours, kept) = (lines(&self.records()), lines(self.project.jobs()?.records()));
        let mut page =
            if ours.is_empty() { vec!["nothing is scheduled in this session".to_owned()] } else { ours };
        if !kept.is_empty() {
            page.push(
                "stored in this folder, and fired by `loop schedule run` or a session here:".to_owned(),
            );
            page.extend(kept);
        }
        Ok(page.join("\n"))
    }

    /// Describes a job in one line: its id, its schedule and its prompt.
    fn line(&self, record: &JobRecord, now: Timestamp) -> String {
        let JobRecord { job, .. } = record;
        let due = record.status(self.settings(), now).and_then(|status| status.due);
        let next = match due {
            _ if job.paused => "paused".to_owned(),
            Some(due) => until(due, now),
            None => "now".to_owned(),
        };
        let when = match &job.trigger {
            Trigger::At { .. } => when(&job.trigger, &self.zone),
            trigger => trigger.describe(),
        };
        format!("{}  {when}, {next}: {}", job.id, self.host.one_line(&job.prompt))
    }
}

/// A change to a job of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JobChange {
    Pause,
    Resume,
    Fire,
}

/// Returns when a job of the model expires. The model writes intervals as expressions, which expire like intervals.
fn expiry_for_model(trigger: &Trigger) -> Expiry {
    match trigger {
        Trigger::Cron { expression, .. } if !expression.is_interval() => Expiry::Never,
        _ => Expiry::Settings,
    }
}
