//! A run's iterations, one row each.

use std::collections::VecDeque;

use loop_core::{Event, Observer, Progress};

use super::{IterationOutput, IterationRow, MeanUse, RowFold};
use crate::words::{
    self,
    table::{self, Column},
};

/// Collects the rows of a run, in bounded memory.
#[derive(Debug)]
pub struct IterationTable {
    rows: RowFold,
    mean_use: MeanUse,
    head: Vec<IterationRow>,
    tail: VecDeque<IterationRow>,
    left_out: u64,
    /// The first rows are of an earlier process, so nobody has seen their lines in this one.
    has_earlier_rows: bool,
    /// The number of rows kept from the beginning and from the end: a night's run has thousands.
    kept: (usize, usize),
    columns: &'static [Column],
    cells: fn(&IterationRow) -> Vec<String>,
}

/// The table that stands under a run.
impl Default for IterationTable {
    fn default() -> Self {
        const COLUMNS: &[Column] = &[
            Column::numbers("").at_least(5),
            Column::numbers("agent").at_least(8),
            Column::numbers("check").at_least(8),
            Column::words("verdict").at_least(13),
            Column::words("cost"),
        ];
        Self::of((5, 15), COLUMNS, IterationRow::brief_cells)
    }
}

impl IterationTable {
    fn of(kept: (usize, usize), columns: &'static [Column], cells: fn(&IterationRow) -> Vec<String>) -> Self {
        Self {
            rows: RowFold::default(),
            mean_use: MeanUse::default(),
            head: Vec::new(),
            tail: VecDeque::new(),
            left_out: 0,
            has_earlier_rows: false,
            kept,
            columns,
            cells,
        }
    }

    /// Creates a table for inspection after the run, with more rows and every known detail.
    pub fn full() -> Self {
        const COLUMNS: &[Column] = &[
            Column::numbers(""),
            Column::numbers("agent"),
            Column::numbers("exit"),
            Column::numbers("output"),
            Column::numbers("check"),
            Column::words("verdict"),
            Column::numbers("score"),
            Column::numbers("tokens"),
            Column::words("cost"),
        ];
        Self::of((20, 80), COLUMNS, IterationRow::full_cells)
    }

    /// Marks the rows so far as those of an earlier process.
    pub const fn continued(mut self) -> Self {
        self.has_earlier_rows = !self.head.is_empty();
        self
    }

    /// Returns whether the table under a run adds something to the lines that were printed for each iteration. They
    /// contain the same facts (but for the cost of an interrupted agent, which the total includes), so it does only as
    /// an overview: of more iterations than fit on a screen, of several iterations with output between their lines, or
    /// of iterations whose lines this process did not print.
    pub fn adds_to_lines(&self, has_output_between: bool) -> bool {
        const ON_A_SCREEN: usize = 5;
        let rows = self.head.len() + self.tail.len();
        rows > ON_A_SCREEN || self.has_earlier_rows || (has_output_between && rows > 1)
    }

    /// Records the agent's output in the current iteration.
    pub fn record_output(&mut self, output: &dyn IterationOutput) {
        self.rows.record_output(output);
    }

    /// Ends the table of an unfinished run with the known part of the current iteration.
    pub fn end_unfinished(&mut self, verdict: &str) {
        if let Some(row) = self.rows.current() {
            let mut row = row.clone();
            verdict.clone_into(&mut row.verdict);
            self.push(row);
        }
    }

    fn push(&mut self, row: IterationRow) {
        let last = self.tail.back_mut().or(self.head.last_mut());
        if let Some(last) = last.filter(|last| last.iteration == row.iteration) {
            *last = row;
            return;
        }
        if self.head.len() < self.kept.0 {
            return self.head.push(row);
        }
        if self.tail.len() == self.kept.1 {
            self.tail.pop_front();
            self.left_out += 1;
        }
        self.tail.push_back(row);
    }

    /// Returns the mean use of an iteration.
    pub const fn mean_use(&self) -> &MeanUse {
        &self.mean_use
    }

    /// Returns the table as text; empty without iterations.
    pub fn render(&self) -> String {
        if self.head.is_empty() {
            return String::new();
        }
        let cells: Vec<_> = self.head.iter().chain(&self.tail).map(self.cells).collect();
        let mut lines = table::lines(self.columns, &cells);
        if self.left_out > 0 {
            let gap = format!("  {:>5}  {} left out", "…", words::count(self.left_out, "iteration"));
            lines.insert(1 + self.head.len(), gap);
        }
        format!("\n{}\n", lines.join("\n"))
    }
}

