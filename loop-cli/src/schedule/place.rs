//! Which folder's jobs are meant, and where they are kept.

use std::{
    collections::HashSet,
    env,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use loop_schedule::{FileStore, JobId, Jobs, Record, Settings};
use loop_telemetry::{NoStateDir, RunStore, StateDir};

use super::{Fired, History, OffSwitch};
use crate::command::{Failure, usage};
use crate::view;

/// A folder, and what is kept of its jobs.
#[derive(Debug)]
pub(crate) struct SchedulePlace {
    /// The folder in which the jobs work.
    pub(crate) dir: PathBuf,
    /// The jobs.
    pub(crate) store: FileStore,
    /// What stops all jobs of this machine.
    pub(crate) off: OffSwitch,
    /// The runs of the state directory.
    pub(crate) runs: RunStore,
    /// The numbers that hold for these jobs.
    pub(crate) numbers: Settings,
    /// The warnings about stored files that were printed.
    pub(crate) told: Mutex<HashSet<String>>,
}

impl SchedulePlace {
    /// The jobs of this folder.
    ///
    /// # Errors
    /// There is no place for state.
    pub(crate) fn of(dir: PathBuf, numbers: Settings) -> Result<Self, Failure> {
        let (schedules, state) = (schedules()?, state()?);
        let show = |path: &str| view::secrets().redact(path).into_owned();
        let store = FileStore::for_project_shown(&schedules, &dir, show)?;
        let (off, runs) = (
            OffSwitch::in_folder(&schedules),
            RunStore::at(state.runs(), |warning| view::warning(&warning.to_string())),
        );
        Ok(Self { dir, store, off, runs, numbers, told: Mutex::default() })
    }

    /// What became of the jobs' fires.
    pub(super) fn history(&self) -> History {
        History::in_folder(self.store.folder())
    }

    /// The jobs. What is odd about their file is told.
    ///
    /// # Errors
    /// They cannot be read.
    pub(crate) fn jobs(&self) -> Result<Jobs, Failure> {
        Ok(self.store.read()?.report(|warning| self.warn(&warning.to_string())))
    }

    /// Changes the jobs. What is odd about their file is told.
    ///
    /// # Errors
    /// They cannot be read or written.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Jobs) -> T) -> Result<T, Failure> {
        Ok(self.store.update(change)?.report(|warning| self.warn(&warning.to_string())))
    }

    /// Prints a warning about a stored file, once however often that is read.
    pub(super) fn warn(&self, warning: &str) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.insert(warning.to_owned()) {
            view::warning(warning);
        }
    }

    /// The fires of one job that are kept, the oldest first.
    ///
    /// # Errors
    /// They cannot be read.
    pub(crate) fn fires_of(&self, id: JobId) -> Result<Vec<Fired>, Failure> {
        let fires = self.history().read()?.report(|warning| self.warn(&warning));
        Ok(fires.into_iter().filter(|fired| fired.job == id).collect())
    }
}

/// The switch that stops all jobs of this machine.
///
/// # Errors
/// There is no place for state.
pub(crate) fn off_switch() -> Result<OffSwitch, Failure> {
    Ok(OffSwitch::in_folder(&schedules()?))
}

/// The folder of all schedules.
fn schedules() -> Result<PathBuf, NoStateDir> {
    Ok(state()?.path().join("schedule"))
}

fn state() -> Result<StateDir, NoStateDir> {
    StateDir::from_env_with(|name| env::var_os(name))
}

/// One of these jobs.
///
/// # Errors
/// There is none of this id.
pub(crate) fn known<'a>(jobs: &'a Jobs, id: JobId, dir: &Path) -> Result<&'a Record, Failure> {
    jobs.get(id).ok_or_else(|| unknown(id, dir))
}

/// There is no such job.
pub(crate) fn unknown(id: JobId, dir: &Path) -> Failure {
    usage!("there is no job {id} of {}\n  `loop schedule list` lists those that there are", dir.display())
}
