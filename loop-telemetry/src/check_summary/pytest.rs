//! pytest.

use std::collections::HashMap;

use super::{
    Runner,
    findings::{Findings, Names, figures, is_exception, sum},
    pytest_marks::Marks,
};

/// It shows failures in sections with banners, names the failed tests in the section `short test summary info`, and
/// ends with the counts. With `-q` the counts have no banner, with `-qq` there are none.
#[derive(Default)]
pub(super) struct Pytest {
    found: Findings,
    section: Section,
    /// Names from the lines of single tests (`-v`), in case that nothing else names them.
    reported: Names,
    /// The marks of the tests, in case that nothing else counts them.
    marks: Marks,
    /// A banner announced tests whose counts are missing so far.
    is_running: bool,
    /// Counts without a banner in a section of failures. They are those of the run only if nothing follows.
    last_counts: Option<Counts>,
    /// The file that cannot be collected, and the line in it.
    collecting: Option<(String, Option<String>)>,
    /// The errors of such files, until the summary confirms them.
    collected: HashMap<String, String>,
    /// The output contains something else of pytest, so that counts without a banner are believed.
    is_seen: bool,
}

#[derive(Default, PartialEq)]
enum Section {
    #[default]
    Progress,
    /// It quotes what tests printed.
    Failures,
    Summary,
}

struct Counts {
    failed: u64,
    passed: u64,
    errors: u64,
    is_doubtful: bool,
}

impl Counts {
    /// Parses `4 failed, 2 passed in 0.52s`.
    fn parse(line: &str) -> Option<Self> {
        let (counts, time) = line.split_once(" in ")?;
        if !time.starts_with(|sign: char| sign.is_ascii_digit()) || !time.contains('s') {
            return None;
        }
        if counts == "no tests ran" {
            return Some(Self { failed: 0, passed: 0, errors: 0, is_doubtful: false });
        }
        let figures = figures(counts, ',')?;
        let others = [
            "skipped",
            "deselected",
            "xfailed",
            "xpassed",
            "warning",
            "warnings",
            "rerun",
            "subtests passed",
        ];
        // Depending on the version, a failed subtest is one of the failed tests too.
        let (errors, doubtful) =
            (["error", "errors"], ["subtests failed", "subtest failed", "subtest passed"]);
        let is_known = |word| {
            ["failed", "passed"]
                .iter()
                .chain(&others)
                .chain(&errors)
                .chain(&doubtful)
                .any(|known| known == word)
        };
        let is_counts = figures.iter().all(|(_, word)| is_known(word));
        is_counts.then(|| Self {
            failed: sum(&figures, &["failed"]),
            passed: sum(&figures, &["passed"]),
            errors: sum(&figures, &errors),
            is_doubtful: sum(&figures, &doubtful) > 0,
        })
    }
}

impl Pytest {
    fn end(&mut self, counts: &Counts) {
        self.found.tally.add(counts.failed, counts.passed);
        self.found.tally.add_errors(counts.errors);
        if counts.is_doubtful {
            self.found.tally.doubt();
        } else if counts.failed == 0 && counts.passed == 0 && counts.errors == 0 {
            self.found.error("no tests ran");
        }
        self.section = Section::Progress;
        (self.last_counts, self.is_running) = (None, false);
    }

    /// Reads a banner, without its marks.
    fn banner(&mut self, title: &str) {
        self.is_seen = true;
        if let Some(counts) = Counts::parse(title) {
            self.end(&counts);
        } else if title == "test session starts" {
            self.is_running = true;
        } else if title == "short test summary info" {
            self.section = Section::Summary;
        } else if matches!(title, "FAILURES" | "ERRORS" | "warnings summary") {
            self.section = Section::Failures;
        }
    }

    fn in_failures(&mut self, line: &str) {
        if let Some(file) = framed(line, '_').and_then(|title| title.strip_prefix("ERROR collecting ")) {
            self.collecting = Some((file.to_owned(), None));
        } else if let Some((file, error)) = self.collection_error(line) {
            self.collected.insert(file, error);
        }
        if let Some(counts) = Counts::parse(line) {
            self.last_counts = Some(counts);
        } else if !line.is_empty() {
            self.last_counts = None;
        }
    }

