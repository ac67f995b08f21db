//! Groups the numbers of iterations into as many bars as fit on a page.

use std::time::Duration;

use loop_core::Usd;

use super::test_history::{TestHistory, failing_tests};
use crate::{check_summary::CheckSummary, rows::IterationRow, words};

/// The most bars of a chart, so that each is at least a pixel wide on a phone.
const MOST: usize = 240;

/// The result of an iteration, as a chart shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BarKind {
    Passed,
    Failed,
    /// It was cut, deferred or halted, or is not over.
    Other,
}

impl BarKind {
    pub(super) const ALL: [Self; 3] = [Self::Passed, Self::Failed, Self::Other];

    pub(super) fn of(row: &IterationRow) -> Self {
        match row.verdict.as_str() {
            "pass" => Self::Passed,
            "fail" | "inconclusive" | "failed" => Self::Failed,
            // Without a check, every iteration that completes counts as passed.
            "" if row.agent.is_some() => Self::Passed,
            _ => Self::Other,
        }
    }
}

/// The sum of some consecutive iterations.
#[derive(Debug, Clone, Default)]
pub(super) struct Bucket {
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) iterations: u32,
    pub(super) agent: Duration,
    pub(super) check: Duration,
    pub(super) cost: Option<Usd>,
    pub(super) tokens: Option<u64>,
    scores: (f64, u32),
    /// The sum of the numbers of failing tests, and how many iterations it counts.
    failing: (u64, u32),
    kinds: [u32; BarKind::ALL.len()],
}

impl Bucket {
    fn of(row: &IterationRow, tests: Option<&CheckSummary>) -> Self {
        let mut kinds = [0; BarKind::ALL.len()];
        kinds[BarKind::of(row) as usize] = 1;
        Self {
            first: row.iteration,
            last: row.iteration,
            iterations: 1,
            agent: row.agent.unwrap_or_default(),
            check: row.check.unwrap_or_default(),
            cost: row.cost().usd(),
            tokens: row.usage.tokens(),
            scores: row.score.map_or((0.0, 0), |score| (score, 1)),
            failing: tests.and_then(failing_tests).map_or((0, 0), |failing| (failing, 1)),
            kinds,
        }
    }

    fn join(&mut self, next: &Self) {
        self.last = next.last;
        self.iterations += next.iterations;
        self.agent += next.agent;
        self.check += next.check;
        self.cost = sum(self.cost, next.cost);
        self.tokens = sum(self.tokens, next.tokens);
        self.scores = (self.scores.0 + next.scores.0, self.scores.1 + next.scores.1);
        self.failing = (self.failing.0 + next.failing.0, self.failing.1 + next.failing.1);
        for (kind, more) in self.kinds.iter_mut().zip(next.kinds) {
            *kind += more;
        }
    }

    /// Names its iterations.
    pub(super) fn name(&self) -> String {
        match (self.first, self.last) {
            (0, 0) => words::BEFORE_FIRST.to_owned(),
            (first, last) if first == last => format!("iteration {first}"),
            (first, last) => format!("iterations {first} to {last}"),
        }
    }

    /// Returns the mean of the reported scores.
    pub(super) fn score(&self) -> Option<f64> {
        let (sum, count) = self.scores;
        (count > 0).then(|| sum / f64::from(count))
    }

    /// Returns the mean of the known numbers of failing tests.
    pub(super) fn failing(&self) -> Option<f64> {
        let (sum, count) = self.failing;
        (count > 0).then(|| sum as f64 / f64::from(count))
    }

    /// Returns the number of its iterations of this kind.
    pub(super) const fn count(&self, kind: BarKind) -> u32 {
        self.kinds[kind as usize]
    }

    /// Divides a sum over all its iterations by their number.
    pub(super) fn mean(&self, sum: f64) -> f64 {
        sum / f64::from(self.iterations.max(1))
    }
}

fn sum<T: std::ops::Add<Output = T>>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one + other),
        (one, other) => one.or(other),
    }
}

