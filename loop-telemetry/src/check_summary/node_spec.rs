//! `node --test` with its reporter `spec`, which is the default on terminals, and everywhere since Node 23.

use super::{
    Runner,
    findings::{Findings, without_time},
    tap::NodeCounts,
};

/// The counts come first, one in each line. A list of the failed tests follows, with their errors.
#[derive(Default)]
pub(super) struct NodeSpec {
    found: Findings,
    counts: NodeCounts,
    in_failures: bool,
    /// The line before was the place of a test.
    is_after_place: bool,
}

impl Runner for NodeSpec {
    fn line(&mut self, line: &str) -> bool {
        if let Some(count) = line.strip_prefix("ℹ ") {
            self.in_failures = false;
            self.counts.read(count, &mut self.found.tally);
        } else if line == "✖ failing tests:" {
            self.in_failures = true;
        } else if self.in_failures
            && self.is_after_place
            && let Some(name) = line.strip_prefix("✖ ")
        {
            self.found.failing.push(without_time(name));
        }
        self.is_after_place = line.starts_with("test at ");
        self.in_failures
    }

    fn gap(&mut self) {
        self.found.tally.gap();
        self.counts = NodeCounts::default();
    }

    fn findings(&mut self) -> Findings {
        std::mem::take(&mut self.found)
    }
}
