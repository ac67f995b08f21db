//! `cargo nextest run`.

use super::{
    Runner,
    findings::{Findings, figures, sum, without_brackets},
};

/// It prints what failed tests printed, which includes the whole output of their test harness. Then it prints a
/// summary, with the failed tests below it.
#[derive(Default)]
pub(super) struct Nextest {
    found: Findings,
    state: State,
}

#[derive(Default, PartialEq)]
enum State {
    #[default]
    Outside,
    Running,
    /// Below a summary with failures.
    Listing,
}

impl Nextest {
    /// Reads the rest of a summary: `3/5 tests run: 1 passed (1 slow), 2 failed, 1 skipped`.
    fn summary(&mut self, counts: &str) -> Option<u64> {
        let (run, counts) = counts.split_once(" run: ")?;
        let run: u64 = run.split(['/', ' ']).next()?.parse().ok()?;
        let counts = without_brackets(counts);
        let figures = figures(&counts, ',')?;
        let (passed, skipped) = (sum(&figures, &["passed"]), sum(&figures, &["skipped"]));
        // Beside `failed` there are `timed out` and `exec failed`.
        let all = figures.iter().fold(0_u64, |all, (count, _)| all.saturating_add(*count));
        let failed = all - passed - skipped;
        if run == 0 {
            self.found.error("no tests ran");
        }
        self.found.tally.add(failed, passed);
        if passed.checked_add(failed) != Some(run) {
            self.found.tally.doubt();
        }
        Some(failed)
    }
}

impl Runner for Nextest {
    fn line(&mut self, line: &str) -> bool {
        let trimmed = line.trim_start();
        if trimmed.starts_with("Nextest run ID ") {
            self.state = State::Running;
        } else if let Some((_, counts)) =
            trimmed.strip_prefix("Summary [").and_then(|summary| summary.split_once("] "))
        {
            let has_failures = self.summary(counts).is_none_or(|failed| failed > 0);
            self.state = if has_failures { State::Listing } else { State::Outside };
        } else if self.state == State::Listing {
            if line.starts_with("error: ") {
                self.state = State::Outside;
            } else if let Some(name) = failed_test(trimmed) {
                self.found.failing.push(name);
            }
        }
        self.state != State::Outside
    }

    fn gap(&mut self) {
        self.found.tally.gap();
        // Its summary is still to come.
        if self.state == State::Listing {
            self.state = State::Outside;
        }
    }

    fn findings(&mut self) -> Findings {
        std::mem::take(&mut self.found)
    }
}

/// Returns the name in a status line of a failed test: `FAIL [   0.056s] (2/5) shapes tests::panics`.
fn failed_test(line: &str) -> Option<&str> {
    let (status, rest) = line.split_once(" [")?;
    let is_failure = ["FAIL", "TIMEOUT", "SIG", "ABORT", "EXEC", "XFAIL", "TRY "]
        .iter()
        .any(|word| status.starts_with(word));
    let (_, rest) = rest.split_once("] ").filter(|_| is_failure)?;
    let rest = match rest.strip_prefix('(') {
        Some(index) => index.split_once(") ")?.1,
        None => rest,
    };
    rest.trim_start().split_once(' ').map(|(_, name)| name)
}
