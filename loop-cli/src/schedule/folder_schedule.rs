//! The jobs of a folder, and the runs that they started.

use std::{
    env,
    path::{Path, PathBuf},
};

use loop_schedule::{DISABLE_VARIABLE, JobId, JobRecord, Jobs, OffSwitch, ProjectJobs, ScheduleSettings};
use loop_session::fires::{FireHistory, FireResult};
use loop_telemetry::{RunStore, StateDir, StateDirError};

use crate::command::{Failure, usage};
use crate::view;

/// The jobs of a folder, and the runs that they started.
#[derive(Debug)]
pub(crate) struct FolderSchedule {
    pub(crate) project: ProjectJobs,
    /// The runs of the state directory.
    pub(crate) runs: RunStore,
}

impl FolderSchedule {
    /// Opens the jobs of this folder.
    ///
    /// # Errors
    /// There is no place for state, or the folder of the schedule is unusable.
    pub(crate) fn of(dir: PathBuf, settings: ScheduleSettings) -> Result<Self, Failure> {
        let (schedules, state) = (schedules()?, state()?);
        let redact = |path: &str| view::secrets().redact(path).into_owned();
        let project = ProjectJobs::open(&schedules, dir, settings, redact)?.on_warning(view::warning);
        let runs = RunStore::at(state.runs()?, |warning| view::warning(&warning.to_string()));
        Ok(Self { project, runs })
    }

    /// Returns the history of the jobs' fires.
    pub(super) fn history(&self) -> FireHistory {
        FireHistory::in_folder(self.project.store().folder())
    }

    /// Returns the stored fires of one job, oldest first.
    ///
    /// # Errors
    /// The history cannot be read.
    pub(crate) fn fires_of(&self, id: JobId) -> Result<Vec<FireResult>, Failure> {
        let fires = self.history().read()?.report(|warning| self.project.warn(&warning));
        Ok(fires.into_iter().filter(|result| result.job == id).collect())
    }
}

/// Returns whether the variable that stops all jobs is set for this process.
pub(crate) fn is_disabled() -> bool {
    loop_schedule::is_disabled(env::var_os(DISABLE_VARIABLE).as_deref())
}

/// Returns the switch that stops all of the user's jobs on this machine.
///
/// # Errors
/// There is no place for state.
pub(crate) fn off_switch() -> Result<OffSwitch, Failure> {
    Ok(OffSwitch::in_folder(&schedules()?))
}

/// Returns the folder of all schedules.
fn schedules() -> Result<PathBuf, StateDirError> {
    state()?.schedules()
}

fn state() -> Result<StateDir, StateDirError> {
    StateDir::from_env_with(|name| env::var_os(name))
}

/// Finds the job with this id.
///
/// # Errors
/// No job has this id.
pub(crate) fn find_job<'a>(jobs: &'a Jobs, id: JobId, dir: &Path) -> Result<&'a JobRecord, Failure> {
    jobs.get(id).ok_or_else(|| unknown_job(id, dir))
}

/// Returns the error for an unknown job.
pub(crate) fn unknown_job(id: JobId, dir: &Path) -> Failure {
    usage!("there is no job {id} of {}\n  `loop schedule list` lists the jobs", dir.display())
}
