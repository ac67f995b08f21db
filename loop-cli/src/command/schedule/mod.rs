//! `loop schedule`: manages scheduled prompts.

mod add;
mod change;
mod describe;
mod install;
mod list;
mod next;
mod off;
mod requested_job;
mod run;
mod show;

use std::{path::Path, process::ExitCode};

use loop_schedule::Zone;

use super::{Failure, OrFail, environment, usage};
use crate::{args::ScheduleCommand, schedule::FolderSchedule, view};

pub(crate) fn exec(command: &ScheduleCommand) -> Result<ExitCode, Failure> {
    match command {
        ScheduleCommand::Add(args) => add::exec(args),
        ScheduleCommand::List(args) => list::exec(args),
        ScheduleCommand::Show(args) => show::exec(args),
        ScheduleCommand::Delete(args) => change::delete(args),
        ScheduleCommand::Pause(args) => change::pause(args, true),
        ScheduleCommand::Resume(args) => change::pause(args, false),
        ScheduleCommand::Fire(args) => change::fire(args),
        ScheduleCommand::Run(args) => run::exec(args),
        ScheduleCommand::Off => off::exec(true),
        ScheduleCommand::On => off::exec(false),
        ScheduleCommand::Next(args) => next::exec(args),
        ScheduleCommand::Describe { expression } => describe::exec(expression),
        ScheduleCommand::Install(args) => install::exec(args),
    }
}

/// Opens the jobs of the requested folder.
fn folder(cwd: Option<&Path>) -> Result<FolderSchedule, Failure> {
    let dir = environment::dir(cwd)?;
    let settings = environment::settings(cwd.unwrap_or(Path::new("")))?;
    FolderSchedule::of(dir, settings.user.tables.schedule)
}

/// Returns the requested zone, or this machine's.
fn zone(asked: Option<&Zone>) -> Result<Zone, Failure> {
    match asked {
        Some(zone) => Ok(zone.clone()),
        None => Zone::of_system().or_setup(|| "cannot determine this machine's time zone (`--tz` names one)"),
    }
}

/// Tells if no process fires these jobs now, or only an open session does.
fn tell_if_idle(folder: &FolderSchedule) -> Result<(), Failure> {
    let store = folder.project.store();
    if folder.project.off_switch().is_off() {
        view::say("everything is stopped: `loop schedule on` lets jobs fire again");
    } else if store.is_firing()? {
        return Ok(());
    } else if store.has_open_session()? {
        view::say(
            "an open session of this folder fires the prompts for the model of the settings\n  `loop schedule run` \
             fires the other jobs while it runs",
        );
    } else {
        view::say(
            "nothing fires these jobs now\n  `loop schedule run` fires them while it runs; `loop schedule \
             install` prints a service that always fires them",
        );
    }
    Ok(())
}
