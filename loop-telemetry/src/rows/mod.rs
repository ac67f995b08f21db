//! The iterations of a run, folded from its events into one row each.
//!
//! A table under a run, a list for programs and a report show the same iterations. [`RowFold`] is the one fold from
//! events to what they show, so that they agree about iterations that were tried again, cut, or judged twice.
//!
//! ```
//! use std::time::Duration;
//!
//! use loop_core::{Event, EventKind, RunTime, WorkResult};
//! use loop_telemetry::rows::RowFold;
//!
//! let mut fold = RowFold::default();
//! let mut rows = Vec::new();
//! for (second, kind) in [
//!     (0, EventKind::RunStarted { evaluated: false, evaluates_first: false }),
//!     (0, EventKind::IterationStarted { iteration: 1, attempt: 1 }),
//!     (7, EventKind::IterationFinished { result: WorkResult::Done(()), notes: None }),
//!     (7, EventKind::StepSettled { met: true, by: None }),
//! ] {
//!     rows.extend(fold.on_event(&Event::new(RunTime::from_micros(second * 1_000_000), kind)));
//! }
//! assert_eq!(rows.len(), 1);
//! assert_eq!(rows[0].agent, Some(Duration::from_secs(7)));
//! ```

mod details;
mod mean_use;
mod output;
#[cfg(feature = "text")]
mod table;

use std::{sync::Arc, time::Duration};

use loop_core::{CostQuality, Event, EventKind, Mark, Notes, RunCost, RunTime, Usage, WorkResult};

#[cfg(feature = "text")]
pub use self::table::IterationTable;
pub use self::{details::IterationDetails, mean_use::MeanUse, output::IterationOutput};
use crate::words;

/// The name of the [mark](loop_core::Mark) with the fingerprint of the folder after an iteration. The iteration has a
/// snapshot if it has this mark.
pub const SNAPSHOT_MARK: &str = "snapshot";

/// The name of the [mark](loop_core::Mark) with the number of files that an iteration changed in its folder.
pub const CHANGED_MARK: &str = "changed";

/// Returns the number of files that an iteration changed, if there are snapshots before and after it.
///
/// ```
/// use loop_core::StepRecord;
/// use loop_telemetry::rows::{CHANGED_MARK, changed_files};
///
/// assert_eq!(changed_files(StepRecord::new(1).with_mark(CHANGED_MARK, 3).marks()), Some(3));
/// ```
pub fn changed_files(marks: &[Mark]) -> Option<u64> {
    marks.iter().rev().find(|mark| &*mark.name == CHANGED_MARK).map(|mark| mark.hash)
}

/// The name of the [mark](loop_core::Mark) with the number that a check measured: the bits of the `f64`.
pub const SCORE_MARK: &str = "score";

/// Returns the number that the check of a step measured, if it did.
///
/// ```
/// use loop_core::StepRecord;
/// use loop_telemetry::rows::{SCORE_MARK, measured_score};
///
/// let step = StepRecord::new(1).with_mark(SCORE_MARK, 17.5_f64.to_bits());
/// assert_eq!(measured_score(step.marks()), Some(17.5));
/// ```
pub fn measured_score(marks: &[Mark]) -> Option<f64> {
    let last = marks.iter().rev().find(|mark| &*mark.name == SCORE_MARK)?;
    Some(f64::from_bits(last.hash)).filter(|score| score.is_finite())
}

/// One iteration.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct IterationRow {
    /// Its number, from 1. The row of a check before the first iteration has the number 0.
    pub iteration: u64,
    /// The number of times that it was started: more than one if the run died in it. 0 for a check before the first
    /// iteration.
    pub attempt: u32,
    /// How long the agent worked, once it has ended.
    pub agent: Option<Duration>,
    /// How long the check took, once it has ended.
    pub check: Option<Duration>,
    /// How the iteration ended, in a word. Empty while it goes on, and without a check if the agent succeeded.
    pub verdict: String,
    /// The number that the check measured, or the score of the verdict.
    pub score: Option<f64>,
    /// Whether the check measured the score, rather than only passed or failed with one.
    pub is_measured: bool,
    /// The fingerprint of the folder after the iteration, if there is a snapshot of it.
    pub snapshot: Option<u64>,
    /// The work that was ended before it was done, if there was any.
    pub cut_work: Option<Arc<str>>,
    /// The usage of all attempts at it, deferred ones included.
    pub usage: Usage,
    /// At least a part of the agent's cost is not known.
    is_unpriced: bool,
    /// The agent's exit code, as a shell shows it, if its output is at hand.
    pub exit_code: Option<i32>,
    /// The number of bytes that the agent printed, if its output is at hand.
    pub output_bytes: Option<u64>,
}

impl IterationRow {
    /// Returns the cells of a short table: iteration, agent, check, verdict, cost.
    pub fn brief_cells(&self) -> Vec<String> {
        vec![
            self.iteration.to_string(),
            time(self.agent),
            time(self.check),
            self.verdict.clone(),
            self.cost_cell(),
        ]
    }

    /// Returns the cells of a full table: iteration, agent, exit code, output, check, verdict, score, tokens, cost.
    pub fn full_cells(&self) -> Vec<String> {
        let shown = |number: Option<String>| number.unwrap_or_default();
        vec![
            self.iteration.to_string(),
            time(self.agent),
            shown(self.exit_code.map(|code| code.to_string())),
            shown(self.output_bytes.map(words::bytes)),
            time(self.check),
            self.verdict.clone(),
            shown(self.score.map(|score| format!("{score:.2}"))),
            shown(self.usage.tokens().map(|tokens| words::token_count(tokens, &self.usage))),
            self.cost_cell(),
        ]
    }

