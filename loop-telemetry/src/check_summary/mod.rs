//! The facts about tests in the output of a check.
//!
//! A person who follows a loop asks which tests fail now. The last line of a test runner rarely answers: it is advice
//! (`to rerun pass --lib`), a duration, or the end of a stack trace. [`CheckSummary::of`] reads the output of common
//! test runners and compilers, and finds the counts, the names of the failing tests, or the errors that kept the tests
//! from running. There is one file for each family of runners.
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
mod failing_names;
mod failure_counts;
mod fallback;
mod findings;
mod go;
mod jest;
mod json;
mod libtest;
mod lines;
mod mocha;
mod nextest;
mod node_spec;
mod pytest;
mod pytest_marks;
mod stated_error;
mod tap;
mod unittest;
mod vitest;

use loop_core::{Outcome, Verdict};

use self::{
    findings::{Findings, is_exception, is_file_of, shorten},
    lines::{Line, lines, visible},
};
use crate::{Redactor, words::grouped};

/// The beginning of a line that `loop` adds to the output of a check, for the agent. It says nothing about the check.
pub const LOOP_NOTE: &str = "[loop] ";

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
    /// More tests or files failed than `failing` and `errors` name.
    pub has_more: bool,
    /// The errors that kept tests from running, each once, with its place if the output has one (`a.js: SyntaxError:
    /// no`): at most 200, of at most 200 characters.
    pub errors: Vec<String>,
    /// The number of errors, which are not failed tests: of files, hooks and fixtures. `None` if the output may lack
    /// some.
    pub error_count: Option<u64>,
}

/// Returns the line that matters of a check: [`CheckSummary::line`], or else the line of its text that counts failures
/// or states an error, or else the last line with a word, or else how the check ended. It has at most `width` characters.
pub fn check_line(verdict: &Verdict, width: usize, secrets: &Redactor) -> Option<String> {
    let is_own = |line: &&str| !line.starts_with(LOOP_NOTE);
    let text: String = verdict.text().split_inclusive('\n').filter(is_own).collect();
    let (shown, outcome) = (visible(&text, secrets), verdict.outcome());
    CheckSummary::of_visible(&shown, secrets)
        .and_then(|summary| summary.line(outcome, width))
        .or_else(|| fallback::line(&shown, outcome, width))
        .or_else(|| exit_of_silent(verdict, width, secrets))
}

/// Returns how a failed check ended, which is all that is known of one that printed nothing: `exited with 3`.
fn exit_of_silent(verdict: &Verdict, width: usize, secrets: &Redactor) -> Option<String> {
    let how =
        verdict.feedback().filter(|_| verdict.outcome() == Outcome::Fail)?.strip_prefix("the check ")?;
    Some(shorten(visible(how, secrets).lines().next()?, width))
}

impl CheckSummary {
    /// Reads the output of a check, which is the [text](Verdict::text) of its verdict. Returns `None` if the output has
    /// nothing of a known test runner or compiler.
    ///
    /// The text may lack its middle, with the notice of `loop_agents::output::excerpt` in its place.
    pub fn of(text: &str, secrets: &Redactor) -> Option<Self> {
        Self::of_visible(&visible(text, secrets), secrets)
    }

    fn of_visible(shown: &str, secrets: &Redactor) -> Option<Self> {
        let quoted = go::quoted(shown).map(|quoted| visible(&quoted, secrets));
        let shown = quoted.as_deref().unwrap_or(shown);
        let mut runners = runners();
        let (mut owner, mut has_gap) = (None, false);
        for line in lines(shown) {
            match line {
                Line::Gap => {
                    (owner, has_gap) = (None, true);
                    runners.iter_mut().for_each(|runner| runner.gap());
                }
                Line::Text(line) => {
                    let mut asked = owner.map_or(0..runners.len(), |owner| owner..owner + 1);
                    owner = asked.find(|index| runners[*index].line(line));
                }
            }
        }
        let found = runners.iter_mut().map(|runner| runner.findings());
        let found = found.filter(|found| !found.is_empty()).reduce(Findings::and);
        // Jest prints the report beside its own words.
        let found = found.or_else(|| json::report(shown, secrets).filter(|found| !found.is_empty()))?;
        Some(Self::new(found, has_gap))
    }

    fn new(found: Findings, has_gap: bool) -> Self {
        let (failing, lacks_names) = found.failing.into_list();
        let (errors, lacks_errors) = found.errors.into_list();
        let (names, listed) = (failing.len() as u64, errors.len() as u64);
        let (failed, total) = match found.tally.known() {
            (Some(failed), _) if failed < names => (None, None),
            known => known,
        };
        let error_count = (!has_gap && !lacks_errors).then(|| listed.max(found.tally.errors()));
        let has_more = lacks_names || lacks_errors || failed > Some(names) || error_count > Some(listed);
        Self { failed, total, failing, has_more, errors, error_count }
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
        let errors = match self.error_count.unwrap_or_default() {
            0 => None,
            1 => Some("1 error".to_owned()),
            count => Some(format!("{} errors", grouped(count))),
        };
        let named = self.failing.len() as u64;
        if self.failing.iter().all(|name| self.is_file_with_error(name))
            && self.failed.is_none_or(|failed| failed == named)
            && let Some(error) = self.errors.first()
        {
            let count = errors.filter(|_| self.error_count > Some(1)).map(|count| count + ": ");
            return Some(count.unwrap_or_default() + error);
        }
        let failed = match (self.failed, self.total) {
            (Some(0), _) => None,
            (Some(failed), Some(total)) => Some(format!("{} of {} failed", grouped(failed), grouped(total))),
            (Some(failed), None) => Some(format!("{} failed", grouped(failed))),
            (None, _) => (!self.failing.is_empty()).then(|| "failed".to_owned()),
        };
        let counts = failed.into_iter().chain(errors).reduce(|failed, errors| failed + ", " + &errors);
        Some(self.with_names(counts?, width))
    }

    fn is_file_with_error(&self, name: &str) -> bool {
        self.errors.iter().any(|error| is_file_of(name, error))
    }

    /// Appends the places of the errors and the names of tests, as far as they fit.
    fn with_names(&self, mut line: String, width: usize) -> String {
        const MORE: &str = ", …";
        let placed = self.errors.iter().filter(|error| !is_exception(error));
        let places = placed.map(|error| error.split_once(": ").map_or(&**error, |(place, _)| place));
        let tests = self.failing.iter().filter(|name| !self.is_file_with_error(name));
        let names: Vec<_> = places.chain(tests.map(String::as_str)).collect();
        let mut length = line.chars().count();
        for (index, name) in names.iter().enumerate() {
            let is_last = index + 1 == names.len() && !self.has_more;
            let room = if is_last { 0 } else { MORE.chars().count() };
            length += 2 + name.chars().count();
            if index > 0 && length + room > width {
                return line + MORE;
            }
            line.push_str(if index == 0 { ": " } else { ", " });
            line.push_str(name);
        }
        if self.has_more && !names.is_empty() { line + MORE } else { line }
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
/// before it. The errors of an earlier one come first.
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
