//! The live table: what stays at the bottom of the terminal while jobs fire.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use loop_schedule::{Record, Settings};
use tokio::{task::spawn_blocking, time::sleep};

use super::{Fired, Row, SchedulePlace, table};
use crate::command::Failure;
use crate::view::{BOLD, Board, DIM, Pinned, paint, text};

/// So many jobs are shown, so that the table fits a small terminal with room above it.
const SHOWN: usize = 14;

/// How often the jobs are looked at.
const PAUSE: Duration = Duration::from_secs(1);

/// What the scheduler is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Somebody else fires these jobs.
    Waiting,
    /// They are fired here.
    Firing,
    /// All is stopped.
    Off,
}

/// The jobs of a folder, as they stand.
#[derive(Debug)]
pub(crate) struct Page {
    dir: PathBuf,
    numbers: Settings,
    jobs: Vec<(Record, Option<Fired>)>,
    /// `None` until it is known.
    pub(super) phase: Option<Phase>,
}

impl Page {
    /// That of a folder, still empty.
    pub(crate) fn new(place: &SchedulePlace) -> Self {
        Self {
            dir: place.project.dir().to_owned(),
            numbers: place.project.settings().clone(),
            jobs: Vec::new(),
            phase: None,
        }
    }

    fn head(&self) -> String {
        let count = text::count(self.jobs.len() as u64, "job");
        let phase = match self.phase {
            None => "",
            Some(Phase::Waiting) => " · another process fires them",
            Some(Phase::Firing) => " · Ctrl+C ends it",
            Some(Phase::Off) => " · off: `loop schedule on` lets them fire",
        };
        format!("{} of {}{phase}", paint(BOLD, count), text::printable(&self.dir.to_string_lossy()))
    }
}

impl Pinned for Page {
    fn lines(&self, _now: Instant) -> Vec<String> {
        let now = crate::clock::now();
        let row =
            |(record, last): &(Record, Option<Fired>)| Row::of(record, last.as_ref(), &self.numbers, now);
        let mut rows: Vec<_> = self.jobs.iter().map(row).collect();
        rows.sort_by_key(|row| row.due);
        let more = rows.len().saturating_sub(SHOWN);
        rows.truncate(SHOWN);
        let mut lines = vec![String::new(), self.head()];
        if !rows.is_empty() {
            lines.extend(table(&rows));
        }
        if more > 0 {
            lines.push(paint(DIM, format_args!("  and {more} more: `loop schedule list`")));
        }
        lines
    }
}

/// The jobs of a folder, each with its latest fire.
/// `report` hears what is odd about their files.
pub(crate) fn jobs_of(
    place: &SchedulePlace,
    mut report: impl FnMut(String),
) -> Result<Vec<(Record, Option<Fired>)>, Failure> {
    let jobs = place.project.store().read()?.report(|warning| report(warning.to_string()));
    let fires = place.history().read()?.report(report);
    let last = |record: &Record| fires.iter().rev().find(|fired| fired.job == record.job.id).cloned();
    Ok(jobs.records().iter().map(|record| (record.clone(), last(record))).collect())
}

/// Keeps a page as the jobs stand, for ever.
pub(crate) async fn keep(page: Arc<Mutex<Page>>, place: Arc<SchedulePlace>, board: Arc<Board>) {
    loop {
        let read = Arc::clone(&place);
        // What cannot be read now is shown as it was. The runner tells what is wrong with the jobs, above the table.
        if let Ok(Ok(jobs)) = spawn_blocking(move || jobs_of(&read, drop)).await {
            page.lock().unwrap_or_else(PoisonError::into_inner).jobs = jobs;
            board.refresh();
        }
        sleep(PAUSE).await;
    }
}
