//! Jobs as rows of a table.

use jiff::Timestamp;
use loop_schedule::{FireRecord, Record, Settings, Stage, Status, When, Zone};

use loop_telemetry::words::until;

use super::Fired;
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

/// A longer expression is cut.
const WHEN: usize = 22;
/// A longer prompt is cut.
const PROMPT: usize = 200;

/// A job for people.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// By which rows are sorted: when something happens to it next. What never does comes last.
    pub(crate) due: Timestamp,
    cells: Vec<String>,
}

impl Row {
    /// A job as it stands now. `last` is what is known of its latest fire.
    pub(crate) fn of(record: &Record, last: Option<&Fired>, numbers: &Settings, now: Timestamp) -> Self {
        let status = record.status(numbers, now);
        let due = status.as_ref().and_then(|status| status.due).unwrap_or(Timestamp::MAX);
        let cells = vec![
            record.job.id.to_string(),
            cut(&when(&record.job.when), WHEN),
            next(record, status.as_ref(), now),
            latest(record, last, now),
            cut(&text::one_line(&record.job.prompt), PROMPT),
        ];
        Self { due, cells }
    }
}

/// The table of these jobs.
pub(crate) fn table(rows: &[Row]) -> Vec<String> {
    let cells: Vec<_> = rows.iter().map(|row| row.cells.clone()).collect();
    columns::lines(COLUMNS, &cells)
}

/// When it fires, in few words.
fn when(when: &When) -> String {
    match when {
        When::At { time } => {
            let zone = Zone::of_system().unwrap_or(Zone::utc());
            time.to_zoned(zone.rules().clone()).strftime("once %Y-%m-%d %H:%M").to_string()
        }
        When::Cron { .. } | When::Every(_) => when.describe(),
    }
}

/// What comes.
fn next(record: &Record, status: Option<&Status>, now: Timestamp) -> String {
    let standing = &record.standing;
    if standing.is_wanted {
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

/// What was.
fn latest(record: &Record, last: Option<&Fired>, now: Timestamp) -> String {
    let Some(fire) = &record.standing.last_fire else { return "-".to_owned() };
    let known = last.filter(|last| last.number == fire.number);
    match (known, fire.stage()) {
        (_, Stage::Claimed) => "begins".to_owned(),
        (_, Stage::Started) => "running".to_owned(),
        (Some(fired), _) => format!("{} {}", fired.word(), until(fired.ended_at, now)),
        (None, stage) => format!("{} {}", word(stage), until(ended_at(fire), now)),
    }
}

/// The beginning of a text of one line.
pub(super) fn cut(text: &str, width: usize) -> String {
    console::truncate_str(text, width, "…").into_owned()
}

fn word(stage: Stage) -> &'static str {
    match stage {
        Stage::Claimed | Stage::Started => "running",
        Stage::Finished => "done",
        Stage::Lost => "lost",
        Stage::Interrupted => "cut off",
    }
}

fn ended_at(fire: &FireRecord) -> Timestamp {
    fire.finished_at.or(fire.lost_at).unwrap_or(fire.claimed_at)
}
