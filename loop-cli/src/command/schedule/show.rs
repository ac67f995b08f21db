//! `loop schedule show`: shows one job, and the results of its fires.

use std::{collections::HashMap, process::ExitCode};

use jiff::Timestamp;
use loop_schedule::{CatchUp, JobAction, JobRecord, Overlap, Trigger, Zone};
use loop_session::{
    fires::FireResult,
    jobs::{next_fire, when},
};
use loop_telemetry::words;
use serde::Serialize;

use super::{
    super::{run_lifecycle::stored_runs::short_ids, runs::json},
    Failure, folder,
    list::JobJson,
    zone,
};
use crate::{
    args::ShowJobArgs,
    clock, exit,
    schedule::{self, FolderSchedule, action},
    view::{
        self, BOLD,
        columns::{self, Column},
        paint, text,
    },
};

const COLUMNS: &[Column] = &[
    Column::numbers("fire"),
    Column::words("began"),
    Column::numbers("took"),
    Column::words("ended"),
    Column::words("run"),
    Column::words("error"),
];

/// The number of fires shown.
const SHOWN: usize = 10;

pub(super) fn exec(args: &ShowJobArgs) -> Result<ExitCode, Failure> {
    let folder = folder(args.cwd.as_deref())?;
    let jobs = schedule::jobs_of(&folder, |warning| view::warning(&warning))?;
    let found = jobs.iter().find(|(record, _)| record.job.id == args.job);
    let (record, last) = found.ok_or_else(|| schedule::unknown_job(args.job, folder.project.dir()))?;
    let fires = folder.fires_of(args.job)?;
    let now = clock::now();
    if args.json {
        let job = JobJson::of(record, last.as_ref(), folder.project.settings(), now);
        let shown = JobDetailsJson { job, fires: &fires };
        view::print_json_or_warn(&json(&shown));
        return Ok(ExitCode::from(exit::OK));
    }
    let zone = zone_of(&record.job.trigger)?;
    view::print_or_warn(&page(&folder, record, &zone, now).join("\n"));
    if !fires.is_empty() {
        let runs = folder.runs.list()?;
        let short = short_ids(runs.iter().map(|run| run.id.as_str()));
        let rows = fires.iter().rev().take(SHOWN).map(|result| row(result, &short, &zone));
        let rows: Vec<_> = rows.collect();
        view::print_or_warn(&format!("\n{}", columns::lines(COLUMNS, &rows).join("\n")));
    }
    Ok(ExitCode::from(exit::OK))
}

/// A job and its fires, for programs.
#[derive(Debug, Serialize)]
struct JobDetailsJson<'a> {
    job: JobJson<'a>,
    fires: &'a [FireResult],
}

/// Returns the time zone of a job.
fn zone_of(trigger: &Trigger) -> Result<Zone, Failure> {
    match trigger {
        Trigger::Cron { zone, .. } => Ok(zone.clone()),
        Trigger::Every(_) | Trigger::At { .. } => zone(None),
    }
}

fn page(folder: &FolderSchedule, record: &JobRecord, zone: &Zone, now: Timestamp) -> Vec<String> {
    let job = &record.job;
    let status = record.status(folder.project.settings(), now);
    let next = match status.and_then(|status| Some((status.slot?, status.due?))) {
        Some((slot, due)) => next_fire(slot, due, zone, now),
        None if job.paused => "paused".to_owned(),
        None => "none".to_owned(),
    };
    let catch_up = match job.catch_up {
        CatchUp::None => "none: missed slots are dropped",
        CatchUp::Once => "once: all missed slots become one fire",
        CatchUp::Ask => "ask: missed slots are reported",
    };
    let overlap = match job.overlap {
        Overlap::Skip => "skip: slots that are due while it runs are dropped",
        Overlap::QueueOne => "queue: slots that are due while it runs become one fire afterwards",
        Overlap::Cancel => "cancel: a slot that is due while it runs ends the run",
    };
    let does =
        JobAction::of(job).map_or_else(|error| format!("{error:#}"), |action| action::describe(&action));
    let field = |name: &str, value: &str| format!("  {name:<10}{}", text::one_line(value));
    vec![
        format!("{} {}", paint(BOLD, job.id), text::printable(&job.prompt)),
        field("when", &when(&job.trigger, zone)),
        field("next", &next),
        field("by", &does),
        field("catch-up", catch_up),
        field("overlap", overlap),
        field("added", &words::instant(job.created_at, zone.rules())),
        field("fired", &text::count(record.state.fires, "time")),
    ]
}

fn row(result: &FireResult, short: &HashMap<&str, &str>, zone: &Zone) -> Vec<String> {
    let run = result.run_id.as_deref().unwrap_or_default();
    let took = result.ended_at.duration_since(result.started_at).unsigned_abs();
    vec![
        result.number.to_string(),
        words::instant(result.started_at, zone.rules()),
        text::duration(took),
        result.word(),
        // A run that is no longer stored has no short name.
        short.get(run).copied().unwrap_or(run).to_owned(),
        result.error.as_deref().map(text::one_line).unwrap_or_default(),
    ]
}
