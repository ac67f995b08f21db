//! A run as a page for a browser. This module needs the feature `report`.
//!
//! A table of forty rows in a terminal does not show that the cost doubled after midnight, and nobody can send a
//! terminal to a colleague. [`HtmlReport`] makes one file that needs no other file and no network, and in which nothing
//! runs.
//!
//! Readers of the page do not expect an agent to speak to them through it. So all words of an agent or a check are
//! text in it and cannot become anything else: one private module makes all markup. It also removes secrets.
//!
//! A page opens however long its run was:
//!
//! - each chart has at most 240 bars;
//! - the page lists the first 20 and the last 80 iterations, and the 40 tests that failed most recently;
//! - it shows at most 16 KiB of each output, and 8 KiB each of its standard error and of the check's text.
//!
//! So no page has more than a few megabytes, and collecting one takes no more memory than that.

mod chart;
mod charts;
mod excerpt;
mod html;
mod listing;
mod page;
mod report_fold;
mod results_page;
mod series;
mod test_history;

use loop_core::{Event, Progress};

use self::report_fold::ReportFold;
pub use self::results_page::{ResultBar, ResultsChart, ResultsPage};
use crate::{Redactor, RunEntry, rows::IterationOutput};

/// Collects the events of a run, and renders them as a page.
///
/// # Examples
///
/// ```
/// use jiff::Timestamp;
/// use loop_core::{IterationContext, Loop, Progress, iteration_fn};
/// use loop_guardrails::after;
/// use loop_telemetry::{ParallelRuns, Redactor, RunInfo, RunStore};
/// use loop_telemetry::report::{HtmlReport, ReportedRun};
/// use loop_telemetry::rows::IterationOutput;
///
/// /// The output of the agent in this loop.
/// struct Draft(String);
///
/// impl IterationOutput for Draft {
///     fn bytes(&self) -> u64 {
///         self.0.len() as u64
///     }
///     fn excerpt(&self, max_bytes: usize) -> String {
///         self.0.chars().take(max_bytes / 4).collect()
///     }
///     fn ending(&self) -> String {
///         "written".to_owned()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// let store = RunStore::at(folder.join("runs"), |warning| eprintln!("{warning}"));
/// let info = RunInfo::new("r-1", "greet", folder, Timestamp::now());
/// let journal = store.begin(&info, ParallelRuns::Refused, Timestamp::now)?;
/// let agent = iteration_fn(async |_: IterationContext<String>| Ok("I am <b>bold</b>".to_owned()));
/// Loop::new(agent).until(after(2)).at_most(9).journal(journal).run().await?;
///
/// let (mut report, mut progress) = (HtmlReport::new(), Progress::default());
/// let mut journal = store.journal("r-1")?;
/// while let Some(entry) = journal.next_entry()? {
///     progress.apply(&entry.event)?;
///     let json = entry.output.map(|output| output.json().map(String::from)).transpose()?;
///     let draft = json.map(|json| serde_json::from_str(&json).map(Draft)).transpose()?;
///     report.record(&entry.event, draft.as_ref().map(|draft| draft as _));
/// }
/// let run = store.find("r-1")?;
/// let page = report.render(&ReportedRun::new(&run, &progress), &Redactor::new(["a secret"]));
///
/// assert!(page.starts_with("<!doctype html>"));
/// assert!(page.contains("I am &lt;b&gt;bold&lt;/b&gt;"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct HtmlReport {
    story: ReportFold,
}

impl HtmlReport {
    /// Creates a report without events.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next event of the run, and the agent's output if the event has one.
    pub fn record(&mut self, event: &Event, output: Option<&dyn IterationOutput>) {
        self.story.on_event(event, output);
    }

    /// Renders the page, without these secrets.
    pub fn render(mut self, run: &ReportedRun<'_>, secrets: &Redactor) -> String {
        if run.progress.ending().is_none() {
            self.story.break_off(run.state);
        }
        page::page(run, &self.story.data()).document(secrets)
    }
}

/// The run of a report.
#[derive(Debug, Clone, Copy)]
pub struct ReportedRun<'a> {
    entry: &'a RunEntry,
    progress: &'a Progress,
    state: &'a str,
    goal: Option<&'a str>,
    manifest: Option<&'a str>,
    task: Option<&'a str>,
    changed: Option<&'a str>,
}

impl<'a> ReportedRun<'a> {
    /// Creates the description of a run from its entry in the store and its progress after all events of the report.
    pub const fn new(entry: &'a RunEntry, progress: &'a Progress) -> Self {
        Self { entry, progress, state: "unfinished", goal: None, manifest: None, task: None, changed: None }
    }

    /// Sets the word for the state of a run that has not ended. `unfinished` by default.
    #[must_use]
    pub const fn with_state(self, state: &'a str) -> Self {
        Self { state, ..self }
    }

    /// Sets the goal, which the page shows first. None by default.
    #[must_use]
    pub const fn with_goal(self, goal: Option<&'a str>) -> Self {
        Self { goal, ..self }
    }

    /// Sets the text of the manifest, as it was when the run began. None by default.
    #[must_use]
    pub const fn with_manifest(self, manifest: Option<&'a str>) -> Self {
        Self { manifest, ..self }
    }

    /// Sets the file of a task, which the page names instead of a manifest. None by default.
    #[must_use]
    pub const fn with_task(self, task: Option<&'a str>) -> Self {
        Self { task, ..self }
    }

    /// Sets a summary of the files that the run changed. None by default.
    #[must_use]
    pub const fn with_changed(self, changed: Option<&'a str>) -> Self {
        Self { changed, ..self }
    }
}
