//! `loop schedule show`: one job, and what became of its fires.

use std::{collections::HashMap, process::ExitCode};

use jiff::Timestamp;
use loop_schedule::{CatchUp, JobAction, Overlap, Record, When, Zone};
use loop_telemetry::words;
use serde::Serialize;

use super::{
    super::{kept::short_ids, runs::json},
    Failure,
    list::JobJson,
    place, zone,
};
use crate::{
    args::ShowJobArgs,
    clock, exit,
    schedule::{self, Fired, SchedulePlace, action},
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

/// So many fires are shown.
const SHOWN: usize = 10;

pub(super) fn exec(args: &ShowJobArgs) -> Result<ExitCode, Failure> {
    let place = place(args.cwd.as_deref())?;
    let jobs = schedule::jobs_of(&place, |warning| view::warning(&warning))?;
    let found = jobs.iter().find(|(record, _)| record.job.id == args.job);
    let (record, last) = found.ok_or_else(|| schedule::unknown(args.job, place.project.dir()))?;
    let fires = place.fires_of(args.job)?;
    let now = clock::now();
    if args.json {
        let job = JobJson::of(record, last.as_ref(), place.project.settings(), now);
        let shown = Shown { job, fires: &fires };
        view::tell_json(&json(&shown));
        return Ok(ExitCode::from(exit::OK));
    }
    let zone = zone_of(&record.job.when)?;
    view::tell(&page(&place, record, &zone, now).join("\n"));
    if !fires.is_empty() {
        let runs = place.runs.list()?;
        let short = short_ids(runs.iter().map(|run| run.id.as_str()));
        let rows = fires.iter().rev().take(SHOWN).map(|fired| row(fired, &short, &zone));
        let rows: Vec<_> = rows.collect();
        view::tell(&format!("\n{}", columns::lines(COLUMNS, &rows).join("\n")));
    }
    Ok(ExitCode::from(exit::OK))
}

/// A job and its fires, for programs.
#[derive(Debug, Serialize)]
struct Shown<'a> {
    job: JobJson<'a>,
    fires: &'a [Fired],
}

/// Whose clock a job goes by.
fn zone_of(when: &When) -> Result<Zone, Failure> {
    match when {
        When::Cron { zone, .. } => Ok(zone.clone()),
        When::Every(_) | When::At { .. } => zone(None),
    }
}

fn page(place: &SchedulePlace, record: &Record, zone: &Zone, now: Timestamp) -> Vec<String> {
    let job = &record.job;
    let when = match &job.when {
        When::Cron { expression, zone } => format!("{} ({expression}, {zone})", job.when.describe()),
        When::Every(_) => job.when.describe(),
        When::At { time } => format!("once, {}", words::instant(*time, zone.rules())),
    };
    let status = record.status(place.project.settings(), now);
    let next = match status.and_then(|status| Some((status.slot?, status.due?))) {
        Some((slot, due)) => next(slot, due, zone, now),
        None if job.paused => "paused".to_owned(),
        None => "none".to_owned(),
    };
    let catch_up = match job.catch_up {
        CatchUp::None => "none: what was missed is dropped",
        CatchUp::Once => "once: what was missed is one fire",
        CatchUp::Ask => "ask: what was missed is told",
    };
    let overlap = match job.overlap {
        Overlap::Skip => "skip: what is due while it runs is dropped",
        Overlap::QueueOne => "queue: what is due while it runs is one fire afterwards",
        Overlap::Cancel => "cancel: what is due while it runs ends the run",
    };
    let does =
        JobAction::of(job).map_or_else(|error| format!("{error:#}"), |errand| action::describe(&errand));
    let field = |name: &str, value: &str| format!("  {name:<10}{}", text::one_line(value));
    vec![
        format!("{} {}", paint(BOLD, job.id), text::printable(&job.prompt)),
        field("when", &when),
        field("next", &next),
        field("by", &does),
        field("catch-up", catch_up),
        field("overlap", overlap),
        field("added", &words::instant(job.created_at, zone.rules())),
        field("fired", &text::count(record.standing.fires, "time")),
    ]
}

/// When it fires, and for which slot, if jitter puts the two apart.
pub(super) fn next(slot: Timestamp, due: Timestamp, zone: &Zone, now: Timestamp) -> String {
    let distance = words::until(due, now);
    let due_text = words::instant(due, zone.rules());
    if slot == due {
        format!("{due_text}, {distance}")
    } else {
        format!("{due_text}, {distance} (jitter; its slot is {})", words::instant(slot, zone.rules()))
    }
}

fn row(fired: &Fired, short: &HashMap<&str, &str>, zone: &Zone) -> Vec<String> {
    let run = fired.run_id.as_deref().unwrap_or_default();
    let took = fired.ended_at.duration_since(fired.started_at).unsigned_abs();
    vec![
        fired.number.to_string(),
        words::instant(fired.started_at, zone.rules()),
        text::duration(took),
        fired.word(),
        // A run that is not kept any more has no short name.
        short.get(run).copied().unwrap_or(run).to_owned(),
        fired.error.as_deref().map(text::one_line).unwrap_or_default(),
    ]
}