/// The iterations of a run, in bounded memory: when they do not fit, each two neighbours are merged.
#[derive(Debug)]
pub(super) struct Series {
    buckets: Vec<Bucket>,
    /// The number of iterations in a full bucket.
    width: u32,
    tests: TestHistory,
}

impl Default for Series {
    fn default() -> Self {
        Self { buckets: Vec::new(), width: 1, tests: TestHistory::default() }
    }
}

impl Series {
    /// Adds the next iteration, and what its check said about tests.
    pub(super) fn push(&mut self, row: &IterationRow, tests: Option<&CheckSummary>) {
        let is_full = self.buckets.last().is_some_and(|last| last.iterations >= self.width);
        if is_full && self.buckets.len() == MOST {
            self.halve();
        }
        let next = Bucket::of(row, tests);
        match self.buckets.last_mut() {
            Some(last) if last.iterations < self.width => last.join(&next),
            _ => self.buckets.push(next),
        }
        if let Some(tests) = tests {
            self.tests.record(self.buckets.len() - 1, tests);
        }
    }

    fn halve(&mut self) {
        self.width = self.width.saturating_mul(2);
        self.tests.halve();
        let pairs = self.buckets.chunks(2).filter_map(|pair| {
            let (first, rest) = pair.split_first()?;
            let mut joined = first.clone();
            rest.iter().for_each(|next| joined.join(next));
            Some(joined)
        });
        self.buckets = pairs.collect();
    }

    pub(super) fn buckets(&self) -> &[Bucket] {
        &self.buckets
    }

    /// Returns the tests that failed, and in which buckets.
    pub(super) const fn tests(&self) -> &TestHistory {
        &self.tests
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::test_history::FailingTest, *};

    fn results(iteration: u64) -> CheckSummary {
        let failing = vec![format!("old {}", iteration / 1000), "all".to_owned()];
        CheckSummary { failing, ..CheckSummary::default() }
    }

    fn row(iteration: u64) -> IterationRow {
        let mut row = IterationRow::default();
        (row.iteration, row.agent) = (iteration, Some(Duration::from_secs(iteration)));
        (row.verdict, row.score) = ("fail".to_owned(), Some(0.5));
        row
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn nothing_is_lost_and_the_bars_are_few(iterations in 1..5000_u64) {
            let mut series = Series::default();
            (1..=iterations).for_each(|iteration| series.push(&row(iteration), Some(&results(iteration))));
            let buckets = series.buckets();
            prop_assert!(buckets.len() <= MOST && buckets.len() as u64 >= (iterations / 4).min(MOST as u64 / 2));
            let ends: Vec<_> = buckets.iter().map(|bucket| (bucket.first, bucket.last)).collect();
            prop_assert_eq!((ends[0].0, ends[ends.len() - 1].1), (1, iterations));
            prop_assert!(ends.windows(2).all(|pair| pair[0].1 + 1 == pair[1].0));
            let time: Duration = buckets.iter().map(|bucket| bucket.agent).sum();
            prop_assert_eq!(time.as_secs(), iterations * (iterations + 1) / 2);
            let failed: u64 = buckets.iter().map(|bucket| u64::from(bucket.count(BarKind::Failed))).sum();
            prop_assert_eq!(failed, iterations);
            prop_assert!(buckets.iter().all(|bucket| bucket.score() == Some(0.5)));
            prop_assert!(buckets.iter().all(|bucket| bucket.failing() == Some(2.0)));
            for (place, bucket) in buckets.iter().enumerate() {
                let all = series.tests().listed().find(|test| test.name == "all").expect("its row");
                prop_assert_eq!(all.failures[&place], bucket.iterations);
            }
            let failures = |test: &FailingTest| test.failures.values().map(|count| u64::from(*count)).sum::<u64>();
            let failed: u64 = series.tests().listed().map(failures).sum();
            prop_assert_eq!(failed, 2 * iterations);
        }
    }
}
