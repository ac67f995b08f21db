//! `loop schedule delete`, `pause`, `resume` and `fire`: change jobs by their ids.

use std::process::ExitCode;

use loop_schedule::{JobId, Jobs};

use super::{Failure, folder, tell_if_idle};
use crate::{args::JobArgs, clock, exit, schedule, view};

pub(super) fn delete(args: &JobArgs) -> Result<ExitCode, Failure> {
    change(args, "deleted", |jobs, id| jobs.remove(id).is_some())
}

pub(super) fn pause(args: &JobArgs, paused: bool) -> Result<ExitCode, Failure> {
    let done = if paused { "paused" } else { "resumes with its next slot" };
    let now = clock::now();
    change(args, done, |jobs, id| jobs.set_paused(id, paused, now))
}

pub(super) fn fire(args: &JobArgs) -> Result<ExitCode, Failure> {
    let done = change(args, "fires as soon as possible", Jobs::request_fire)?;
    tell_if_idle(&folder(args.cwd.as_deref())?)?;
    Ok(done)
}

/// Changes all of these jobs, or none if one of them does not exist.
fn change(
    args: &JobArgs,
    done: &str,
    change: impl Fn(&mut Jobs, JobId) -> bool,
) -> Result<ExitCode, Failure> {
    let folder = folder(args.cwd.as_deref())?;
    let changed = folder.project.change(|jobs| {
        let known =
            args.jobs.iter().try_for_each(|id| schedule::find_job(jobs, *id, folder.project.dir()).map(drop));
        known.map(|()| args.jobs.iter().all(|id| change(jobs, *id)))
    });
    changed??;
    args.jobs.iter().for_each(|id| view::say(&format!("{id} {done}")));
    Ok(ExitCode::from(exit::OK))
}
