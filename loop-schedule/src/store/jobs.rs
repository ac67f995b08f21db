//! The jobs of a store, and their changes.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::WithWarnings;
use crate::{
    Fire, FireRecord, FireStage, FirstFire, Horizon, Job, JobError, JobId, JobState, ScheduleSettings,
};

/// A job with its state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct JobRecord {
    /// The job.
    #[serde(flatten)]
    pub job: Job,
    /// Its persistent state.
    #[serde(rename = "standing")]
    pub state: JobState,
}

/// A problem of a store that a person should know about.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreWarning {
    /// A job could not be read. It stays in the file, and does not fire.
    #[error("the job {job} does not fire, because it cannot be read: {why}")]
    Unreadable {
        /// Its id, or the value in its place.
        job: String,
        /// The problem.
        why: String,
    },
}

/// All jobs of a store.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Jobs {
    records: Vec<JobRecord>,
    /// Unreadable jobs, unchanged.
    pub(super) unreadable: Vec<Value>,
    /// Other keys, which a later version wrote.
    pub(super) more: Map<String, Value>,
}

impl Jobs {
    /// Creates the jobs of a file, with its other keys.
    pub(super) fn from_values(values: Vec<Value>, more: Map<String, Value>) -> WithWarnings<Self> {
        let (mut jobs, mut warnings) = (Self { more, ..Self::default() }, Vec::new());
        for value in values {
            match JobRecord::deserialize(&value) {
                Ok(record) => jobs.records.push(record),
                Err(error) => {
                    let job = value.get("id").map_or_else(|| "without an id".to_owned(), ToString::to_string);
                    warnings.push(StoreWarning::Unreadable { job, why: error.to_string() });
                    jobs.unreadable.push(value);
                }
            }
        }
        WithWarnings::new(jobs, warnings)
    }

    /// Returns all jobs, in the order in which they were added.
    pub fn records(&self) -> &[JobRecord] {
        &self.records
    }

    /// Returns the jobs for which `keep` returns true, without unreadable ones.
    #[must_use]
    pub fn only(mut self, keep: impl Fn(&Job) -> bool) -> Self {
        self.records.retain(|record| keep(&record.job));
        self.unreadable.clear();
        self
    }

    /// Returns the job with this id.
    pub fn get(&self, id: JobId) -> Option<&JobRecord> {
        self.records.iter().find(|record| record.job.id == id)
    }

    fn get_mut(&mut self, id: JobId) -> Option<&mut JobRecord> {
        self.records.iter_mut().find(|record| record.job.id == id)
    }

    /// Adds a job, if it can be scheduled. Returns its first fire.
    ///
    /// # Errors
    /// [`JobError`] if there are too many, the id is taken, or [`Job::first_fire`] refuses it.
    pub fn add(
        &mut self,
        job: Job,
        settings: &ScheduleSettings,
        reach: Horizon,
        now: Timestamp,
    ) -> Result<FirstFire, JobError> {
        let first = job.first_fire(settings, reach, now)?;
        if self.get(job.id).is_some() {
            return Err(JobError::IdTaken { id: job.id });
        }
        if self.records.len() + self.unreadable.len() >= settings.max_jobs {
            return Err(JobError::TooMany { most: settings.max_jobs });
        }
        let state = JobState::new(now);
        self.records.push(JobRecord { job, state });
        Ok(first)
    }

    /// Removes a job and drops its pending fire.
    pub fn remove(&mut self, id: JobId) -> Option<JobRecord> {
        let at = self.records.iter().position(|record| record.job.id == id)?;
        Some(self.records.remove(at))
    }

    /// Pauses or resumes a job. Slots that passed during the pause do not fire. Returns whether there is such a job.
    pub fn set_paused(&mut self, id: JobId, paused: bool, now: Timestamp) -> bool {
        let Some(record) = self.get_mut(id) else { return false };
        if record.job.paused && !paused {
            record.state.cursor = record.state.cursor.max(now);
        }
        record.job.paused = paused;
        true
    }

    /// Fires a job as soon as a delivery is free. Returns whether there is such a job.
    pub fn request_fire(&mut self, id: JobId) -> bool {
        self.change(id, |record| {
            record.state.is_wanted = true;
            true
        })
    }

    /// Claims a fire, so that no other process delivers it. Returns whether it may be delivered: not if the job is gone
    /// or paused, or another process claimed it first.
    pub fn claim(&mut self, fire: &Fire, now: Timestamp) -> bool {
        self.change(fire.job.id, |record| {
            let may = !record.job.paused || fire.slots.is_none();
            may && record.state.claim(fire, now)
        })
    }

    /// Records that a claimed fire is delivered. Returns whether that is allowed: not if the job is gone.
    pub fn started(&mut self, id: JobId, number: u64, now: Timestamp) -> bool {
        self.note(id, number, |fire| fire.started_at = Some(now))
    }

    /// Records that a fire's run is over. If the job is over after it, this removes the job.
    pub fn finished(&mut self, id: JobId, number: u64, now: Timestamp) -> bool {
        self.close(id, number, |fire| fire.finished_at = Some(now))
    }

    /// Records that no process works on a fire any more, though it has not finished. If the job is over after it, this
    /// removes the job.
    pub fn lost(&mut self, id: JobId, number: u64, now: Timestamp) -> bool {
        self.close(id, number, |fire| fire.lost_at = Some(now))
    }

    /// Removes a job that has no more slots, unless its last fire is still open.
    pub fn ended(&mut self, id: JobId) -> bool {
        let is_open = self.open_fires().any(|(record, _)| record.job.id == id);
        let is_over = |record: &JobRecord| {
            record.state.is_over || record.job.trigger.next_after(record.state.cursor).is_none()
        };
        !is_open && self.get(id).is_some_and(is_over) && self.remove(id).is_some()
    }

    /// Returns the open fires: claimed, and neither finished nor known to be lost.
    pub fn open_fires(&self) -> impl Iterator<Item = (&JobRecord, &FireRecord)> {
        let is_open = |fire: &&FireRecord| matches!(fire.stage(), FireStage::Claimed | FireStage::Started);
        self.records
            .iter()
            .filter_map(move |record| Some((record, record.state.last_fire.as_ref().filter(is_open)?)))
    }

    /// Settles the slots that were dropped.
    pub fn settle(&mut self, id: JobId, until: Timestamp) -> bool {
        self.change(id, |record| {
            record.state.cursor = record.state.cursor.max(until);
            true
        })
    }

    fn change(&mut self, id: JobId, change: impl FnOnce(&mut JobRecord) -> bool) -> bool {
        self.get_mut(id).is_some_and(change)
    }

    fn close(&mut self, id: JobId, number: u64, close: impl FnOnce(&mut FireRecord)) -> bool {
        let is_closed = self.note(id, number, close);
        if is_closed && self.get(id).is_some_and(|record| record.state.is_over) {
            self.remove(id);
        }
        is_closed
    }

    fn note(&mut self, id: JobId, number: u64, note: impl FnOnce(&mut FireRecord)) -> bool {
        self.change(id, |record| {
            let fire = record.state.last_fire.as_mut().filter(|fire| fire.number == number);
            fire.map(note).is_some()
        })
    }
}
