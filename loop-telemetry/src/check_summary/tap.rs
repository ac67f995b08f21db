//! The Test Anything Protocol: `node --test` in a pipe, tape, bats, prove and many more.

use super::{
    Runner,
    findings::{Findings, Names, Tally},
};

/// The deepest nesting of tests whose names are joined.
const DEEPEST: usize = 16;

/// One line for each test, and a plan with their number. Tests inside come above the line of the test around them, or
/// below it in braces. Node counts all of them by itself, in comments after the plan.
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
    /// The number of results that the plan counts.
    top: u64,
    /// The titles of the tests around the current line, by depth.
    titles: Vec<String>,
    /// Whether a test failed at each depth since the last line above it.
    has_failed: Vec<bool>,
    /// Inner tests may be left out.
    has_gap: bool,
    /// The results with an open brace, by depth.
    open: Vec<(usize, bool, String)>,
}

impl Stream {
    /// Notes the result of a test at this depth. With an open brace, it waits for those of the tests inside.
    fn result(&mut self, depth: usize, is_ok: bool, description: &str) {
        self.open.retain(|(outer, ..)| *outer < depth);
        if let Some(description) = description.strip_suffix(" {") {
            self.title(depth, directive(description).0);
            self.has_failed.truncate(depth + 1);
            self.open.push((depth, is_ok, description.to_owned()));
            return;
        }
        let (name, directive) = directive(description);
        let has_inner = self.has_failed.len() > depth + 1;
        let has_failed_inner = self.has_failed.get(depth + 1).copied().unwrap_or_default();
        self.has_failed.resize(depth + 1, false);
        self.titles.truncate(depth);
        self.top += u64::from(depth == 0);
        if matches!(directive, "SKIP" | "TODO") {
            self.skipped += u64::from(!has_inner);
        } else if is_ok {
            self.passed += u64::from(!has_inner);
        } else {
            self.has_failed[depth] = true;
            // A test fails if one inside fails, which then is the one to count and to name.
            if has_failed_inner {
                return;
            }
            self.failed += 1;
            // Only a gap hides the titles around it.
            if self.titles.len() == depth {
                let path: Vec<_> = self.titles.iter().map(String::as_str).chain([name]).collect();
                self.names.push(&path.join(" > "));
            }
        }
    }

    /// Notes the title of a test whose inner tests come next.
    fn title(&mut self, depth: usize, title: &str) {
        self.titles.truncate(depth);
        if self.titles.len() == depth {
            self.titles.push(super::findings::shorten(title, 100));
        }
    }

    /// Ends the braces at this depth.
    fn close(&mut self, depth: usize) {
        if let Some((_, is_ok, description)) = self.open.pop_if(|(open, ..)| *open == depth) {
            self.result(depth, is_ok, &description);
        }
    }

    /// Adds its counts: those of its lines, unless the runner counts by itself.
    fn end(self, counts: &mut NodeCounts, found: &mut Findings) {
        if !counts.end() && self.is_begun && self.plan.is_some() {
            found.tally.add(self.failed, self.passed);
            if self.plan != Some(self.top) || self.has_gap {
                found.tally.doubt();
            }
        } else if !self.is_begun {
            return;
        }
        found.failing.append(self.names);
    }
}

impl Tap {
    fn end(&mut self) {
        std::mem::take(&mut self.stream).end(&mut self.counts, &mut self.found);
    }

    /// Reads a line at this depth, without its indentation.
    fn read(&mut self, depth: usize, text: &str) {
        if let Some(title) = text.strip_prefix("# Subtest: ") {
            self.stream.title(depth, title);
        } else if let Some(count) = text.strip_prefix("# ") {
            if self.is_after_plan {
                self.counts.read(count, &mut self.found.tally);
            }
            return;
        } else if text == "}" {
            self.stream.close(depth);
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
        } else if text == "---" && indent > 0 && indent.is_multiple_of(2) && self.stream.is_begun {
            self.details = Some(indent);
        } else if indent.is_multiple_of(4) && indent / 4 < DEEPEST {
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
        self.counts.gap(&mut self.found.tally);
        self.stream.has_gap = true;
        // The plan then disagrees with the lines, unless the runner counts by itself.
        self.stream.titles.clear();
        self.stream.has_failed.clear();
        self.stream.open.clear();
    }

    fn findings(&mut self) -> Findings {
        self.end();
        std::mem::take(&mut self.found)
    }
}

/// Splits a description into the name, and the directive that excuses a failure.
fn directive(description: &str) -> (&str, &str) {
    let (name, rest) = description.rsplit_once(" # ").unwrap_or((description, ""));
    let word = rest.get(..4).unwrap_or_default();
    (name, ["SKIP", "TODO"].into_iter().find(|known| word.eq_ignore_ascii_case(known)).unwrap_or_default())
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
    /// Node still has to print the number of cancelled tests.
    is_open: bool,
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
                    (self.is_complete, self.is_open) = (true, true);
                }
            }
            // Node prints it after the failures, and names these tests among them.
            "cancelled" if std::mem::take(&mut self.is_open) => tally.add_failed(number),
            _ => {}
        }
    }

    /// Forgets the counts, some of which may be missing.
    pub(super) fn gap(&mut self, tally: &mut Tally) {
        if std::mem::take(self).is_open {
            tally.doubt();
        }
    }

    /// Returns true if there were counts, and forgets them.
    fn end(&mut self) -> bool {
        std::mem::take(self).is_complete
    }
}
