//! Vitest.

use super::{
    Runner,
    findings::{Findings, Names, figures, is_exception, sum},
};

/// Sections with headings such as `⎯⎯ Failed Tests 2 ⎯⎯` name the failures. The counts come at the end.
#[derive(Default)]
pub(super) struct Vitest {
    found: Findings,
    /// The failures above the next counts.
    names: Names,
    in_failures: bool,
    /// The failures are files, or suites with a hook that failed. They do not count as tests.
    of_suites: bool,
    /// The file or suite whose error comes next.
    file: Option<String>,
    /// The errors of files above the next counts.
    errors: Vec<String>,
}

impl Vitest {
    /// Reads the name of a failure: `math.test.ts > math > adds`, or `math.test.ts [ math.test.ts ]` for a whole file.
    fn failure(&mut self, name: &str) {
        // A project's name stands before the file.
        let name =
            name.strip_prefix('|').and_then(|name| name.split_once("| ")).map_or(name, |(_, name)| name);
        if let Some((_, file)) = name.strip_suffix(" ]").and_then(|name| name.split_once(" [ ")) {
            self.file = Some(file.to_owned());
        } else if let Some((_, test)) = name.split_once(" > ") {
            self.file = self.of_suites.then(|| test.to_owned());
            if !self.of_suites {
                self.names.push(test);
            }
        }
    }

    /// Reads the counts: `2 failed | 2 passed | 1 skipped (5)`.
    fn counts(&mut self, counts: &str) -> Option<()> {
        if counts == "no tests" {
            self.found.tally.add(0, 0);
        } else {
            let (counts, total) = counts.strip_suffix(')')?.rsplit_once(" (")?;
            let figures = figures(counts, '|')?;
            self.found.tally.add(sum(&figures, &["failed"]), sum(&figures, &["passed"]));
            // After `--bail`, the others are not counted.
            let all = figures.iter().fold(0_u64, |all, (count, _)| all.saturating_add(*count));
            if !total.parse::<u64>().is_ok_and(|total| total >= all) {
                self.found.tally.doubt();
            }
        }
        self.found.failing.append(std::mem::take(&mut self.names));
        self.found.errors.extend(std::mem::take(&mut self.errors));
        Some(())
    }
}

impl Runner for Vitest {
    fn line(&mut self, line: &str) -> bool {
        let trimmed = line.trim_start();
        if let Some(error) =
            self.errors.last_mut().filter(|error| error.ends_with(':') && !trimmed.is_empty())
        {
            *error = format!("{error} {trimmed}");
        }
        if line.starts_with('⎯') {
            let title = line.trim_matches(['⎯', ' ']);
            let has_no_name = title.starts_with("Unhandled ") || title == "Startup Error";
            if has_no_name || title.starts_with("Failed ") {
                self.in_failures = true;
                self.of_suites = title.starts_with("Failed Suites ");
            }
            if has_no_name {
                self.file = Some(String::new());
            }
        } else if trimmed.starts_with("Test Files ") {
            self.in_failures = false;
        } else if let Some(counts) = trimmed.strip_prefix("Tests  ").filter(|_| !self.in_failures) {
            let _ = self.counts(counts.trim());
        } else if self.in_failures
            && let Some(name) = line.strip_prefix(" FAIL  ")
        {
            self.failure(name);
        } else if is_exception(line)
            && let Some(file) = self.file.take()
        {
            let place = if file.is_empty() { file } else { format!("{file}: ") };
            self.errors.push(format!("{place}{line}"));
        } else if line.starts_with("No test files found, exiting with code 1") {
            self.found.error("no test files found");
        }
        self.in_failures
    }

    fn gap(&mut self) {
        self.found.tally.gap();
        self.in_failures = false;
        self.file = None;
    }

    fn findings(&mut self) -> Findings {
        let mut found = std::mem::take(&mut self.found);
        found.errors.extend(std::mem::take(&mut self.errors));
        found
    }
}
