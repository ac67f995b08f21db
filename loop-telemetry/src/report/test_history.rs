//! Which tests failed in which iterations.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

use super::{
    chart::{Axis, Bar, drawing},
    html::Markup,
    series::Bucket,
};
use crate::{check_summary::CheckSummary, words};

/// The maximum number of tests that are counted, and that a page lists.
const COUNTED: usize = 500;
const LISTED: usize = 40;

/// Returns the number of tests that failed: the one in the output, or the number of names.
pub(super) fn failing_tests(summary: &CheckSummary) -> Option<u64> {
    let named = summary.failing.len() as u64;
    // Errors may have kept the others from running.
    summary
        .failed
        .filter(|failed| *failed > 0 || summary.errors.is_empty())
        .or_else(|| (named > 0).then_some(named))
}

/// A test that failed.
#[derive(Debug)]
pub(super) struct FailingTest {
    pub(super) name: String,
    /// How often it failed in each bucket in which it did.
    pub(super) failures: BTreeMap<usize, u32>,
}

/// The tests that failed, in bounded memory.
#[derive(Debug, Default)]
pub(super) struct TestHistory {
    tests: Vec<FailingTest>,
    places: HashMap<String, usize>,
    /// There were more names than are counted.
    is_partial: bool,
}

impl TestHistory {
    /// Records the names of an iteration in this bucket.
    pub(super) fn record(&mut self, bucket: usize, summary: &CheckSummary) {
        for name in &summary.failing {
            let place = match self.places.get(name) {
                Some(place) => *place,
                None if self.tests.len() == COUNTED => {
                    self.is_partial = true;
                    continue;
                }
                None => {
                    self.tests.push(FailingTest { name: name.clone(), failures: BTreeMap::new() });
                    self.places.insert(name.clone(), self.tests.len() - 1);
                    self.tests.len() - 1
                }
            };
            *self.tests[place].failures.entry(bucket).or_default() += 1;
        }
    }

    /// Merges each two neighbouring buckets.
    pub(super) fn halve(&mut self) {
        for test in &mut self.tests {
            let mut merged = BTreeMap::new();
            for (bucket, count) in std::mem::take(&mut test.failures) {
                *merged.entry(bucket / 2).or_default() += count;
            }
            test.failures = merged;
        }
    }

    /// Returns the tests that failed most recently, and of these first the ones that failed most often.
    pub(super) fn listed(&self) -> impl Iterator<Item = &FailingTest> {
        let mut tests: Vec<_> = self.tests.iter().collect();
        tests.sort_by_key(|test| {
            let last = test.failures.last_key_value().map(|(bucket, _)| *bucket);
            Reverse((last, test.failures.values().sum::<u32>()))
        });
        tests.into_iter().take(LISTED)
    }

    /// Returns a row for each listed test, with a bar for each iteration in which it failed. `None` without names.
    pub(super) fn markup(&self, buckets: &[Bucket]) -> Option<Markup> {
        let axis = Axis::of(buckets.iter().map(|bucket| (bucket.first, bucket.last)));
        let rows = self.listed().map(|test| {
            let bars: Vec<_> = buckets.iter().enumerate().map(|(at, bucket)| test.bar(at, bucket)).collect();
            let plot = drawing(&format!("iterations in which {} failed", test.name), &bars, &axis);
            let plot = Markup::element("div", &[("class", "strip")], [plot]);
            Markup::element("li", &[], [Markup::words("span", "name", &test.name), plot])
        });
        let mut rows: Vec<_> = rows.collect();
        if rows.is_empty() {
            return None;
        }
        let left_out = self.tests.len() - rows.len();
        let axis = [Markup::words("span", "name", "iteration"), axis.markup()];
        rows.push(Markup::element("li", &[("class", "scale")], axis));
        let mut parts = vec![Markup::element("ul", &[("class", "tests")], rows)];
        if left_out > 0 {
            let least = if self.is_partial { "at least " } else { "" };
            let more =
                format!("{least}{} more failed, not listed here", words::count(left_out as u64, "test"));
            parts.push(Markup::words("p", "gap", &more));
        }
        Some(Markup::element("div", &[("class", "card")], parts))
    }
}

impl FailingTest {
    fn bar(&self, at: usize, bucket: &Bucket) -> Bar {
        let count = self.failures.get(&at).copied().unwrap_or_default();
        let how_often = match bucket.iterations {
            1 => "failed".to_owned(),
            all => format!("failed in {count} of {all}"),
        };
        let height = bucket.mean(f64::from(count)).min(1.0);
        Bar { parts: vec![("bad", height)], label: format!("{}: {how_often}", bucket.name()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary<'a>(failing: impl IntoIterator<Item = &'a str>) -> CheckSummary {
        let failing = failing.into_iter().map(str::to_owned).collect();
        CheckSummary { failing, ..CheckSummary::default() }
    }

    #[test]
    fn a_test_that_still_fails_comes_first_and_the_memory_is_bounded() {
        let mut history = TestHistory::default();
        history.record(0, &summary(["once", "often", "old"]));
        history.record(1, &summary(["often", "once again"]));
        history.record(2, &summary(["new", "often"]));
        let listed: Vec<_> = history.listed().map(|test| test.name.as_str()).collect();
        assert_eq!(listed, ["often", "new", "once again", "once", "old"]);
        let many: Vec<_> = (0..2000).map(|number| number.to_string()).collect();
        history.record(3, &summary(many.iter().map(String::as_str)));
        assert_eq!((history.tests.len(), history.listed().count()), (COUNTED, LISTED));
        assert!(history.is_partial);
    }
}
