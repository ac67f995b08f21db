//! The live table at the bottom of the terminal while jobs fire.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use loop_schedule::{JobRecord, ScheduleSettings};
use loop_session::fires::FireResult;
use tokio::{task::spawn_blocking, time::sleep};

use super::{FolderSchedule, JobRow, table};
use crate::command::Failure;
use crate::view::{BOLD, DIM, PanelContent, StatusBoard, paint, text};

/// The number of jobs shown. The table fits a small terminal, with room above it.
const SHOWN: usize = 14;

/// The interval between updates of the jobs.
const PAUSE: Duration = Duration::from_secs(1);

/// The state of the scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SchedulerPhase {
    /// Another process fires these jobs.
    Waiting,
    /// This process fires them.
    Firing,
    /// All jobs are switched off.
    Off,
}

/// The current state of a folder's jobs.
#[derive(Debug)]
pub(crate) struct JobsPanel {
    dir: PathBuf,
    settings: ScheduleSettings,
    jobs: Vec<(JobRecord, Option<FireResult>)>,
    /// `None` until the phase is known.
    pub(super) phase: Option<SchedulerPhase>,
}

impl JobsPanel {
    /// Creates an empty page for a folder.
    pub(crate) fn new(folder: &FolderSchedule) -> Self {
        Self {
            dir: folder.project.dir().to_owned(),
            settings: folder.project.settings().clone(),
            jobs: Vec::new(),
            phase: None,
        }
    }

    fn head(&self) -> String {
        let count = text::count(self.jobs.len() as u64, "job");
        let phase = match self.phase {
            None => "",
            Some(SchedulerPhase::Waiting) => " · another process fires them",
            Some(SchedulerPhase::Firing) => " · Ctrl+C ends it",
            Some(SchedulerPhase::Off) => " · off: `loop schedule on` lets them fire",
        };
        format!("{} of {}{phase}", paint(BOLD, count), text::printable(&self.dir.to_string_lossy()))
    }
}

impl PanelContent for JobsPanel {
    fn lines(&self, _now: Instant) -> Vec<String> {
        let now = crate::clock::now();
        let row = |(record, last): &(JobRecord, Option<FireResult>)| {
            JobRow::of(record, last.as_ref(), &self.settings, now)
        };
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

/// Returns the jobs of a folder, each with its latest fire. `report` receives warnings about their files.
pub(crate) fn jobs_of(
    folder: &FolderSchedule,
    mut report: impl FnMut(String),
) -> Result<Vec<(JobRecord, Option<FireResult>)>, Failure> {
    let jobs = folder.project.store().read()?.report(|warning| report(warning.to_string()));
    let fires = folder.history().read()?.report(report);
    let last = |record: &JobRecord| fires.iter().rev().find(|result| result.job == record.job.id).cloned();
    Ok(jobs.records().iter().map(|record| (record.clone(), last(record))).collect())
}

/// Updates a page forever.
pub(crate) async fn keep_updated(
    page: Arc<Mutex<JobsPanel>>,
    folder: Arc<FolderSchedule>,
    board: Arc<StatusBoard>,
) {
    loop {
        let read = Arc::clone(&folder);
        // If the jobs are unreadable now, keep the old display. The runner reports the problem above the table.
        if let Ok(Ok(jobs)) = spawn_blocking(move || jobs_of(&read, drop)).await {
            page.lock().unwrap_or_else(PoisonError::into_inner).jobs = jobs;
            board.refresh();
        }
        sleep(PAUSE).await;
    }
}
