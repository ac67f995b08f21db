//! Jobs as rows of a table.

use jiff::Timestamp;
use loop_schedule::{FireRecord, FireStage, JobRecord, JobStatus, ScheduleSettings, Trigger, Zone};

use loop_session::fires::FireResult;
use loop_telemetry::words::until;

use crate::view::{
    columns::{self, Column},
    text,
};

const COLUMNS: &[Column] = &[
    Column::words("job"),
    Column::words("when"),
    Column::words("next"),
    Column::words("last"),
    Column::words("prompt"),
];

/// The width of an expression, after which it is cut.
const TRIGGER_WIDTH: usize = 26;
/// The width of a prompt, after which it is cut.
const PROMPT: usize = 200;

/// A job for people.
#[derive(Debug, Clone)]
pub(crate) struct JobRow {
    /// The sort key of rows: the time of the next fire. Jobs that never fire come last.
    pub(crate) due: Timestamp,
    cells: Vec<String>,
}

impl JobRow {
    /// Describes the current state of a job. `last` is its latest known fire.
    pub(crate) fn of(
        record: &JobRecord,
        last: Option<&FireResult>,
        settings: &ScheduleSettings,
        now: Timestamp,
    ) -> Self {
        let status = record.status(settings, now);
        let due = status.as_ref().and_then(|status| status.due).unwrap_or(Timestamp::MAX);
        let cells = vec![
            record.job.id.to_string(),
            cut(&trigger(&record.job.trigger), TRIGGER_WIDTH),
            next(record, status.as_ref(), now),
            latest(record, last, now),
            cut(&text::one_line(&record.job.prompt), PROMPT),
        ];
        Self { due, cells }
    }
}

/// Formats these jobs as a table.
pub(crate) fn table(rows: &[JobRow]) -> Vec<String> {
    let cells: Vec<_> = rows.iter().map(|row| row.cells.clone()).collect();
    columns::lines(COLUMNS, &cells)
}

/// Describes the schedule in a few words.
fn trigger(trigger: &Trigger) -> String {
    match trigger {
        Trigger::At { time } => {
            let zone = Zone::of_system().unwrap_or(Zone::utc());
            time.to_zoned(zone.rules().clone()).strftime("once %Y-%m-%d %H:%M %Z").to_string()
        }
        Trigger::Cron { .. } | Trigger::Every(_) => trigger.describe(),
    }
}

/// Describes the next fire.
fn next(record: &JobRecord, status: Option<&JobStatus>, now: Timestamp) -> String {
    let state = &record.state;
    if state.is_wanted {
        return "now".to_owned();
    }
    if record.job.paused {
        return "paused".to_owned();
    }
    match status.and_then(|status| status.due) {
        Some(due) if due > now => until(due, now),
        Some(due) => format!("due {}", until(due, now)),
        None => "-".to_owned(),
    }
}

/// Describes the latest fire.
fn latest(record: &JobRecord, last: Option<&FireResult>, now: Timestamp) -> String {
    let Some(fire) = &record.state.last_fire else { return "-".to_owned() };
    let known = last.filter(|last| last.number == fire.number);
    match (known, fire.stage()) {
        (_, FireStage::Claimed) => "begins".to_owned(),
        (_, FireStage::Started) => "running".to_owned(),
        (Some(result), _) => format!("{} {}", result.word(), until(result.ended_at, now)),
        (None, stage) => format!("{} {}", word(stage), until(ended_at(fire), now)),
    }
}

/// Returns the beginning of a text, on one line.
pub(super) fn cut(text: &str, width: usize) -> String {
    console::truncate_str(text, width, "…").into_owned()
}

fn word(stage: FireStage) -> &'static str {
    match stage {
        FireStage::Claimed | FireStage::Started => "running",
        FireStage::Finished => "done",
        FireStage::Lost => "lost",
        FireStage::Interrupted => "cut off",
    }
}

fn ended_at(fire: &FireRecord) -> Timestamp {
    fire.finished_at.or(fire.lost_at).unwrap_or(fire.claimed_at)
}
