//! One iteration, shown alone.

use loop_core::{Event, EventKind, Notes, Verdict, WorkResult};

use super::IterationRow;

/// The details of one iteration, which do not fit into its row.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct IterationDetails {
    /// The row, which the caller takes from a [`RowFold`](super::RowFold).
    pub row: IterationRow,
    /// The verdict of the check.
    pub verdict: Option<Verdict>,
    /// The errors and faults that the run reported, in order.
    pub troubles: Vec<String>,
}

impl IterationDetails {
    /// Creates the details of the iteration in this row.
    pub fn of(row: IterationRow) -> Self {
        Self { row, ..Self::default() }
    }

    /// Takes an event of the iteration. The start of another attempt discards all details of the earlier one.
    pub fn on_event(&mut self, event: &Event) {
        match &event.kind {
            EventKind::IterationStarted { .. } => *self = Self::default(),
            EventKind::IterationFinished { result, notes } => self.note(result, notes.as_deref()),
            EventKind::EvaluationFinished { result, notes } => {
                self.note(result, notes.as_deref());
                if let WorkResult::Done(verdict) = result {
                    self.verdict = Some(verdict.clone());
                }
            }
            EventKind::InterruptRequested { cause } => self.troubles.push(cause.to_string()),
            _ => {}
        }
    }

    fn note<T>(&mut self, result: &WorkResult<T>, notes: Option<&Notes>) {
        match result {
            WorkResult::Failed(message) => self.troubles.push(message.to_string()),
            WorkResult::Halted(halt) => self.troubles.push(halt.to_string()),
            _ => {}
        }
        self.troubles.extend(notes.and_then(|notes| notes.fault.as_deref()).map(str::to_owned));
    }
}
