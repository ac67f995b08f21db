//! `loop schedule list`: lists the jobs of a folder.

use std::process::ExitCode;

use console::Term;
use jiff::Timestamp;
use loop_schedule::{JobAction, JobRecord, ScheduleSettings};
use loop_session::fires::FireResult;
use loop_telemetry::words;
use serde::Serialize;
use serde_json::Value;

use super::{super::runs::json, Failure, folder, tell_if_idle};
use crate::{
    args::ListArgs,
    clock, exit,
    schedule::{self, FolderSchedule, JobRow},
    view,
};

/// The table's width if the width of the screen is unknown.
const WIDTH: usize = 80;

pub(super) fn exec(args: &ListArgs) -> Result<ExitCode, Failure> {
    let folder = folder(args.cwd.as_deref())?;
    let (now, settings) = (clock::now(), folder.project.settings());
    let jobs = schedule::jobs_of(&folder, |warning| view::warning(&warning))?;
    if args.json {
        for (record, last) in &jobs {
            if !view::print_json_or_warn(&json(&JobJson::of(record, last.as_ref(), settings, now))) {
                break;
            }
        }
        return Ok(ExitCode::from(exit::OK));
    }
    if jobs.is_empty() {
        view::say("this folder has no jobs\n  `loop schedule add '30m PROMPT'` adds one");
        return Ok(ExitCode::from(exit::OK));
    }
    let mut rows: Vec<_> =
        jobs.iter().map(|(record, last)| JobRow::of(record, last.as_ref(), settings, now)).collect();
    rows.sort_by_key(|row| row.due);
    let width = Term::stdout().size_checked().map_or(WIDTH, |(_, columns)| usize::from(columns));
    let lines = schedule::table(&rows);
    let lines: Vec<_> = lines.iter().map(|line| console::truncate_str(line, width, "…")).collect();
    view::print_or_warn(&lines.join("\n"));
    tell_of_checks(&folder, now)?;
    Ok(ExitCode::from(exit::OK))
}

/// Reports whether a process checks for due jobs.
fn tell_of_checks(folder: &FolderSchedule, now: Timestamp) -> Result<(), Failure> {
    if !folder.project.store().is_firing()? || folder.project.off_switch().is_off() {
        return tell_if_idle(folder);
    }
    if let Some(check) = folder.project.store().last_check()? {
        view::say(&format!("last check for due jobs: {}", words::until(check, now)));
    }
    Ok(())
}

/// A job for programs.
#[derive(Debug, Serialize)]
pub(super) struct JobJson<'a> {
    id: String,
    prompt: &'a str,
    #[serde(rename = "when")]
    trigger: &'a loop_schedule::Trigger,
    /// The schedule in words.
    description: String,
    /// The action.
    action: &'a Value,
    paused: bool,
    /// The next slot: the ideal time.
    next: Option<Timestamp>,
    /// The time of the next fire, with jitter.
    due: Option<Timestamp>,
    is_running: bool,
    created_at: Timestamp,
    /// The number of fires so far.
    fires: u64,
    last_fire: Option<&'a FireResult>,
}

impl<'a> JobJson<'a> {
    pub(super) fn of(
        record: &'a JobRecord,
        last: Option<&'a FireResult>,
        settings: &ScheduleSettings,
        now: Timestamp,
    ) -> Self {
        let status = record.status(settings, now);
        let open = |fire: &loop_schedule::FireRecord| fire.finished_at.is_none() && fire.lost_at.is_none();
        Self {
            id: record.job.id.to_string(),
            prompt: &record.job.prompt,
            trigger: &record.job.trigger,
            description: record.job.trigger.describe(),
            action: JobAction::stored(&record.job),
            paused: record.job.paused,
            next: status.as_ref().and_then(|status| status.slot),
            due: status.as_ref().and_then(|status| status.due),
            is_running: record.state.last_fire.as_ref().is_some_and(open),
            created_at: record.job.created_at,
            fires: record.state.fires,
            last_fire: last,
        }
    }
}
