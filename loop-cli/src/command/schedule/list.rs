//! `loop schedule list`: the jobs of a folder.

use std::process::ExitCode;

use console::Term;
use jiff::Timestamp;
use loop_schedule::{JobAction, Record, Settings};
use loop_telemetry::words;
use serde::Serialize;
use serde_json::Value;

use super::{super::runs::json, Failure, place, tell_if_idle};
use crate::{
    args::ListArgs,
    clock, exit,
    schedule::{self, Fired, Row, SchedulePlace},
    view,
};

/// A table is cut to this where nobody says how wide the screen is.
const WIDTH: usize = 80;

pub(super) fn exec(args: &ListArgs) -> Result<ExitCode, Failure> {
    let place = place(args.cwd.as_deref())?;
    let (now, numbers) = (clock::now(), place.project.settings());
    let jobs = schedule::jobs_of(&place, |warning| view::warning(&warning))?;
    if args.json {
        for (record, last) in &jobs {
            if !view::tell_json(&json(&JobJson::of(record, last.as_ref(), numbers, now))) {
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
        jobs.iter().map(|(record, last)| Row::of(record, last.as_ref(), numbers, now)).collect();
    rows.sort_by_key(|row| row.due);
    let width = Term::stdout().size_checked().map_or(WIDTH, |(_, columns)| usize::from(columns));
    let lines = schedule::table(&rows);
    let lines: Vec<_> = lines.iter().map(|line| console::truncate_str(line, width, "…")).collect();
    view::tell(&lines.join("\n"));
    tell_of_checks(&place, now)?;
    Ok(ExitCode::from(exit::OK))
}

/// Says whether anybody looks at what is due.
fn tell_of_checks(place: &SchedulePlace, now: Timestamp) -> Result<(), Failure> {
    if !place.project.store().is_firing()? || place.project.off_switch().is_off() {
        return tell_if_idle(place);
    }
    if let Some(check) = place.project.store().last_check()? {
        view::say(&format!("what is due was looked at {}", words::until(check, now)));
    }
    Ok(())
}

/// A job for programs.
#[derive(Debug, Serialize)]
pub(super) struct JobJson<'a> {
    id: String,
    prompt: &'a str,
    when: &'a loop_schedule::When,
    /// The same in words.
    description: String,
    /// Who does it.
    errand: &'a Value,
    paused: bool,
    /// Its next slot: the ideal time.
    next: Option<Timestamp>,
    /// When it fires then, with jitter.
    due: Option<Timestamp>,
    is_running: bool,
    created_at: Timestamp,
    /// How often it has fired.
    fires: u64,
    last_fire: Option<&'a Fired>,
}

impl<'a> JobJson<'a> {
    pub(super) fn of(
        record: &'a Record,
        last: Option<&'a Fired>,
        numbers: &Settings,
        now: Timestamp,
    ) -> Self {
        let status = record.status(numbers, now);
        let open = |fire: &loop_schedule::FireRecord| fire.finished_at.is_none() && fire.lost_at.is_none();
        Self {
            id: record.job.id.to_string(),
            prompt: &record.job.prompt,
            when: &record.job.when,
            description: record.job.when.describe(),
            errand: JobAction::stored(&record.job),
            paused: record.job.paused,
            next: status.as_ref().and_then(|status| status.slot),
            due: status.as_ref().and_then(|status| status.due),
            is_running: record.standing.last_fire.as_ref().is_some_and(open),
            created_at: record.job.created_at,
            fires: record.standing.fires,
            last_fire: last,
        }
    }
}
