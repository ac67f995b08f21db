//! Mocha.

use super::{
    Runner,
    findings::{Findings, without_time},
};

/// The counts come first: `2 passing`, `1 failing`. Then each failure has a block: its number, its suites, and its
/// title, which ends with a colon. An empty line is above each block.
#[derive(Default)]
pub(super) struct Mocha {
    found: Findings,
    passing: Option<u64>,
    /// Below the counts, if a test failed. The following lines quote errors.
    in_failures: bool,
    /// The number of the last failure. A lower one belongs to a quoted text.
    number: u64,
    /// The number of failures that the counts state. Until all of them have a block, counts belong to a quoted text.
    failing: u64,
    /// Whether the line above is empty.
    is_below_empty: bool,
    /// The part of the name of the current failure.
    name: Option<String>,
}

impl Mocha {
    /// Adds the line of a suite or a title.
    fn name_part(&mut self, part: &str) {
        let Some(mut name) = self.name.take() else { return };
        if !name.is_empty() {
            name.push_str(" > ");
        }
        let Some(title) = part.strip_suffix(':') else {
            // The depth of suites is bounded, as names are.
            if name.len() < 1000 {
                name.push_str(part);
                self.name = Some(name);
            }
            return;
        };
        name.push_str(title);
        if name.contains("\" hook") {
            // A failed hook counts as a failure, and the tests that it kept from running do not.
            self.found.tally.doubt_total();
        }
        self.found.failing.push(&name);
    }
}

impl Runner for Mocha {
    fn line(&mut self, line: &str) -> bool {
        // A suite can be called `2 passing`, so the time is required.
        if let Some(number) = counted(without_time(line), "passing").filter(|_| without_time(line) != line)
            && self.number >= self.failing
        {
            self.end_run();
            self.passing = Some(number);
        } else if let Some(number) = counted(line, "failing")
            && let Some(passing) = self.passing.take()
        {
            self.found.tally.add(number, passing);
            (self.in_failures, self.number, self.failing) = (true, 0, number);
        } else if self.in_failures {
            let is_next = |number: u64| number > self.number && self.is_below_empty;
            if let Some((number, name)) = numbered(line).filter(|(number, _)| is_next(*number)) {
                self.number = number;
                self.name = Some(String::new());
                self.name_part(name);
            } else if line.starts_with("      ") {
                self.name_part(line.trim_start());
            } else {
                self.name = None;
            }
        }
        self.is_below_empty = line.is_empty();
        self.in_failures
    }

    fn gap(&mut self) {
        self.found.tally.gap();
        (self.failing, self.is_below_empty) = (0, false);
        if self.in_failures {
            // The first block follows the counts directly. A later one with its number is quoted.
            self.number = self.number.max(1);
        }
        // A hook may be among the failures that are left out.
        self.found.tally.doubt_total();
        self.name = None;
        if self.passing.take().is_some() {
            // The number of failures may be missing.
            self.found.tally.doubt();
        }
    }

    fn findings(&mut self) -> Findings {
        self.end_run();
        std::mem::take(&mut self.found)
    }
}

impl Mocha {
    /// Counts a run without failures.
    fn end_run(&mut self) {
        if let Some(passing) = self.passing.take() {
            self.found.tally.add(0, passing);
        }
        (self.in_failures, self.failing) = (false, 0);
    }
}

/// Returns the number in a line such as `  2 passing (5ms)`.
fn counted(line: &str, word: &str) -> Option<u64> {
    line.strip_prefix("  ")?.strip_suffix(word)?.strip_suffix(' ')?.parse().ok()
}

/// Returns the number and the text of a line such as `  1) math`.
fn numbered(line: &str) -> Option<(u64, &str)> {
    let (number, text) = line.strip_prefix("  ")?.split_once(") ")?;
    Some((number.parse().ok()?, text))
}