impl Observer for IterationTable {
    fn on_event(&mut self, event: &Event, progress: &Progress) {
        self.mean_use.observe(progress);
        if let Some(row) = self.rows.on_event(event) {
            self.push(row);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use loop_core::{Cost, EventKind, Notes, RunTime, Usage, Usd, WorkResult};

    use super::*;

    fn plain(table: &IterationTable) -> String {
        words::plain(&table.render()).into_owned()
    }

    fn after(iterations: u64) -> IterationTable {
        let mut table = IterationTable::default();
        let mut progress = Progress::default();
        let mut happen = |seconds: u64, kind| {
            let event = Event::new(RunTime::from_micros(seconds * 1_000_000), kind);
            progress.apply(&event).expect("it follows");
            table.on_event(&event, &progress);
        };
        happen(0, EventKind::RunStarted { evaluated: true, evaluates_first: false });
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
            happen(iteration * 3 + 3, EventKind::StepSettled { met: false, by: None });
        }
        table
    }

    #[test]
    fn an_iteration_is_a_row() {
        insta::assert_snapshot!(plain(&after(1)), @r"
              agent     check  verdict        cost
        1      1.0s      2.0s  fail           unknown
        ");
    }

    /// Folds these events into a table, a second apart.
    fn folded(kinds: impl IntoIterator<Item = EventKind>) -> IterationTable {
        let (mut table, mut progress) = (IterationTable::full(), Progress::default());
        for (second, kind) in (0..).zip(kinds) {
            let event = Event::new(RunTime::from_micros(second * 1_000_000), kind);
            progress.apply(&event).expect("it follows");
            table.on_event(&event, &progress);
        }
        table
    }

    #[test]
    fn an_iteration_that_is_judged_again_has_one_row() {
        let ending = || {
            let halt = loop_core::Halt::new(loop_core::StopReason::Cancelled, "");
            Box::new(loop_core::Ending::halted(halt))
        };
        let judged = || WorkResult::Done(loop_core::Verdict::pass().with_score(0.5));
        let kinds = [
            EventKind::RunStarted { evaluated: true, evaluates_first: false },
            EventKind::IterationStarted { iteration: 1, attempt: 1 },
            EventKind::IterationFinished { result: WorkResult::Done(()), notes: None },
            EventKind::EvaluationStarted {},
            EventKind::InterruptRequested { cause: ending() },
            EventKind::WorkCut { notes: None },
            EventKind::RunFinished { ending: ending() },
            EventKind::RunResumed {},
            EventKind::EvaluationStarted {},
            EventKind::EvaluationFinished { result: judged(), notes: None },
            EventKind::StepSettled { met: true, by: None },
        ];
        let page = |events| plain(&folded(kinds.clone().into_iter().take(events)));
        insta::assert_snapshot!(page(7), @"
           agent  check  verdict  cost
        1   1.0s   2.0s  cut      unknown
        ");
        insta::assert_snapshot!(page(11), @"
           agent  check  verdict  score  cost
        1   1.0s   1.0s  pass      0.50  unknown
        ");
    }

    #[test]
    fn an_iteration_that_was_deferred_costs_what_all_its_attempts_did() {
        let spent = |usd| {
            let usage = Usage::unknown().with_cost(Cost::known(Usd::dollars(usd)));
            Notes::default().with_usage(usage).boxed()
        };
        let started = || EventKind::IterationStarted { iteration: 1, attempt: 1 };
        let later = WorkResult::Later { after: Duration::from_secs(30) };
        let kinds = [
            EventKind::RunStarted { evaluated: false, evaluates_first: false },
            started(),
            EventKind::IterationFinished { result: later, notes: spent(1) },
            started(),
            EventKind::IterationFinished { result: WorkResult::Done(()), notes: spent(2) },
            EventKind::StepSettled { met: true, by: None },
        ];
        let mut table = folded(kinds.clone().into_iter().take(3));
        table.end_unfinished("put off");
        insta::assert_snapshot!(plain(&table), @"
           agent  check  verdict  cost
        1   1.0s      -  put off  $1.00
        ");
        insta::assert_snapshot!(plain(&folded(kinds)), @"
           agent  check  cost
        1   1.0s      -  $3.00
        ");
    }

    #[test]
    fn a_cost_of_which_the_check_told_its_part_alone_is_a_lower_bound() {
        let usage = Usage::unknown().with_cost(Cost::known(Usd::dollars(1)));
        let notes = Notes::default().with_usage(usage).boxed();
        let table = folded([
            EventKind::RunStarted { evaluated: true, evaluates_first: false },
            EventKind::IterationStarted { iteration: 1, attempt: 1 },
            EventKind::IterationFinished { result: WorkResult::Done(()), notes: None },
            EventKind::EvaluationStarted {},
            EventKind::EvaluationFinished { result: WorkResult::Done(loop_core::Verdict::fail()), notes },
            EventKind::StepSettled { met: false, by: None },
        ]);
        assert!(table.render().contains("at least $1.00"), "{}", table.render());
    }

    #[test]
    fn an_iteration_under_way_is_shown_as_far_as_it_is_known() {
        let mut table = folded([
            EventKind::RunStarted { evaluated: true, evaluates_first: false },
            EventKind::IterationStarted { iteration: 1, attempt: 2 },
        ]);
        table.end_unfinished("running");
        insta::assert_snapshot!(plain(&table), @"
           agent  check  verdict  cost
        1      -      -  running  unknown
        ");
    }

    #[test]
    fn a_long_run_keeps_its_beginning_and_its_end() {
        let page = after(1_000).render();
        assert_eq!(page.trim().lines().count(), 1 + 5 + 1 + 15);
        assert!(page.contains("980 iterations left out"), "{page}");
        assert!(page.trim_end().lines().last().is_some_and(|row| row.contains(" 1000 ")));
    }
}
