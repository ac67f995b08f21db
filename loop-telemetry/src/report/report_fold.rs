//! The iterations that a page lists, collected in bounded memory.

use std::collections::VecDeque;

use loop_core::{Event, EventKind, Verdict};

use super::{excerpt::excerpt, series::Series};
use crate::{
    Redactor,
    check_summary::{CheckSummary, check_line},
    rows::{IterationDetails, IterationOutput, IterationRow, RowFold},
};

/// How many iterations the page lists from the beginning and from the end, as in `loop show`.
const LISTED: (usize, usize) = (20, 80);

/// The maximum number of bytes to show of an output, and of the standard error and the check's text.
const OUTPUT_BYTES: usize = 16 << 10;
const BESIDE_BYTES: usize = 8 << 10;

/// A listed iteration.
#[derive(Debug, Default)]
pub(super) struct IterationSection {
    pub(super) row: IterationRow,
    pub(super) excerpts: OutputExcerpts,
    /// The output and the advice of the check.
    pub(super) verdict: String,
    pub(super) feedback: String,
    pub(super) tests: Option<CheckSummary>,
    /// The line that matters of the check. The browser cuts it to the width of the page.
    pub(super) line: Option<String>,
    /// The errors and faults.
    pub(super) troubles: Vec<String>,
}

/// The excerpts of an agent's output.
#[derive(Debug, Default)]
pub(super) struct OutputExcerpts {
    /// How the agent ended, in words.
    pub(super) ending: Option<String>,
    pub(super) output: String,
    pub(super) errors: String,
}

impl OutputExcerpts {
    fn of(output: &dyn IterationOutput) -> Self {
        Self {
            ending: Some(output.ending()),
            output: output.excerpt(OUTPUT_BYTES),
            errors: output.errors(BESIDE_BYTES),
        }
    }
}

/// The current iteration, or the last one, because it may be judged again.
#[derive(Debug, Default)]
struct CurrentIteration {
    details: IterationDetails,
    excerpts: OutputExcerpts,
}

impl CurrentIteration {
    fn on_event(&mut self, event: &Event) {
        if matches!(event.kind, EventKind::IterationStarted { .. }) {
            self.excerpts = OutputExcerpts::default();
        }
        self.details.on_event(event);
    }

    fn into_section(self, tests: Option<CheckSummary>) -> IterationSection {
        let Self { details: IterationDetails { row, verdict, troubles, .. }, excerpts } = self;
        let cut = |text: &str| excerpt(text, BESIDE_BYTES);
        let feedback = verdict.as_ref().and_then(Verdict::feedback).map(cut).unwrap_or_default();
        let line = verdict.as_ref().and_then(|verdict| check_line(verdict, BESIDE_BYTES, &no_redaction()));
        let verdict = verdict.map(|verdict| cut(verdict.text())).unwrap_or_default();
        IterationSection { row, excerpts, verdict, feedback, tests, line, troubles }
    }

    /// Returns whether there is anything to show. Events before the first iteration belong to it only if its check
    /// runs.
    fn is_empty(&self) -> bool {
        self.details.row.iteration == 0
            && self.details.row.check.is_none()
            && self.details.row.verdict.is_empty()
    }
}

/// Folds the events of a run into the contents of its page.
#[derive(Debug, Default)]
pub(super) struct ReportFold {
    rows: RowFold,
    resumed: u64,
    open: CurrentIteration,
    series: Series,
    head: Vec<IterationSection>,
    tail: VecDeque<IterationSection>,
    left_out: u64,
}

impl ReportFold {
    /// Takes the next event, and the agent's output if the event has one.
    pub(super) fn on_event(&mut self, event: &Event, output: Option<&dyn IterationOutput>) {
        let row = self.rows.on_event(event);
        self.resumed += u64::from(matches!(event.kind, EventKind::RunResumed {}));
        if let Some(now) = self.rows.current()
            && now.iteration != self.open.details.row.iteration
        {
            let next = CurrentIteration {
                details: IterationDetails::of(now.clone()),
                excerpts: OutputExcerpts::default(),
            };
            let last = std::mem::replace(&mut self.open, next);
            self.close(last);
        }
        if let Some(output) = output {
            self.rows.record_output(output);
            self.open.excerpts = OutputExcerpts::of(output);
        }
        self.open.on_event(event);
        if let Some(row) = row.or_else(|| self.rows.current().cloned()) {
            self.open.details.row = row;
        }
    }

    /// Marks the current iteration with this word, because the run has not ended.
    pub(super) fn break_off(&mut self, word: &str) {
        if self.rows.current().is_some() {
            word.clone_into(&mut self.open.details.row.verdict);
        }
    }

    fn close(&mut self, open: CurrentIteration) {
        if open.is_empty() {
            return;
        }
        let verdict = open.details.verdict.as_ref();
        let tests = verdict.and_then(|verdict| CheckSummary::of(verdict.text(), &no_redaction()));
        self.series.push(&open.details.row, tests.as_ref());
        let section = open.into_section(tests);
        if self.head.len() < LISTED.0 {
            return self.head.push(section);
        }
        if self.tail.len() == LISTED.1 {
            self.tail.pop_front();
            self.left_out += 1;
        }
        self.tail.push_back(section);
    }

    /// Returns the contents of the page.
    pub(super) fn data(mut self) -> ReportData {
        let last = std::mem::take(&mut self.open);
        self.close(last);
        let Self { series, head, tail, left_out, resumed, .. } = self;
        ReportData { series, head, tail: tail.into(), left_out, resumed }
    }
}

/// Secrets are removed when the page is rendered.
fn no_redaction() -> Redactor {
    Redactor::new([""; 0])
}

/// The contents of a page.
#[derive(Debug)]
pub(super) struct ReportData {
    pub(super) series: Series,
    pub(super) head: Vec<IterationSection>,
    pub(super) tail: Vec<IterationSection>,
    /// The number of iterations that neither part lists.
    pub(super) left_out: u64,
    /// How often the run was resumed.
    pub(super) resumed: u64,
}
