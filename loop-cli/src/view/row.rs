//! What is shown of one iteration, folded from the run's events.

use std::time::Duration;

use loop_agents::shell::ShellOutput;
use loop_core::{Event, EventKind, Progress, RunTime, Usd, WorkResult};

use super::text;

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
    pub(crate) cost: Option<Usd>,
    pub(crate) tokens: Option<u64>,
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
            self.cost(),
        ]
    }

    /// The cells of a table for who looks at a run later.
    pub(super) fn full(&self) -> Vec<String> {
        let shown = |number: Option<String>| number.unwrap_or_default();
        vec![
            self.iteration.to_string(),
            time(self.agent),
            shown(self.exit.map(|code| code.to_string())),
            shown(self.bytes.map(text::bytes)),
            time(self.check),
            self.verdict.clone(),
            shown(self.score.map(|score| format!("{score:.2}"))),
            shown(self.tokens.map(text::grouped)),
            self.cost(),
        ]
    }

    pub(crate) fn cost(&self) -> String {
        self.cost.map_or_else(|| "unknown".to_owned(), |cost| cost.to_string())
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
    /// What the run had used when the iteration began.
    cost: Usd,
    tokens: u64,
}

impl Rows {
    /// Takes the next event, and gives a row if that ends an iteration. An iteration can end twice, in its
    /// check: when the run ended in it, and when that was taken up again. The later row is the right one.
    pub(crate) fn next(&mut self, event: &Event, progress: &Progress) -> Option<Row> {
        let took = event.at.since(self.began);
        let row = &mut self.row;
        match &event.kind {
            EventKind::IterationStarted { iteration, attempt } => {
                *row = Row { iteration: *iteration, attempt: *attempt, ..Row::default() };
                (self.is_over, self.began) = (false, event.at);
                (self.cost, self.tokens) = used(progress);
            }
            EventKind::EvaluationStarted {} => self.began = event.at,
            EventKind::IterationFinished { result, .. } => {
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
                    None => row.agent = Some(took),
                    Some(_) => row.check = Some(took),
                }
                "cut".clone_into(&mut row.verdict);
                // The step is gone from the progress; what it used is what the run used more.
                let (cost, tokens) = used(progress);
                row.cost = (cost > self.cost).then(|| cost.saturating_sub(self.cost));
                row.tokens = (tokens > self.tokens).then(|| tokens - self.tokens);
            }
            EventKind::StepSettled { .. } => {
                let usage = progress.last_step().map(loop_core::StepRecord::usage);
                row.cost = usage.and_then(|usage| usage.cost).map(|cost| cost.usd);
                row.tokens = usage.and_then(loop_core::Usage::tokens);
                self.is_over = true;
                return Some(row.clone());
            }
            EventKind::RunFinished { .. } => return self.under_way().cloned(),
            _ => {}
        }
        None
    }

    /// What the agent left behind in the iteration under way.
    pub(crate) fn left_behind(&mut self, output: &ShellOutput) {
        self.row.exit = Some(output.exit.shell_code());
        self.row.bytes = Some(output.stdout.total().saturating_add(output.stderr.total()));
    }

    /// The iteration that began and is not settled.
    pub(crate) fn under_way(&self) -> Option<&Row> {
        Some(&self.row).filter(|row| row.iteration > 0 && !self.is_over)
    }
}

fn used(progress: &Progress) -> (Usd, u64) {
    let usage = progress.usage();
    (usage.cost.map_or(Usd::ZERO, |cost| cost.usd), usage.tokens().unwrap_or(0))
}

fn verdict_of<T>(result: &WorkResult<T>, done: impl Fn(&T) -> String) -> String {
    match result {
        WorkResult::Done(value) => done(value),
        WorkResult::Failed(_) => "failed".to_owned(),
        WorkResult::Later { .. } => "put off".to_owned(),
        WorkResult::Halted(_) => "halted".to_owned(),
    }
}