    /// The cell of its cost; a dash for a check before the first iteration that reported none.
    fn cost_cell(&self) -> String {
        match (self.iteration, self.usage.cost) {
            (0, None) => "-".to_owned(),
            _ => self.cost().to_string(),
        }
    }

    /// Returns its cost, with the same certainty that the sum of the run has.
    pub const fn cost(&self) -> RunCost {
        match RunCost::reported(self.usage.cost) {
            RunCost::About(usd) | RunCost::Exactly(usd) if self.is_unpriced => RunCost::AtLeast(usd),
            cost => cost,
        }
    }

    /// Records whether the cost is known. The agent has ended, so it will not become known later.
    fn price(&mut self) {
        self.is_unpriced = self.usage.cost.is_none_or(|cost| cost.quality == CostQuality::Partial);
    }
}

/// The cell of a time; a dash if the work has not ended.
fn time(took: Option<Duration>) -> String {
    took.map_or_else(|| "-".to_owned(), words::duration)
}

/// Folds the events of a run into rows.
#[derive(Debug, Default)]
pub struct RowFold {
    row: IterationRow,
    /// The row's iteration has begun and is not settled.
    is_open: bool,
    /// When the current work began.
    began: RunTime,
}

impl RowFold {
    /// Takes the next event. Returns a row if the event ends an iteration.
    ///
    /// An iteration whose check was cut can end twice: when the run ended in it, and after the run was resumed. The
    /// later row replaces the earlier one.
    pub fn on_event(&mut self, event: &Event) -> Option<IterationRow> {
        let took = event.at.since(self.began);
        let row = &mut self.row;
        // Usage that arrives late, between two iterations, belongs to none.
        if let Some(usage) = event.kind.usage().filter(|_| self.is_open) {
            row.usage += *usage;
        }
        match &event.kind {
            EventKind::RunStarted { evaluates_first, .. } => self.is_open = *evaluates_first,
            EventKind::IterationStarted { iteration, attempt } => {
                // An iteration that is tried again has been paid for before.
                let usage = if row.iteration == *iteration { row.usage } else { Usage::unknown() };
                *row = IterationRow {
                    iteration: *iteration,
                    attempt: *attempt,
                    usage,
                    ..IterationRow::default()
                };
                (self.is_open, self.began) = (true, event.at);
            }
            EventKind::EvaluationStarted {} => self.began = event.at,
            EventKind::IterationFinished { result, notes } => {
                revise(&mut row.usage, notes.as_deref());
                row.snapshot = snapshot(notes.as_deref());
                row.cut_work = notes.as_ref().and_then(|notes| notes.cut_work.clone());
                row.price();
                row.agent = Some(took);
                verdict_of(result, |()| String::new()).clone_into(&mut row.verdict);
            }
            EventKind::EvaluationFinished { result, notes } => {
                row.check = Some(took);
                row.verdict = verdict_of(result, |verdict| verdict.outcome().to_string());
                if let WorkResult::Done(verdict) = result {
                    let measured = notes.as_deref().and_then(|notes| measured_score(&notes.marks));
                    row.is_measured = measured.is_some();
                    row.score = measured.or(verdict.score());
                }
            }
            EventKind::WorkCut { notes } => {
                match row.agent {
                    None if row.iteration > 0 => {
                        row.snapshot = snapshot(notes.as_deref());
                        row.cut_work = notes.as_ref().and_then(|notes| notes.cut_work.clone());
                        row.agent = Some(took);
                        row.price();
                    }
                    _ => row.check = Some(took),
                }
                "cut".clone_into(&mut row.verdict);
            }
            EventKind::StepSettled { .. } => {
                self.is_open = false;
                return Some(row.clone());
            }
            EventKind::RunFinished { .. } => return self.current().cloned(),
            _ => {}
        }
        None
    }

    /// Notes the agent's output in the current iteration.
    pub fn record_output(&mut self, output: &dyn IterationOutput) {
        self.row.exit_code = output.exit_code();
        self.row.output_bytes = Some(output.bytes());
    }

    /// Returns the iteration that began and is not settled.
    pub fn current(&self) -> Option<&IterationRow> {
        Some(&self.row).filter(|_| self.is_open)
    }
}

fn snapshot(notes: Option<&Notes>) -> Option<u64> {
    notes?.marks.iter().rev().find(|mark| &*mark.name == SNAPSHOT_MARK).map(|mark| mark.hash)
}

/// Takes over the quality of a cost, which may be known better once its iteration has ended.
fn revise(usage: &mut Usage, notes: Option<&Notes>) {
    if let (Some(cost), Some(quality)) = (&mut usage.cost, notes.and_then(|notes| notes.cost_quality)) {
        cost.quality = quality;
    }
}

fn verdict_of<T>(result: &WorkResult<T>, done: impl Fn(&T) -> String) -> String {
    match result {
        WorkResult::Done(value) => done(value),
        WorkResult::Failed(_) => "failed".to_owned(),
        WorkResult::Later { .. } => "put off".to_owned(),
        WorkResult::Halted(_) => "halted".to_owned(),
        _ => "over".to_owned(),
    }
}
