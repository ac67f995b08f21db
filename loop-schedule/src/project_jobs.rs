//! The jobs of one folder.

use std::{
    collections::HashSet,
    ffi::OsStr,
    fmt,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use jiff::Timestamp;

use crate::{
    FileStore, FirstFire, Horizon, Job, JobError, JobId, JobRecord, JobStatus, Jobs, OffSwitch,
    ScheduleSettings, Scheduler, StoreError,
};

/// The variable that stops all jobs in every process that has it, unless its value is empty or `0`.
pub const DISABLE_VARIABLE: &str = "LOOP_DISABLE_SCHEDULE";

/// Returns whether this value of [`DISABLE_VARIABLE`] stops all jobs.
pub fn is_disabled(value: Option<&OsStr>) -> bool {
    value.is_some_and(|value| !value.is_empty() && value != "0")
}

/// The jobs of one folder: their store, their settings, and the switch that stops them.
///
/// Methods block, for the disk.
pub struct ProjectJobs {
    dir: PathBuf,
    store: FileStore,
    off: OffSwitch,
    settings: ScheduleSettings,
    on_warning: Box<dyn Fn(&str) + Send + Sync>,
    /// The warnings about stored files that were already reported.
    warned: Mutex<HashSet<String>>,
}

impl ProjectJobs {
    /// Opens the jobs of the folder `dir`. `schedules` is the folder of all schedules. `redact` removes secrets from
    /// the path of `dir`, which the store contains.
    ///
    /// # Errors
    /// If the folder of the schedule cannot be used.
    pub fn open(
        schedules: &Path,
        dir: PathBuf,
        settings: ScheduleSettings,
        redact: impl Fn(&str) -> String,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            store: FileStore::for_project_shown(schedules, &dir, redact)?,
            off: OffSwitch::in_folder(schedules),
            dir,
            settings,
            on_warning: Box::new(|_| ()),
            warned: Mutex::default(),
        })
    }

    /// Sets the function that receives each warning about a stored file once, however often the file is read. Default:
    /// none.
    #[must_use]
    pub fn on_warning(self, listener: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { on_warning: Box::new(listener), ..self }
    }

    /// Returns the folder in which the jobs work.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the store of the jobs.
    pub const fn store(&self) -> &FileStore {
        &self.store
    }

    /// Returns the switch that stops all of the user's jobs on this machine.
    pub const fn off_switch(&self) -> &OffSwitch {
        &self.off
    }

    /// Returns the settings of the jobs.
    pub const fn settings(&self) -> &ScheduleSettings {
        &self.settings
    }

    /// Reads the jobs, and reports the warnings about their file.
    ///
    /// # Errors
    /// If the jobs cannot be read.
    pub fn jobs(&self) -> Result<Jobs, StoreError> {
        Ok(self.store.read()?.report(|warning| self.warn(&warning.to_string())))
    }

    /// Changes the jobs, and reports the warnings about their file.
    ///
    /// # Errors
    /// If the jobs cannot be read or written.
    pub fn change<T>(&self, change: impl FnOnce(&mut Jobs) -> T) -> Result<T, StoreError> {
        Ok(self.store.update(change)?.report(|warning| self.warn(&warning.to_string())))
    }

    /// Reports a warning about a stored file, unless it was reported before.
    pub fn warn(&self, warning: &str) {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if warned.insert(warning.to_owned()) {
            (self.on_warning)(warning);
        }
    }
}

impl fmt::Debug for ProjectJobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProjectJobs").field("dir", &self.dir).finish_non_exhaustive()
    }
}

impl Jobs {
    /// [Adds](Self::add) a job, with another id if its own is taken.
    ///
    /// # Errors
    /// As [`add`](Self::add), except for a taken id.
    pub fn add_under_free_id(
        &mut self,
        job: &mut Job,
        settings: &ScheduleSettings,
        reach: Horizon,
        now: Timestamp,
    ) -> Result<FirstFire, JobError> {
        while self.get(job.id).is_some() {
            job.id = JobId::random();
        }
        self.add(job.clone(), settings, reach, now)
    }
}

impl JobRecord {
    /// Returns the current state of the job and its next fire. Returns `None` if it never fires again.
    pub fn status(&self, settings: &ScheduleSettings, now: Timestamp) -> Option<JobStatus> {
        let mut scheduler = Scheduler::new(settings.clone());
        scheduler.set(self.job.clone(), &self.state, now);
        scheduler.status(self.job.id)
    }
}
