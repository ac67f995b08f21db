//! The iterations that a page lists, collected in bounded memory.

use std::collections::VecDeque;

use loop_core::{Event, EventKind};

use super::{excerpt::excerpt, series::Series};
use crate::rows::{IterationDetails, IterationOutput, IterationRow, RowFold};

/// How many iterations the page lists from the beginning and from the end, as in `loop show`.
const LISTED: (usize, usize) = (20, 80);

/// The maximum number of bytes to show of an output, and of the standard error and the check's text.
const OUTPUT_BYTES: usize = 16 << 10;
const BESIDE_BYTES: usize = 8 << 10;

/// A listed iteration.
#[derive(Debug, Default)]
pub(super) struct IterationSection {
    pub(super) row: IterationRow,
    pub(super) said: OutputExcerpts,
    pub(super) verdict: String,
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
    said: OutputExcerpts,
}

impl CurrentIteration {
    fn on_event(&mut self, event: &Event) {
        if matches!(event.kind, EventKind::IterationStarted { .. }) {
            self.said = OutputExcerpts::default();
        }
        self.details.on_event(event);
    }

    fn into_section(self) -> IterationSection {
        let Self { details: IterationDetails { row, verdict, troubles, .. }, said } = self;
        let verdict = verdict.map(|verdict| excerpt(verdict.text(), BESIDE_BYTES)).unwrap_or_default();
        IterationSection { row, said, verdict, troubles }
    }
}

/// Folds the events of a run into the contents of its page.
#[derive(Debug, Default)]
pub(super) struct ReportFold {
    rows: RowFold,
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
        if let Some(now) = self.rows.current()
            && now.iteration != self.open.details.row.iteration
        {
            let next = CurrentIteration {
                details: IterationDetails::of(now.clone()),
                said: OutputExcerpts::default(),
            };
            let last = std::mem::replace(&mut self.open, next);
            self.close(last);
        }
        if let Some(output) = output {
            self.rows.record_output(output);
            self.open.said = OutputExcerpts::of(output);
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
        let row = &open.details.row;
        if row.iteration == 0 {
            return;
        }
        self.series.push(row);
        if self.head.len() < LISTED.0 {
            return self.head.push(open.into_section());
        }
        if self.tail.len() == LISTED.1 {
            self.tail.pop_front();
            self.left_out += 1;
        }
        self.tail.push_back(open.into_section());
    }

    /// Returns the finished story.
    pub(super) fn data(mut self) -> ReportData {
        let last = std::mem::take(&mut self.open);
        self.close(last);
        let Self { series, head, tail, left_out, .. } = self;
        ReportData { series, head, tail: tail.into(), left_out }
    }
}

/// A finished story.
#[derive(Debug)]
pub(super) struct ReportData {
    pub(super) series: Series,
    pub(super) head: Vec<IterationSection>,
    pub(super) tail: Vec<IterationSection>,
    /// The number of iterations that neither part lists.
    pub(super) left_out: u64,
}
