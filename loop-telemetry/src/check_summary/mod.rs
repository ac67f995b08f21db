//! What the output of a check says about its tests.
//!
//! A person who follows a loop asks which tests fail now. The last line of a test runner rarely answers: it is advice
//! (`to rerun pass --lib`), a duration, or the end of a stack trace. [`CheckSummary::of`] reads the output of common
//! test runners and compilers, and finds the counts, the names of the failing tests, or the first error that kept the
//! tests from running. There is one file for each family of runners.
//!
//! The output is foreign text, possibly with its middle left out, so these rules hold:
//!
//! - Counts are never guessed. Figures that contradict each other, or that may be incomplete, give no count.
//! - A runner quotes what its tests print. Lines of a failure's details count for that runner only, so a test that
//!   prints the output of another runner adds nothing.
//! - Names and errors are [printable](crate::words::printable), and their number and length are bounded.
//! - The time is linear in the length of the text.
//!
//! ```
//! use loop_core::Outcome;
//! use loop_telemetry::{Redactor, check_summary::CheckSummary};
//!
//! let output = "running 3 tests\n\nfailures:\n\nfailures:\n    math::adds\n\n\
//!               test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n\n\
//!               error: test failed, to rerun pass `--lib`\n";
//! let summary = CheckSummary::of(output, &Redactor::new([""; 0])).expect("cargo test is known");
//! assert_eq!((summary.failed, summary.total), (Some(1), Some(3)));
//! assert_eq!(summary.failing, ["math::adds"]);
//! assert_eq!(summary.line(Outcome::Fail, 100).as_deref(), Some("1 of 3 failed: math::adds"));
//! ```

mod diagnostics;
mod findings;
mod go;
mod jest;
mod libtest;
mod lines;
mod mocha;
mod nextest;
mod node_spec;
mod pytest;
mod tap;
mod unittest;
mod vitest;

use loop_core::{Outcome, Verdict};

use self::{
    findings::{Findings, shorten},
    lines::{Line, lines, visible},
};
use crate::{
    Redactor,
    words::{grouped, last_line},
};

/// A summary of a check's output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckSummary {
    /// The number of tests that failed. `None` if the output does not state it, or contradicts itself.
    pub failed: Option<u64>,
    /// The number of tests that passed or failed, without skipped ones. `None` if the output does not state it, or
    /// contradicts itself.
    pub total: Option<u64>,
    /// The names of failing tests in the order of the output, each once: at most 200, of at most 200 characters.
    pub failing: Vec<String>,
    /// More tests failed than `failing` names.
    pub has_more: bool,
    /// The first error that kept tests from running, with its place if the output has one: of at most 200 characters.
    pub error: Option<String>,
}

/// Returns the line that matters of a check: [`CheckSummary::line`], or else the [last line](last_line) of its text. It
/// has at most `width` characters.
pub fn check_line(verdict: &Verdict, width: usize, secrets: &Redactor) -> Option<String> {
    CheckSummary::of(verdict.text(), secrets)
        .and_then(|summary| summary.line(verdict.outcome(), width))
        .or_else(|| last_line(verdict.text(), width.saturating_sub(1), secrets))
}

impl CheckSummary {
    /// Reads the output of a check, which is the [text](Verdict::text) of its verdict. Returns `None` if the output has
    /// nothing of a known test runner or compiler.
    ///
    /// The text may lack its middle, with the notice of `loop_agents::output::excerpt` in its place.
    pub fn of(text: &str, secrets: &Redactor) -> Option<Self> {
        let mut runners = runners();
        let mut owner = None;
        for line in lines(&visible(text, secrets)) {
            match line {
                Line::Gap => {
                    owner = None;
                    runners.iter_mut().for_each(|runner| runner.gap());
                }
                Line::Text(line) => {
                    let mut asked = owner.map_or(0..runners.len(), |owner| owner..owner + 1);
                    owner = asked.find(|index| runners[*index].line(line));
                }
            }
        }
        let found = runners.iter_mut().map(|runner| runner.findings());
        Some(Self::new(found.filter(|found| !found.is_empty()).reduce(Findings::and)?))
    }

