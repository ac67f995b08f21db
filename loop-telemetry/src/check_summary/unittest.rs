//! Python's unittest, and Django's test runner.

use super::{
    Runner,
    findings::{Findings, Names, is_exception},
};

/// Each failure is a block under a double rule. The counts come under a single rule at the end.
#[derive(Default)]
pub(super) struct Unittest {
    found: Findings,
    state: State,
    /// The failures above the next counts.
    names: Names,
    /// The number of headings of failures above the next counts, and of modules that cannot be imported among them.
    headings: u64,
    unloaded: u64,
    /// The number of hooks that failed, which are no tests: `setUpClass` and its like.
    hooks: u64,
    /// A test has several failures, one for each subtest.
    has_subtests: bool,
    /// The module that cannot be imported, or the hook that failed, and where its error is.
    import: Option<Import>,
}

#[derive(Default, PartialEq)]
enum State {
    #[default]
    Outside,
    /// Below a double rule.
    Heading,
    Failure,
    /// Below a single rule.
    Rule {
        in_failure: bool,
    },
    /// Below the number of tests.
    Ran(u64),
}

#[derive(Default)]
struct Import {
    module: String,
    place: Option<String>,
}

impl Unittest {
    /// Reads a heading: `FAIL: test_area (shapes.Shapes.test_area)`.
    fn heading(&mut self, line: &str) -> State {
        let test =
            ["FAIL: ", "ERROR: ", "UNEXPECTED SUCCESS: "].iter().find_map(|word| line.strip_prefix(word));
        let Some((method, rest)) = test.and_then(|test| test.split_once(" (")) else { return State::Outside };
        let (path, more) = rest.split_once(')').unwrap_or((rest, ""));
        // Old versions have no heading for an unexpected success.
        self.headings += u64::from(!line.starts_with("UNEXPECTED"));
        self.has_subtests |= !more.is_empty();
        if let Some(module) = path.strip_prefix("unittest.loader._FailedTest") {
            let module = module.strip_prefix('.').unwrap_or(method);
            self.unloaded += 1;
            self.import = Some(Import { module: module.to_owned(), place: None });
        } else if matches!(method, "setUpClass" | "tearDownClass" | "setUpModule" | "tearDownModule") {
            self.hooks += 1;
            self.import = Some(Import { module: format!("{path}.{method}"), place: None });
        } else if path.strip_suffix(method).is_some_and(|class| class.ends_with('.')) {
            self.names.push(&format!("{path}{more}"));
        } else {
            // Before Python 3.11.
            self.names.push(&format!("{path}.{method}{more}"));
        }
        State::Failure
    }

    fn in_failure(&mut self, line: &str) {
        let Some(import) = &mut self.import else { return };
        if let Some(place) = line.trim_start().strip_prefix("File \"") {
            let (file, rest) = place.split_once("\", line ").unwrap_or((place, ""));
            import.place = Some(format!("{file}:{}", rest.split(',').next().unwrap_or_default()));
        } else if is_exception(line) && !line.starts_with("ImportError: Failed to import test module") {
            // A missing module is not where the import is, which may be in the loader.
            let place = import
                .place
                .take()
                .filter(|_| line.starts_with("SyntaxError"))
                .unwrap_or(std::mem::take(&mut import.module));
            self.found.error(&format!("{place}: {line}"));
            self.import = None;
        }
    }

    /// Reads the result: `OK (skipped=1)` or `FAILED (failures=1, errors=1)`.
    fn result(&mut self, ran: u64, line: &str) {
        let (word, counts) = line.split_once(" (").unwrap_or((line, ""));
        if !matches!(word, "OK" | "FAILED" | "NO TESTS RAN") {
            return;
        }
        let (mut failed, mut others, mut unexpected) = (0_u64, 0_u64, 0_u64);
        for count in counts.trim_end_matches(')').split(", ").filter(|count| !count.is_empty()) {
            match count.split_once('=').map(|(kind, number)| (kind, number.parse::<u64>())) {
                Some((kind @ ("failures" | "errors" | "unexpected successes"), Ok(number))) => {
                    failed = failed.saturating_add(number);
                    unexpected = if kind.starts_with('u') { number } else { unexpected };
                }
                Some((_, Ok(number))) => others = others.saturating_add(number),
                _ => self.found.tally.doubt(),
            }
        }
        let [headings, unloaded, hooks] =
            [&mut self.headings, &mut self.unloaded, &mut self.hooks].map(std::mem::take);
        let failed_tests = failed.saturating_sub(hooks);
        let passed = ran.checked_sub(failed_tests).and_then(|rest| rest.checked_sub(others));
        self.found.tally.add(failed_tests.saturating_sub(unloaded), passed);
        let has_subtests = std::mem::take(&mut self.has_subtests);
        // A heading that is missing may be one of a subtest.
        if headings.saturating_add(unexpected) != failed || passed.is_none() && !has_subtests {
            self.found.tally.doubt();
        } else if has_subtests {
            self.found.tally.doubt_total();
        }
        if word == "NO TESTS RAN" {
            self.found.error("no tests ran");
        }
        self.found.failing.append(std::mem::take(&mut self.names));
    }
}

impl Runner for Unittest {
    fn line(&mut self, line: &str) -> bool {
        let in_failure = matches!(self.state, State::Failure | State::Rule { in_failure: true });
        let is_rule = |mark| line.len() >= 70 && line.bytes().all(|byte| byte == mark);
        let ran = || {
            let (number, rest) = line.strip_prefix("Ran ")?.split_once(" test")?;
            rest.contains(" in ").then(|| number.parse().ok())?
        };
        self.state = match self.state {
            State::Heading => self.heading(line),
            State::Rule { .. } if let Some(tests) = ran() => State::Ran(tests),
            State::Ran(tests) if line.is_empty() => State::Ran(tests),
            State::Ran(tests) => {
                self.result(tests, line);
                State::Outside
            }
            _ if is_rule(b'=') => State::Heading,
            _ if is_rule(b'-') => State::Rule { in_failure },
            _ if in_failure => {
                self.in_failure(line);
                State::Failure
            }
            _ => State::Outside,
        };
        !matches!(self.state, State::Outside | State::Rule { in_failure: false })
    }

    fn gap(&mut self) {
        self.found.tally.gap();
        self.import = None;
        self.state = State::Outside;
    }

    fn findings(&mut self) -> Findings {
        std::mem::take(&mut self.found)
    }
}
