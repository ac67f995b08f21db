//! What is shown of one iteration, folded from the run's events.

use std::time::Duration;

use loop_core::{CostQuality, Event, EventKind, Notes, RunCost, RunTime, Usage, WorkResult};

use super::{Left, text};

/// One iteration.
#[derive(Debug, Clone, Default)]
pub(crate) struct Row {
    pub(crate) iteration: u64,
    /// How often it was begun: more than once if the run died in it.
    pub(crate) attempt: u32,
    pub(crate) agent: Option<Duration>,
    pub(crate) check: Option<Duration>,
    /// How it ended, in a word; empty while it goes on.
    pub(crate) verdict: String,
    pub(crate) score: Option<f64>,
    /// What all attempts at it used, those that were put off included.
    pub(crate) usage: Usage,
    /// Of the agent's cost a part is not known, at least.
    pub(super) is_unpriced: bool,
    /// The agent's exit code, as a shell shows it, where its output is at hand.
    pub(crate) exit: Option<i32>,
    /// How many bytes the agent printed, where its output is at hand.
    pub(crate) bytes: Option<u64>,
}

impl Row {
    /// The cells of a table that stands under a run.
    pub(super) fn brief(&self) -> Vec<String> {
        vec![
            self.iteration.to_string(),
            time(self.agent),
            time(self.check),
            self.verdict.clone(),
            self.cost().to_string(),
        ]
    }

    /// The cells of a table for who looks at a run later.
    pub(crate) fn full(&self) -> Vec<String> {
        let shown = |number: Option<String>| number.unwrap_or_default();
        vec![
            self.iteration.to_string(),
            time(self.agent),
            shown(self.exit.map(|code| code.to_string())),
            shown(self.bytes.map(text::bytes)),
            time(self.check),
            self.verdict.clone(),
            shown(self.score.map(|score| format!("{score:.2}"))),
            shown(self.usage.tokens().map(text::grouped)),
            self.cost().to_string(),
        ]
    }

    /// What it cost, as the run's sum has it.
    pub(crate) const fn cost(&self) -> RunCost {
        match RunCost::reported(self.usage.cost) {
            RunCost::About(usd) | RunCost::Exactly(usd) if self.is_unpriced => RunCost::AtLeast(usd),
            cost => cost,
        }
    }

    /// The agent has ended: what is known of its cost now is what will be known.
    fn price(&mut self) {
        self.is_unpriced = self.usage.cost.is_none_or(|cost| cost.quality == CostQuality::Partial);
    }
}

/// How long work took, if it came to its end.
fn time(took: Option<Duration>) -> String {
    took.map_or_else(|| "-".to_owned(), text::duration)
}

/// The fold of a run's events into rows.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    row: Row,
    /// The row's iteration is settled.
    is_over: bool,
    /// When the work under way began.
    began: RunTime,
}

impl Rows {
    /// Takes the next event, and gives a row if that ends an iteration. An iteration can end twice, in its
    /// check: when the run ended in it, and when that was taken up again. The later row is the right one.
    pub(crate) fn next(&mut self, event: &Event) -> Option<Row> {
        let took = event.at.since(self.began);
        let row = &mut self.row;
        // What comes late, between two iterations, belongs to none.
        if let Some(usage) = event.kind.usage().filter(|_| !self.is_over) {
            row.usage += *usage;
        }
        match &event.kind {
            EventKind::IterationStarted { iteration, attempt } => {
                // An iteration that is tried again has been paid for before.
                let usage = if row.iteration == *iteration { row.usage } else { Usage::unknown() };
                *row = Row { iteration: *iteration, attempt: *attempt, usage, ..Row::default() };
                (self.is_over, self.began) = (false, event.at);
            }
            EventKind::EvaluationStarted {} => self.began = event.at,
            EventKind::IterationFinished { result, notes } => {
                revise(&mut row.usage, notes.as_deref());
                row.price();
                row.agent = Some(took);
                verdict_of(result, |()| String::new()).clone_into(&mut row.verdict);
            }
            EventKind::EvaluationFinished { result, .. } => {
                row.check = Some(took);
                row.verdict = verdict_of(result, |verdict| verdict.outcome().to_string());
                if let WorkResult::Done(verdict) = result {
                    row.score = verdict.score();
                }
            }
            EventKind::WorkCut { .. } => {
                match row.agent {
                    None => {
                        row.agent = Some(took);
                        row.price();
                    }
                    Some(_) => row.check = Some(took),
                }
                "cut".clone_into(&mut row.verdict);
            }
            EventKind::StepSettled { .. } => {
                self.is_over = true;
                return Some(row.clone());
            }
            EventKind::RunFinished { .. } => return self.under_way().cloned(),
            _ => {}
        }
        None
    }

    /// What the agent left behind in the iteration under way.
    pub(crate) fn left_behind(&mut self, left: &Left) {
        self.row.exit = left.exit_code();
        self.row.bytes = Some(left.bytes());
    }

    /// The iteration that began and is not settled.
    pub(crate) fn under_way(&self) -> Option<&Row> {
        Some(&self.row).filter(|row| row.iteration > 0 && !self.is_over)
    }
}

/// How far a cost can be believed may be known better once its iteration has ended.
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
