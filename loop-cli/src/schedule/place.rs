//! The jobs of a folder, and the runs that they leave behind.

use std::{
    env,
    path::{Path, PathBuf},
};

use loop_schedule::{DISABLE_VARIABLE, JobId, Jobs, OffSwitch, ProjectJobs, Record, Settings};
use loop_telemetry::{NoStateDir, RunStore, StateDir};

use super::{Fired, History};
use crate::command::{Failure, usage};
use crate::view;

/// The jobs of a folder, and the runs that they leave behind.
#[derive(Debug)]
pub(crate) struct SchedulePlace {
    pub(crate) project: ProjectJobs,
    /// The runs of the state directory.
    pub(crate) runs: RunStore,
}

impl SchedulePlace {
    /// Names the jobs of this folder.
    ///
    /// # Errors
    /// There is no place for state, or the folder of the schedule cannot be used.
    pub(crate) fn of(dir: PathBuf, settings: Settings) -> Result<Self, Failure> {
        let (schedules, state) = (schedules()?, state()?);
        let redact = |path: &str| view::secrets().redact(path).into_owned();
        let project = ProjectJobs::open(&schedules, dir, settings, redact)?.on_warning(view::warning);
        let runs = RunStore::at(state.runs(), |warning| view::warning(&warning.to_string()));
        Ok(Self { project, runs })
    }

    /// What became of the jobs' fires.
    pub(super) fn history(&self) -> History {
        History::in_folder(self.project.store().folder())
    }

    /// The fires of one job that are kept, the oldest first.
    ///
    /// # Errors
    /// They cannot be read.
    pub(crate) fn fires_of(&self, id: JobId) -> Result<Vec<Fired>, Failure> {
        let fires = self.history().read()?.report(|warning| self.project.warn(&warning));
        Ok(fires.into_iter().filter(|fired| fired.job == id).collect())
    }
}

/// Returns whether the variable that stops all jobs is set for this process.
pub(crate) fn is_disabled() -> bool {
    loop_schedule::is_disabled(env::var_os(DISABLE_VARIABLE).as_deref())
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
    Ok(state()?.schedules())
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
