//! A run's iterations, one row each.

use std::{collections::VecDeque, fmt::Write, time::Duration};

use loop_core::{Event, EventKind, Observer, Progress, RunTime, Usd, WorkResult};

use super::{BOLD, paint, text};

/// So many rows from the beginning are kept, and so many from the end: a night's run has thousands.
const HEAD: usize = 5;
const TAIL: usize = 15;

/// What is shown of one iteration.
#[derive(Debug, Clone, Default)]
struct Row {
    iteration: u64,
    agent: Duration,
    check: Option<Duration>,
    verdict: String,
    cost: Option<Usd>,
}

/// Collects the rows of a run, in bounded memory.
#[derive(Debug, Default)]
pub(crate) struct Table {
    head: Vec<Row>,
    tail: VecDeque<Row>,
    left_out: u64,
    row: Row,
    began: RunTime,
    /// What the run had cost when the iteration began.
    spent: Usd,
}

impl Table {
    fn push(&mut self) {
        let row = std::mem::take(&mut self.row);
        if self.head.len() < HEAD {
            return self.head.push(row);
        }
        if self.tail.len() == TAIL {
            self.tail.pop_front();
            self.left_out += 1;
        }
        self.tail.push_back(row);
    }

    /// The table as text; empty if there was no iteration.
    pub(crate) fn render(&self) -> String {
        if self.head.is_empty() {
            return String::new();
        }
        let header = format!("  {:>5}  {:>8}  {:>8}  {:<13}  cost", "", "agent", "check", "verdict");
        let mut page = format!("\n{}\n", paint(BOLD, header));
        for row in &self.head {
            row.render(&mut page);
        }
        if self.left_out > 0 {
            page.push_str(&format!("  {:>5}  {} left out\n", "…", text::count(self.left_out, "iteration")));
        }
        for row in &self.tail {
            row.render(&mut page);
        }
        page
    }
}

impl Row {
    fn render(&self, page: &mut String) {
        let check = self.check.map_or_else(|| "-".to_owned(), text::duration);
        let cost = self.cost.map_or_else(|| "unknown".to_owned(), |cost| cost.to_string());
        let (iteration, agent, verdict) = (self.iteration, text::duration(self.agent), &self.verdict);
        // Writing to a string does not fail.
        let _ = writeln!(page, "  {iteration:>5}  {agent:>8}  {check:>8}  {verdict:<13}  {cost}");
    }
}

impl Observer for Table {
    fn on_event(&mut self, event: &Event, progress: &Progress) {
        let took = event.at.since(self.began);
        match &event.kind {
            EventKind::IterationStarted { iteration, .. } => {
                self.row = Row { iteration: *iteration, ..Row::default() };
                self.began = event.at;
                self.spent = progress.usage().cost.map_or(Usd::ZERO, |cost| cost.usd);
            }
            EventKind::EvaluationStarted {} => self.began = event.at,
            EventKind::IterationFinished { result, .. } => {
                self.row.agent = took;
                verdict_of(result, |()| String::new()).clone_into(&mut self.row.verdict);
            }
            EventKind::EvaluationFinished { result, .. } => {
                self.row.check = Some(took);
                self.row.verdict = verdict_of(result, |verdict| verdict.outcome().to_string());
            }
            EventKind::WorkCut { .. } => {
                match self.row.agent.is_zero() {
                    true => self.row.agent = took,
                    false => self.row.check = Some(took),
                }
                "cut".clone_into(&mut self.row.verdict);
                // The step is gone from the progress; what it used is what the run used more.
                let cost = progress.usage().cost.map(|cost| cost.usd);
                self.row.cost =
                    cost.filter(|cost| *cost > self.spent).map(|cost| cost.saturating_sub(self.spent));
            }
            EventKind::StepSettled { .. } => {
                self.row.cost = progress.last_step().and_then(|step| step.usage().cost).map(|cost| cost.usd);
                self.push();
            }
            EventKind::RunFinished { .. } if self.row.iteration > 0 => self.push(),
            _ => {}
        }
    }
}

fn verdict_of<T>(result: &WorkResult<T>, done: impl Fn(&T) -> String) -> String {
    match result {
        WorkResult::Done(value) => done(value),
        WorkResult::Failed(_) => "failed".to_owned(),
        WorkResult::Later { .. } => "put off".to_owned(),
        WorkResult::Halted(_) => "halted".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(iterations: u64) -> Table {
        let mut table = Table::default();
        let mut progress = Progress::default();
        let mut happen = |seconds: u64, kind| {
            let event = Event { at: RunTime::from_micros(seconds * 1_000_000), kind };
            progress.apply(&event);
            table.on_event(&event, &progress);
        };
        happen(0, EventKind::RunStarted { evaluated: true });
        for iteration in 1..=iterations {
            let verdict = loop_core::Verdict::fail();
            happen(iteration * 3, EventKind::IterationStarted { iteration, attempt: 1 });
            let done = EventKind::IterationFinished { result: WorkResult::Done(()), notes: None };
            happen(iteration * 3 + 1, done);
            happen(iteration * 3 + 1, EventKind::EvaluationStarted {});
            happen(
                iteration * 3 + 3,
                EventKind::EvaluationFinished { result: WorkResult::Done(verdict), notes: None },
            );
            happen(iteration * 3 + 3, EventKind::StepSettled { met: false });
        }
        table
    }

    #[test]
    fn an_iteration_is_a_row() {
        let plain = text::printable(&after(1).render());
        insta::assert_snapshot!(plain, @r"
              agent     check  verdict        cost
        1      1.0s      2.0s  fail           unknown
        ");
    }

    #[test]
    fn a_long_run_keeps_its_beginning_and_its_end() {
        let page = after(1_000).render();
        assert_eq!(page.trim().lines().count(), 1 + HEAD + 1 + TAIL);
        assert!(page.contains("980 iterations left out"), "{page}");
        assert!(page.trim_end().lines().last().is_some_and(|row| row.contains(" 1000 ")));
    }
}
