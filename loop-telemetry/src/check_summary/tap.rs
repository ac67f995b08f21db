//! The Test Anything Protocol: `node --test` in a pipe, tape, bats, prove and many more.

use super::{
    Runner,
    findings::{Findings, Names, Tally},
};

/// The deepest nesting of tests whose names are joined.
const DEEPEST: usize = 16;

/// One line for each test, and a plan with their number. Node counts nested tests too, in comments after the plan.
#[derive(Default)]
pub(super) struct Tap {
    found: Findings,
    counts: NodeCounts,
    /// The tests of the current stream.
    stream: Stream,
    /// The indentation of a block of details, between `---` and `...`.
    details: Option<usize>,
    is_after_plan: bool,
}

/// The tests of one stream.
#[derive(Default)]
struct Stream {
    is_begun: bool,
    plan: Option<u64>,
    passed: u64,
    failed: u64,
    skipped: u64,
    names: Names,
    /// The titles of the tests around the current line, by depth.
    titles: Vec<String>,
    /// Whether a test failed at each depth since the last line above it.
    has_failed: Vec<bool>,
}

impl Stream {
    /// Notes the result of a test at this depth.
    fn result(&mut self, depth: usize, is_ok: bool, description: &str) {
        let (name, directive) = description.rsplit_once(" # ").unwrap_or((description, ""));
        let directive = directive.get(..4).unwrap_or_default().to_ascii_uppercase();
        let is_excused = matches!(directive.as_str(), "SKIP" | "TODO");
        let is_parent = self.has_failed.get(depth + 1).copied().unwrap_or_default();
        self.has_failed.resize(depth + 1, false);
        self.titles.truncate(depth);
        if depth == 0 {
            let count = match (is_excused, is_ok) {
                (true, _) => &mut self.skipped,
                (false, true) => &mut self.passed,
                (false, false) => &mut self.failed,
            };
            *count += 1;
        }
        if is_ok || is_excused {
            return;
        }
        self.has_failed[depth] = true;
        // A test fails if one inside fails, which then is the one to name. Only a gap hides the titles around it.
        if !is_parent && self.titles.len() == depth {
            let path: Vec<_> = self.titles.iter().map(String::as_str).chain([name]).collect();
            self.names.push(&path.join(" > "));
        }
    }

    /// Adds its counts: those of its lines, unless the runner counts by itself.
    fn end(self, counts: &mut NodeCounts, found: &mut Findings) {
        if !counts.end() && self.is_begun && self.plan.is_some() {
            found.tally.add(self.failed, self.passed);
            let all = self.passed + self.failed + self.skipped;
            if self.plan != Some(all) {
                found.tally.doubt();
            }
        } else if !self.is_begun {
            return;
        }
        found.failing.extend(self.names.into_list().0);
    }
}

impl Tap {
    fn end(&mut self) {
        std::mem::take(&mut self.stream).end(&mut self.counts, &mut self.found);
    }

    /// Reads a line at this depth, without its indentation.
    fn read(&mut self, depth: usize, text: &str) {
        if let Some(title) = text.strip_prefix("# Subtest: ") {
            self.stream.titles.truncate(depth);
            if self.stream.titles.len() == depth {
                self.stream.titles.push(super::findings::shorten(title, 100));
            }
        } else if let Some(count) = text.strip_prefix("# ") {
            if self.is_after_plan {
                self.counts.read(count, &mut self.found.tally);
            }
            return;
        } else if let Some((is_ok, description)) = result(text) {
            self.stream.result(depth, is_ok, description);
        } else if let Some(plan) = text.strip_prefix("1..").and_then(|number| number.parse().ok()) {
            if depth == 0 {
                self.stream.plan = Some(plan);
                self.stream.is_begun = true;
            }
            self.is_after_plan = depth == 0;
            return;
        }
        self.is_after_plan &= text.is_empty();
    }
}

impl Runner for Tap {
    fn line(&mut self, line: &str) -> bool {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        if let Some(details) = self.details {
            if indent == details && text == "..." {
                self.details = None;
            }
            return self.details.is_some();
        }
        if indent == 0 && text.starts_with("TAP version ") {
            self.end();
            self.stream.is_begun = true;
        } else if text == "---" && indent % 4 == 2 && self.stream.is_begun {
            self.details = Some(indent);
        } else if indent % 4 == 0 && indent / 4 < DEEPEST {
            self.read(indent / 4, text);
        } else if !text.is_empty() {
            self.is_after_plan = false;
        }
        self.details.is_some()
    }

    fn gap(&mut self) {
        self.details = None;
        self.is_after_plan = false;
        self.found.tally.gap();
        self.counts = NodeCounts::default();
        // The plan then disagrees with the lines, unless the runner counts by itself.
        self.stream.titles.clear();
        self.stream.has_failed.clear();
    }

    fn findings(&mut self) -> Findings {
        self.end();
        std::mem::take(&mut self.found)
    }
}

/// Parses `not ok 2 - subtracts`, or `ok 1 adds`, into whether it passed and its description.
fn result(line: &str) -> Option<(bool, &str)> {
    let (is_ok, rest) = match line.strip_prefix("not ok ") {
        Some(rest) => (false, rest),
        None => (true, line.strip_prefix("ok ")?),
    };
    let (number, description) = rest.split_once(' ').unwrap_or((rest, ""));
    number.parse::<u64>().ok()?;
    Some((is_ok, description.strip_prefix("- ").unwrap_or(description)))
}

/// The counts that Node and tape print one by one: `tests 6`, `pass 2`, `fail 3` and so on.
#[derive(Default)]
pub(super) struct NodeCounts {
    tests: Option<u64>,
    pass: u64,
    is_complete: bool,
}

impl NodeCounts {
    /// Reads one count. Adds all of them to the tally after the number of failures.
    pub(super) fn read(&mut self, line: &str, tally: &mut Tally) {
        let mut words = line.split_whitespace();
        let (Some(word), Some(Ok(number)), None) =
            (words.next(), words.next().map(str::parse::<u64>), words.next())
        else {
            return;
        };
        match word {
            "tests" => *self = Self { tests: Some(number), ..Self::default() },
            "pass" => self.pass = number,
            "fail" => {
                if let Some(tests) = self.tests.take() {
                    tally.add(number, self.pass);
                    if number.saturating_add(self.pass) > tests {
                        tally.doubt();
                    }
                    self.is_complete = true;
                }
            }
            // Node prints it after the failures.
            "cancelled" if number > 0 => tally.doubt(),
            _ => {}
        }
    }

    /// Returns true if there were counts, and forgets them.
    fn end(&mut self) -> bool {
        std::mem::take(self).is_complete
    }
}
