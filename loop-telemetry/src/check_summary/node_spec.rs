//! `node --test` with its reporter `spec`, which is the default on terminals, and everywhere since Node 23; and `dot`.

use std::collections::{HashMap, VecDeque};

use super::{
    Runner,
    findings::{Findings, Names, shorten, without_time},
    tap::NodeCounts,
};

/// The deepest nesting of suites whose names are joined, and the maximum number of tests that get them.
const DEEPEST: usize = 16;
const MOST_PATHS: usize = 1000;

/// A tree of the tests comes first, then the counts, one in each line. A list of the failed tests follows, with their
/// errors. It lacks the suites, which are in the tree. `dot` has the list only.
#[derive(Default)]
pub(super) struct NodeSpec {
    found: Findings,
    counts: NodeCounts,
    list: Option<List>,
    /// The line before was the place of a test.
    is_after_place: bool,
    /// The test in the line before, and the one before it.
    last: Option<String>,
    previous: String,
    /// The failed tests of `dot` whose suite may follow.
    groups: Groups,
    /// The suites around the current line.
    suites: Vec<String>,
    /// The suites of failed tests by the name of the test, in the order of the tree.
    paths: HashMap<String, VecDeque<String>>,
}

#[derive(Clone, Copy, PartialEq)]
enum List {
    Spec,
    Dot,
}

impl NodeSpec {
    /// Reads a line of the tree.
    fn in_tree(&mut self, line: &str) {
        let text = line.trim_start();
        let depth = (line.len() - text.len()) / 2;
        if let Some(suite) = text.strip_prefix("▶ ").filter(|_| depth < DEEPEST) {
            self.suites.truncate(depth);
            if self.suites.len() == depth {
                self.suites.push(shorten(suite, 100));
            }
        } else if let Some(name) = failed_test(text)
            && let Some(suites @ [_, ..]) = self.suites.get(..depth)
            && self.paths.len() < MOST_PATHS
        {
            self.paths.entry(name.to_owned()).or_default().push_back(suites.join(" > "));
        }
    }

    /// Reports a failed test, or keeps it until its suite is known.
    fn report(&mut self, test: String) {
        match self.list {
            Some(List::Dot) => self.groups.push(test, &mut self.found.failing),
            _ => self.found.failing.push(&test),
        }
    }
}

impl Runner for NodeSpec {
    fn line(&mut self, line: &str) -> bool {
        // `dot` lists a suite too, because of its tests.
        let subtests = failed_subtests(line);
        match (self.last.take(), subtests) {
            (Some(suite), Some(count)) if self.list == Some(List::Dot) => self.groups.join(&suite, count),
            (None, _) | (_, Some(_)) => {}
            (Some(test), None) => self.report(test),
        }
        if let Some(count) = line.strip_prefix("ℹ ") {
            self.list = None;
            self.counts.read(count, &mut self.found.tally);
        } else if line == "✖ failing tests:" {
            self.list = Some(List::Spec);
        } else if line == "Failed tests:" {
            self.list = Some(List::Dot);
        } else if self.list.is_none() {
            self.in_tree(line);
        } else if (self.is_after_place || self.list == Some(List::Dot))
            && let Some(name) = failed_test(line)
        {
            let suites = self.paths.get_mut(name).and_then(VecDeque::pop_front);
            // A suite whose hook failed comes after its tests, and does not count.
            let path = suites.map_or_else(|| name.to_owned(), |suites| format!("{suites} > {name}"));
            if !self.previous.strip_prefix(&path).is_some_and(|rest| rest.starts_with(" > ")) {
                self.previous.clone_from(&path);
                self.last = Some(path);
            }
        }
        self.is_after_place = line.starts_with("test at ");
        self.list.is_some()
    }

    fn gap(&mut self) {
        self.found.tally.gap();
        self.counts.gap(&mut self.found.tally);
        // It may be a suite, and the names of the list may now belong to other lines of the tree.
        self.last = None;
        self.groups.end(&mut self.found.failing);
        self.suites.clear();
        self.paths.clear();
    }

    fn findings(&mut self) -> Findings {
        if let Some(last) = self.last.take() {
            self.report(last);
        }
        self.groups.end(&mut self.found.failing);
        std::mem::take(&mut self.found)
    }
}

/// The failed tests in the list of `dot`. It names a suite below its tests, with the number of those that failed.
#[derive(Default)]
struct Groups(Vec<Vec<String>>);

impl Groups {
    /// Adds a test.
    fn push(&mut self, test: String, failing: &mut Names) {
        if self.0.len() == MOST_PATHS {
            self.end(failing);
        }
        self.0.push(vec![test]);
    }

    /// Puts the last tests and suites into a suite. A part of them may be left out: the others then keep their names.
    fn join(&mut self, suite: &str, count: usize) {
        let Some(start) = self.0.len().checked_sub(count) else { return };
        let suite = shorten(suite, 100);
        let is_short = |test: &String| test.len() < DEEPEST * 100;
        let name = |test: String| if is_short(&test) { format!("{suite} > {test}") } else { test };
        let tests = self.0.drain(start..).flatten().map(name).collect();
        self.0.push(tests);
    }

    /// Reports the tests, because no suite of them follows.
    fn end(&mut self, failing: &mut Names) {
        failing.extend(self.0.drain(..).flatten());
    }
}

/// Returns the number in the line below a suite: `'2 subtests failed'`.
fn failed_subtests(line: &str) -> Option<usize> {
    let text = line.trim_start().strip_prefix('\'')?;
    let count = text.strip_suffix(" subtests failed'").or_else(|| text.strip_suffix(" subtest failed'"))?;
    count.parse().ok()
}

/// Returns the name in a line such as `✖ adds (1.2ms)`. Behind the time, there is the reason of a test that may fail.
fn failed_test(line: &str) -> Option<&str> {
    let test = line.strip_prefix("✖ ")?;
    (!test.contains("ms) # ")).then(|| without_time(test))
}
