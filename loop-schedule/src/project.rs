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
    FileStore, FirstFire, Job, JobError, JobId, Jobs, OffSwitch, Reach, Record, Scheduler, Settings, Status,
    StoreError,
};

/// The variable that stops all jobs in the processes that have it, unless it is empty or `0`.
pub const DISABLE_VARIABLE: &str = "LOOP_DISABLE_SCHEDULE";

/// Returns whether this value of [`DISABLE_VARIABLE`] stops all jobs.
pub fn is_disabled(value: Option<&OsStr>) -> bool {
    value.is_some_and(|value| !value.is_empty() && value != "0")
}

/// The jobs of one folder: where they are stored, the settings that hold for them, and the switch that stops them.
///
/// Methods block, for the disk.
pub struct ProjectJobs {
    dir: PathBuf,
    store: FileStore,
    off: OffSwitch,
    settings: Settings,
    on_warning: Box<dyn Fn(&str) + Send + Sync>,
    /// The warnings about stored files that were given.
    warned: Mutex<HashSet<String>>,
}

impl ProjectJobs {
    /// Names the jobs of the folder `dir`. `schedules` is the folder in which all schedules are kept, and `redact` takes
    /// secrets out of the path of `dir`, which is stored.
    ///
    /// # Errors
    /// The folder of the schedule cannot be used.
    pub fn open(
        schedules: &Path,
        dir: PathBuf,
        settings: Settings,
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

    /// Hears each warning about a stored file once, however often the file is read. Default: nobody hears them.
    #[must_use]
    pub fn on_warning(self, listener: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { on_warning: Box::new(listener), ..self }
    }

    /// The folder in which the jobs work.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The store of the jobs.
    pub const fn store(&self) -> &FileStore {
        &self.store
    }

    /// The switch that stops all jobs of this machine.
    pub const fn off_switch(&self) -> &OffSwitch {
        &self.off
    }

    /// The settings that hold for the jobs.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Reads the jobs, and gives the warnings about their file.
    ///
    /// # Errors
    /// The jobs cannot be read.
    pub fn jobs(&self) -> Result<Jobs, StoreError> {
        Ok(self.store.read()?.report(|warning| self.warn(&warning.to_string())))
    }

    /// Changes the jobs, and gives the warnings about their file.
    ///
    /// # Errors
    /// The jobs cannot be read or written.
    pub fn change<T>(&self, change: impl FnOnce(&mut Jobs) -> T) -> Result<T, StoreError> {
        Ok(self.store.update(change)?.report(|warning| self.warn(&warning.to_string())))
    }

    /// Gives a warning about a stored file, unless it was given.
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
    /// [Adds](Self::add) a job, under another id if its own is taken.
    ///
    /// # Errors
    /// As [`add`](Self::add), but for a taken id.
    pub fn add_under_free_id(
        &mut self,
        job: &mut Job,
        settings: &Settings,
        reach: Reach,
        now: Timestamp,
    ) -> Result<FirstFire, JobError> {
        while self.get(job.id).is_some() {
            job.id = JobId::random();
        }
        self.add(job.clone(), settings, reach, now)
    }
}

impl Record {
    /// Returns the state of the job now, and when it fires next; `None` if it never does again.
    pub fn status(&self, settings: &Settings, now: Timestamp) -> Option<Status> {
        let mut scheduler = Scheduler::new(settings.clone());
        scheduler.set(self.job.clone(), &self.standing, now);
        scheduler.status(self.job.id)
    }
}