    /// Reads the lines of the error of the file that cannot be collected. Returns the file and its error.
    fn collection_error(&mut self, line: &str) -> Option<(String, String)> {
        let (_, place) = self.collecting.as_mut()?;
        let text = line.strip_prefix("E  ")?.trim_start();
        if let Some((_, number)) = text.rsplit_once(", line ").filter(|_| text.starts_with("File \"")) {
            *place = Some(number.to_owned());
        }
        let (file, place) = is_exception(text).then(|| self.collecting.take())??;
        let place = place.map(|line| format!(":{line}")).unwrap_or_default();
        let error = format!("{file}{place}: {text}");
        Some((file, error))
    }

    /// Reads a line of the summary: `FAILED tests/test_a.py::test_b - assert 1 == 2`.
    fn in_summary(&mut self, line: &str) {
        let rest = ["FAILED ", "ERROR ", "SUBFAILED"].iter().find_map(|word| line.strip_prefix(word));
        let Some(rest) = rest.filter(|rest| !rest.is_empty()) else { return };
        let (name, message) = split_message(rest);
        if line.starts_with("ERROR ") {
            let error = self.collected.get(name).cloned();
            self.found.error(&error.unwrap_or_else(|| match message {
                "" => name.to_owned(),
                message => format!("{name}: {message}"),
            }));
        } else if name.contains("::") {
            self.found.failing.push(name);
        }
    }
}

impl Runner for Pytest {
    fn line(&mut self, line: &str) -> bool {
        if let Some(title) = framed(line, '=') {
            self.banner(title);
        } else {
            match self.section {
                Section::Failures => self.in_failures(line),
                Section::Summary | Section::Progress => {
                    if self.is_seen
                        && let Some(counts) = Counts::parse(line)
                    {
                        self.end(&counts);
                    } else if self.section == Section::Summary {
                        self.in_summary(line);
                    } else if is_progress(line) {
                        self.is_seen = true;
                        self.marks.line(line);
                        let name = line.split_once(" FAILED ").map(|(name, _)| name);
                        self.reported.extend(name.filter(|name| name.contains("::")));
                    } else if let Some(error) = line.strip_prefix("ERROR: ").filter(|_| self.is_seen) {
                        self.found.errors = Names::default();
                        self.found.error(error);
                    } else if let Some(file) = line.strip_prefix("ImportError while loading conftest '") {
                        self.collecting = Some((file.trim_end_matches(['.', '\'']).to_owned(), None));
                    } else if let Some((_, error)) = self.collection_error(line) {
                        self.found.error(&error);
                    }
                }
            }
        }
        self.section == Section::Failures
    }

    fn gap(&mut self) {
        self.found.tally.gap();
        self.marks.gap();
        // Something may follow the last counts, which a test then printed.
        (self.collecting, self.is_running, self.last_counts) = (None, false, None);
        self.is_seen |= self.section != Section::Progress;
        self.section = Section::Progress;
    }

    fn findings(&mut self) -> Findings {
        if let Some(counts) = self.last_counts.take() {
            self.end(&counts);
        }
        let mut found = std::mem::take(&mut self.found);
        if found.failing.is_empty() {
            found.failing = std::mem::take(&mut self.reported);
        }
        if let Some((failed, passed)) =
            self.marks.counts().filter(|_| !found.tally.is_seen() && found.errors.is_empty())
        {
            found.tally.add(failed, passed);
        } else if self.is_running && !found.tally.is_seen() && found.errors.is_empty() {
            found.error("pytest ended before it had run all tests");
        }
        found
    }
}

/// Returns the title of a line that is filled with this mark: `==== FAILURES ====`.
fn framed(line: &str, mark: char) -> Option<&str> {
    let title = line.trim_matches(mark);
    let is_framed = line.starts_with(mark) && line.ends_with(mark) && title.len() > 2;
    is_framed.then(|| title.trim())
}

/// Returns true for a line with the progress at its end: `[ 50%]`, or `[1/2]`.
fn is_progress(line: &str) -> bool {
    let Some((_, progress)) = line.strip_suffix(']').and_then(|line| line.rsplit_once('[')) else {
        return false;
    };
    progress.starts_with([' ', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
        && progress.chars().all(|sign| sign.is_ascii_digit() || matches!(sign, ' ' | '%' | '/'))
        && progress.ends_with(|sign: char| sign == '%' || sign.is_ascii_digit())
}

/// Splits the id of a test from the message behind it. Parameters in the id may contain the separator too.
fn split_message(text: &str) -> (&str, &str) {
    let Some(at) = text.find(" - ") else { return (text, "") };
    match text[..at].find('[').and_then(|open| text[open..].find("] - ").map(|close| open + close + 1)) {
        Some(end) => (&text[..end], &text[end + 3..]),
        None => (&text[..at], &text[at + 3..]),
    }
}