    fn new(found: Findings) -> Self {
        let (failed, total) = found.tally.known();
        let (failing, is_cut) = found.failing.into_list();
        let has_more = is_cut || failed.is_some_and(|failed| failed > failing.len() as u64);
        Self { failed, total, failing, has_more, error: found.error }
    }

    /// Returns the summary as one line of at most `width` characters.
    ///
    /// Returns `None` if it does not explain the outcome, for example if the tests passed and the check failed.
    ///
    /// ```
    /// use loop_core::Outcome;
    /// use loop_telemetry::{Redactor, check_summary::CheckSummary};
    ///
    /// let summary = CheckSummary::of("===== 14 passed in 0.12s =====", &Redactor::new([""; 0])).expect("pytest is known");
    /// assert_eq!(summary.line(Outcome::Pass, 100).as_deref(), Some("14 passed"));
    /// assert_eq!(summary.line(Outcome::Fail, 100), None);
    /// ```
    pub fn line(&self, outcome: Outcome, width: usize) -> Option<String> {
        let line = match outcome {
            Outcome::Pass => self.pass_line(),
            Outcome::Fail => self.fail_line(width),
            Outcome::Inconclusive => None,
        };
        line.map(|line| shorten(&line, width))
    }

    fn pass_line(&self) -> Option<String> {
        let total = self.total.filter(|_| self.failed == Some(0) && self.failing.is_empty())?;
        Some(if total == 0 { "no tests ran".to_owned() } else { format!("{} passed", grouped(total)) })
    }

    fn fail_line(&self, width: usize) -> Option<String> {
        if self.failing.is_empty()
            && let Some(error) = &self.error
        {
            return Some(error.clone());
        }
        let counts = match (self.failed, self.total) {
            (Some(failed), Some(total)) => format!("{} of {} failed", grouped(failed), grouped(total)),
            (Some(failed), None) => format!("{} failed", grouped(failed)),
            (None, _) => "failed".to_owned(),
        };
        if !self.failing.is_empty() {
            return Some(self.with_names(counts, width));
        }
        self.failed.filter(|failed| *failed > 0).map(|_| counts)
    }

    /// Appends the names that fit.
    fn with_names(&self, mut line: String, width: usize) -> String {
        const MORE: &str = ", …";
        let mut length = line.chars().count();
        for (index, name) in self.failing.iter().enumerate() {
            let is_last = index + 1 == self.failing.len() && !self.has_more;
            let room = if is_last { 0 } else { MORE.chars().count() };
            length += 2 + name.chars().count();
            if index > 0 && length + room > width {
                return line + MORE;
            }
            line.push_str(if index == 0 { ": " } else { ", " });
            line.push_str(name);
        }
        if self.has_more { line + MORE } else { line }
    }
}

/// A family of test runners, which reads an output line by line.
trait Runner {
    /// Takes the next line. Returns true if the following lines are details of this runner, which nobody else reads.
    fn line(&mut self, line: &str) -> bool;

    /// Notes that bytes were left out here.
    fn gap(&mut self);

    /// Returns the findings at the end of the output.
    fn findings(&mut self) -> Findings;
}

/// Returns the families. The first one that claims a line gets the next ones, so a runner that quotes another stands
/// before it. An error of an earlier one wins.
fn runners() -> [Box<dyn Runner>; 11] {
    [
        Box::<nextest::Nextest>::default(),
        Box::<libtest::Libtest>::default(),
        Box::<pytest::Pytest>::default(),
        Box::<unittest::Unittest>::default(),
        Box::<jest::Jest>::default(),
        Box::<vitest::Vitest>::default(),
        Box::<mocha::Mocha>::default(),
        Box::<node_spec::NodeSpec>::default(),
        Box::<tap::Tap>::default(),
        Box::<go::Go>::default(),
        Box::<diagnostics::Diagnostics>::default(),
    ]
}
