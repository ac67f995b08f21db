//! What a page tells of a run's iterations, in bounded memory.

use std::collections::VecDeque;

use loop_core::Event;

use super::series::Series;
use crate::view::{
    Left,
    iteration::Found,
    row::{Row, Rows},
};

/// So many iterations from the beginning are listed, and so many from the end, as in `loop show`.
const LISTED: (usize, usize) = (20, 80);

/// How much of an output is shown, and of what a command printed to its standard error or the check said of it.
const OUTPUT_BYTES: usize = 16 << 10;
const BESIDE_BYTES: usize = 8 << 10;

/// One iteration as it is listed.
#[derive(Debug, Default)]
pub(super) struct Chapter {
    pub(super) row: Row,
    /// How its agent ended, in words.
    pub(super) ended: Option<String>,
    pub(super) output: String,
    pub(super) errors: String,
    pub(super) verdict: String,
    /// What went wrong.
    pub(super) troubles: Vec<String>,
}

impl Chapter {
    fn of(Found { row, output, verdict, troubles }: Found) -> Self {
        let (said, errors) = output.as_ref().map_or_else(Default::default, |output| {
            (output.excerpt(OUTPUT_BYTES), output.errors(BESIDE_BYTES))
        });
        let verdict = verdict.map(|verdict| verdict.text().to_owned()).unwrap_or_default();
        Self {
            row,
            ended: output.as_ref().map(Left::ending),
            output: said,
            errors,
            verdict: loop_agents::output::excerpt(verdict.as_bytes(), BESIDE_BYTES),
            troubles,
        }
    }
}

/// The fold of a run's events into what its page tells.
#[derive(Debug, Default)]
pub(crate) struct Story {
    rows: Rows,
    /// The iteration under way, or the last one: it may be judged again.
    open: Found,
    series: Series,
    head: Vec<Chapter>,
    tail: VecDeque<Chapter>,
    left_out: u64,
}

impl Story {
    /// Takes the next event, and what the agent left behind if it tells of that.
    pub(crate) fn on_event(&mut self, event: &Event, output: Option<Left>) {
        let row = self.rows.next(event);
        if let Some(now) = self.rows.under_way()
            && now.iteration != self.open.row.iteration
        {
            let next = Found { row: now.clone(), ..Found::default() };
            let last = std::mem::replace(&mut self.open, next);
            self.close(last);
        }
        if let Some(output) = output {
            self.rows.left_behind(&output);
            self.open.output = Some(output);
        }
        self.open.on_event(event);
        if let Some(row) = row.or_else(|| self.rows.under_way().cloned()) {
            self.open.row = row;
        }
    }

    /// The run has not ended: `word` says what is with its iteration under way.
    pub(crate) fn break_off(&mut self, word: &str) {
        if self.rows.under_way().is_some() {
            word.clone_into(&mut self.open.row.verdict);
        }
    }

    fn close(&mut self, found: Found) {
        if found.row.iteration == 0 {
            return;
        }
        self.series.push(&found.row);
        if self.head.len() < LISTED.0 {
            return self.head.push(Chapter::of(found));
        }
        if self.tail.len() == LISTED.1 {
            self.tail.pop_front();
            self.left_out += 1;
        }
        self.tail.push_back(Chapter::of(found));
    }

    /// All that is to be told.
    pub(crate) fn told(mut self) -> Told {
        let last = std::mem::take(&mut self.open);
        self.close(last);
        let Self { series, head, tail, left_out, .. } = self;
        Told { series, head, tail: tail.into(), left_out }
    }
}

/// A story to its end.
#[derive(Debug)]
pub(crate) struct Told {
    pub(super) series: Series,
    pub(super) head: Vec<Chapter>,
    pub(super) tail: Vec<Chapter>,
    /// How many iterations stand in neither.
    pub(super) left_out: u64,
}
