//! `cargo test`, and programs that print as the test harness of Rust does.

use super::{
    Runner,
    findings::{Findings, figures, sum, with_owners},
};

/// A run of `cargo test` has a summary for each test program, and one for the doctests. The counts are their sum.
#[derive(Default)]
pub(super) struct Libtest {
    found: Findings,
    /// The size that the current test program announced.
    announced: Option<u64>,
    /// The failures of the current program, after the first heading of them.
    details: Option<Details>,
    /// The file or crate of the current program, if cargo names it.
    program: String,
    /// Cargo named two programs in a row, so that the names may belong to other programs.
    is_mixed: bool,
    /// The failing tests, each with its program.
    failing: Vec<(String, String)>,
    /// The same from the lines of single tests, in case that the list of failures is missing.
    reported: Vec<(String, String)>,
    has_gap: bool,
}

/// The part of an output that quotes what tests printed. It ends with a list of names and a result that agrees with the
/// list. So a test that prints a result of its own does not end it.
#[derive(Default)]
struct Details {
    /// The list is of tests that succeeded, as `--show-output` prints it.
    of_successes: bool,
    list: Vec<String>,
}

/// The line that ends a test program.
struct ProgramResult {
    passed: u64,
    failed: u64,
    all: u64,
}

impl ProgramResult {
    fn parse(line: &str) -> Option<Self> {
        let rest = line.strip_prefix("test result: ")?;
        let counts = rest.strip_prefix("ok. ").or_else(|| rest.strip_prefix("FAILED. "))?;
        let counts = counts.split_once("; finished in").map_or(counts, |(counts, _)| counts);
        let figures = figures(counts, ';')?;
        let count = |word| sum(&figures, &[word]);
        let (passed, failed) = (count("passed").saturating_add(count("measured")), count("failed"));
        Some(Self { passed, failed, all: passed.saturating_add(failed).saturating_add(count("ignored")) })
    }
}

impl Libtest {
    fn detail(&mut self, line: &str) -> bool {
        let Some(details) = &mut self.details else { return false };
        let heading = matches!(line, "failures:" | "successes:");
        if heading {
            *details = Details { of_successes: line == "successes:", list: Vec::new() };
        } else if let Some(name) = line.strip_prefix("    ") {
            details.list.push(name.to_owned());
        } else if let Some(result) = ProgramResult::parse(line) {
            let (count, other) = match details.of_successes {
                true => (result.passed, result.failed),
                false => (result.failed, 0),
            };
            let is_empty_program = details.of_successes && self.announced == Some(result.all);
            if (count > 0 || is_empty_program) && count == details.list.len() as u64 && other == 0 {
                return self.end(&result);
            }
        } else if !line.is_empty() {
            // A list contains nothing else, so this is text of a test.
            details.list.clear();
        }
        true
    }

    /// Ends a test program. Returns that no details follow.
    fn end(&mut self, result: &ProgramResult) -> bool {
        if let Some(details) = self.details.take().filter(|details| !details.of_successes) {
            let program = &self.program;
            self.failing.extend(details.list.into_iter().map(|test| (program.clone(), test)));
        }
        // A result without its beginning may be one of several, as behind `| tail`.
        if self.announced.take() == Some(result.all) {
            self.found.tally.add(result.failed, result.passed);
        } else {
            self.found.tally.doubt();
        }
        self.program.clear();
        false
    }

    /// Returns the names of the failing tests. A name that occurs in several programs gets the program in front.
    fn names(&mut self) -> Vec<String> {
        let mut tests = std::mem::take(&mut self.failing);
        tests.append(&mut self.reported);
        // A program may be left out, so that its tests would get the name of another one.
        if self.has_gap || self.is_mixed {
            return tests.into_iter().map(|(_, test)| test).collect();
        }
        with_owners(&tests, 0)
    }
}

impl Runner for Libtest {
    fn line(&mut self, line: &str) -> bool {
        if self.details.is_some() {
            return self.detail(line);
        }
        if let Some(result) = ProgramResult::parse(line) {
            return self.end(&result);
        }
        if let Some(tests) = line.strip_prefix("running ") {
            let number = tests.strip_suffix(" tests").or_else(|| tests.strip_suffix(" test"));
            if let Some(number) = number.and_then(|number| number.parse().ok())
                && self.announced.replace(number).is_some()
            {
                // The program before ended without a result.
                self.found.tally.doubt();
            }
        } else if matches!(line, "failures:" | "successes:") && self.announced.is_some() {
            self.details = Some(Details { of_successes: line == "successes:", list: Vec::new() });
            return true;
        } else if let Some(name) = failed_test(line) {
            self.reported.push((self.program.clone(), name.to_owned()));
        } else if let Some(program) = program(line) {
            self.is_mixed |= !self.program.is_empty();
            program.clone_into(&mut self.program);
        } else if let Some(end) = line.trim_start().strip_prefix("process didn't exit successfully: ")
            && let Some((_, how)) = end.rsplit_once("` (")
            && self.announced.is_some()
        {
            self.found.error(&ending(how.trim_end_matches(')')));
        }
        false
    }

    fn gap(&mut self) {
        self.details = None;
        self.has_gap = true;
    }

    fn findings(&mut self) -> Findings {
        let mut found = std::mem::take(&mut self.found);
        let is_cut_off = self.announced.is_some();
        if is_cut_off || found.tally.is_seen() {
            // The gap may hide results of other test programs.
            if is_cut_off || self.has_gap {
                found.tally.doubt();
            }
            found.failing.extend(self.names());
        }
        found
    }
}

/// Returns the name of the test program that cargo starts: `shapes` for `Running unittests src/lib.rs
/// (target/debug/deps/shapes-6369662d28790833)`, and for `Doc-tests shapes`.
fn program(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(documented) = line.strip_prefix("Doc-tests ") {
        return Some(documented);
    }
    let (_, file) = line.strip_prefix("Running ")?.strip_suffix(')')?.rsplit_once(" (")?;
    let name = file.rsplit(['/', '\\']).next()?;
    Some(name.rsplit_once('-').map_or(name, |(name, _)| name))
}

/// Describes how a test program ended without a result: `signal: 6, SIGABRT: process abort signal`, `exit status: 3`.
fn ending(how: &str) -> String {
    let signal = how.strip_prefix("signal: ").and_then(|signal| signal.split_once(", "));
    let name = signal.map(|(_, name)| name.split_once(": ").map_or(name, |(name, _)| name));
    match (name, how.strip_prefix("exit status: ")) {
        (Some(name), _) => format!("the tests were ended by {name}"),
        (None, Some(code)) => format!("the tests exited with {code}"),
        (None, None) => format!("the tests ended without a result ({how})"),
    }
}

/// Returns the name in the line of a test that failed, as it appears in the list of failures.
fn failed_test(line: &str) -> Option<&str> {
    let name = match line.strip_prefix("test ") {
        Some(rest) => rest.strip_suffix(" ... FAILED")?,
        // With `--quiet`.
        None => line.strip_suffix(" --- FAILED")?,
    };
    let notes = [" - should panic", " - compile fail", " - compile"];
    Some(notes.iter().find_map(|note| name.strip_suffix(note)).unwrap_or(name))
}
