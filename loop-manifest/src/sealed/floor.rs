//! How many tests ran.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::{counts::Counts, runners::shows_runner};
use crate::plan::MinTests;

/// The tests that a check ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TestsRun {
    /// How many passed or failed; `None` if the output does not say so.
    pub(super) count: Option<u64>,
    /// How many of them failed; `None` if the output does not say so.
    pub(super) failed: Option<u64>,
    /// The last parts of the names of tests that passed or failed, as far as the output has them.
    pub(super) names: BTreeSet<String>,
    /// The files that node reports as tests, because they ended without a test of their own.
    pub(super) files: BTreeSet<String>,
    /// The names of the tests of ctest. The file that declares them is protected, so that no name goes away.
    #[serde(default)]
    pub(super) of_ctest: BTreeSet<String>,
    /// The files and modules whose tests could not be loaded.
    #[serde(default)]
    pub(super) unloaded: BTreeSet<String>,
    /// Whether the output is that of a test runner, which a makefile or a script can have started.
    #[serde(default)]
    pub(super) is_of_runner: bool,
}

impl TestsRun {
    /// Reads the complete output of a check.
    pub(super) fn of(output: &str) -> Self {
        let Counts { total: count, failed } = Counts::of(output);
        let names = names(output);
        let files = names.iter().filter(|name| is_script(name)).cloned().collect();
        let is_of_runner = count.is_some() || shows_runner(output);
        let (of_ctest, unloaded) = (captures(&IN_CTEST, output), captures(&UNLOADED, output));
        Self { count, failed, names, files, of_ctest, unloaded, is_of_runner }
    }
}

/// Returns whether the complete output of a check says that no tests ran.
pub(crate) fn shows_no_tests(output: &str) -> bool {
    Counts::of(output).total == Some(0)
}

fn is_script(name: &str) -> bool {
    [".js", ".cjs", ".mjs", ".ts", ".cts", ".mts"].iter().any(|end| name.ends_with(end))
}

/// The line of ctest about a test that ran.
const CTEST: &str = r"(?m)^ *\d+/\d+ Test +#\d+: (\S+) \.*(?: +Passed|\*\*\*(?:Failed|Timeout|Exception))";

static IN_CTEST: LazyLock<Vec<Regex>> = LazyLock::new(|| Regex::new(CTEST).into_iter().collect());

/// The lines about tests that ran, in the output of libtest, nextest, pytest -v, unittest -v,
/// go test -v, TAP, node, jest, ctest, `JUnit` and CTRF.
static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let forms = [
        r"(?m)^test (?:\S*::)?(\S+)(?: - should panic)? \.\.\. (?:ok|FAILED)",
        r"(?m)^\s+(?:PASS|FAIL) \[[^\]]*\] (?:\([^)]*\) )?\S+ (?:\S*::)?(\S+)",
        r"(?m)^\S+\.py::(?:\S+::)?([^\s\[]+)\S* (?:PASSED|FAILED)",
        r"(?m)^(test\w*) \([\w.]+\).* \.\.\. (?:ok|FAIL|ERROR)",
        r"(?m)^\s*--- (?:PASS|FAIL): (?:\S*/)?(\S+)",
        r"(?m)^\s*(?:not )?ok \d+ (?:- )?([^#\n]+?)\s*$",
        r"(?m)^\s*[✔✓√✖✕×] (.+?)(?: \([\d.]+ ?m?s\))?\s*$",
        CTEST,
        r#"<testcase[^>]*\sname="([^"]*)"[^>]*(?:/>|>\s*(?:</testcase>|<(?:failure|error|system-|properties)))"#,
        r#""name"\s*:\s*"([^"]*)"\s*,\s*"status"\s*:\s*"(?:passed|failed)""#,
    ];
    forms.iter().filter_map(|form| Regex::new(form).ok()).collect()
});

/// The lines about files whose tests could not be loaded, in the output of pytest, unittest, jest and vitest.
static UNLOADED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let forms = [
        r"(?m)^_+ ERROR collecting (\S+) _+\s*$",
        r"(?m)^ERROR (\S+\.py)(?: - .*)?\s*$",
        r"(?m)^ERROR: (\S+) \(unittest\.loader\._FailedTest",
        r"(?m)^\s*FAIL\s+(\S+)[^\n]*\n\s*● Test suite failed to run",
        r"(?m)^\s*FAIL\s+(\S+) \[ \S+ \]\s*$",
    ];
    forms.iter().filter_map(|form| Regex::new(form).ok()).collect()
});

/// Returns the last parts of the names of tests that ran.
fn names(output: &str) -> BTreeSet<String> {
    captures(&FORMS, output)
}

fn captures(forms: &[Regex], output: &str) -> BTreeSet<String> {
    forms.iter().flat_map(|form| form.captures_iter(output)).map(|found| found[1].to_owned()).collect()
}

/// Returns whether it is known how many tests have to run.
pub(super) fn has_count(rule: MinTests, first: Option<&TestsRun>) -> bool {
    rule != MinTests::Off && first.is_some_and(|first| first.count.is_some_and(|count| count > 0))
}

/// Returns why the tests that ran are too few for a pass, as the rest of "the check exited with 0, but ...".
pub(super) fn shortage(rule: MinTests, is_runner: bool, first: &TestsRun, now: &TestsRun) -> Option<String> {
    let is_runner = is_runner || first.is_of_runner;
    // Each of them has a test, or it would be none.
    let unloaded = first.unloaded.len() as u64;
    let least = match rule {
        MinTests::Off => return None,
        MinTests::Number(least) => least,
        MinTests::Count | MinTests::Names => match first.count {
            Some(count) => count.saturating_add(unloaded).max(u64::from(is_runner)),
            None if is_runner => unloaded.max(1),
            None => 0,
        },
    };
    let tests = |count: u64| if count == 1 { "1 test".to_owned() } else { format!("{count} tests") };
    if let Some(failed) = now.failed.filter(|failed| *failed > 0) {
        return Some(format!("its output says that {} failed", tests(failed)));
    }
    // A file that ends early counts as a passed test there, whatever tests it has.
    let cut = now.files.difference(&first.files).count() as u64;
    match now.count.map(|count| count.saturating_sub(cut)) {
        None if least > 0 => Some(format!(
            "its output does not say how many tests ran, and at least {} must run (`evaluator.min_tests`)",
            tests(least)
        )),
        Some(count) if count < least => Some(format!(
            "only {} ran, and at least {} must run (`evaluator.min_tests`)",
            tests(count),
            tests(least)
        )),
        _ if matches!(rule, MinTests::Names | MinTests::Count) => {
            let missing: Vec<_> = match rule {
                MinTests::Names => first.names.difference(&now.names).cloned().collect(),
                _ => first.of_ctest.difference(&now.of_ctest).cloned().collect(),
            };
            let named = missing.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = missing.len().saturating_sub(5);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            (!missing.is_empty())
                .then(|| format!("these tests did not run: {named}{more} (`evaluator.min_tests`)"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_many_runners_are_read() {
        for (output, expected) in [
            (
                "test math::adds ... ok\ntest math::old ... ignored\ntest x::p - should panic ... ok\n",
                "adds p",
            ),
            ("        PASS [   0.004s] app tests::adds\n", "adds"),
            (
                "tests/test_a.py::Group::test_b[1] PASSED [ 50%]\ntests/test_a.py::test_c SKIPPED (no)\n",
                "test_b",
            ),
            (
                "test_one (tests.Case.test_one) ... ok\ntest_two (tests.Case.test_two) ... skipped 'no'\n",
                "test_one",
            ),
            ("    --- PASS: TestA/sub (0.00s)\n--- SKIP: TestB (0.00s)\n", "sub"),
            ("ok 1 - adds\nnot ok 2 - fails\nok 3 - later # SKIP\n", "adds fails"),
            ("✔ adds (0.5ms)\n  ✓ multiplies (3 ms)\n﹣ skipped\n", "adds multiplies"),
            (" 1/2 Test #1: adds ....   Passed    0.00 sec\n2/2 Test #2: zero ...***Skipped 0 sec\n", "adds"),
            (
                "<testcase classname=\"t\" name=\"adds\"/><testcase name=\"zero\"><skipped/></testcase>",
                "adds",
            ),
            (
                "{\"name\": \"adds\", \"status\": \"passed\"}, {\"name\": \"zero\", \"status\": \"skipped\"}",
                "adds",
            ),
        ] {
            assert_eq!(names(output).into_iter().collect::<Vec<_>>().join(" "), expected);
        }
    }

    #[test]
    fn fewer_tests_than_before_are_no_pass() {
        let run = |count, names: &[&str]| TestsRun {
            count,
            failed: Some(0),
            files: BTreeSet::new(),
            of_ctest: BTreeSet::new(),
            unloaded: BTreeSet::new(),
            is_of_runner: true,
            names: names.iter().map(|name| (*name).to_owned()).collect(),
        };
        let three = run(Some(3), &["a", "b", "c"]);
        for (rule, is_runner, first, now, passes) in [
            (MinTests::Count, true, &three, run(Some(3), &[]), true),
            (MinTests::Count, true, &three, run(Some(2), &[]), false),
            (MinTests::Count, true, &three, run(None, &[]), false),
            (MinTests::Count, true, &run(None, &[]), run(None, &[]), false),
            (MinTests::Count, true, &run(None, &[]), run(Some(1), &[]), true),
            (MinTests::Count, false, &TestsRun::default(), run(None, &[]), true),
            (MinTests::Count, false, &run(None, &[]), run(None, &[]), false),
            (MinTests::Names, true, &three, run(Some(3), &["a", "b", "d"]), false),
            (MinTests::Names, true, &three, run(Some(4), &["a", "b", "c", "d"]), true),
            (MinTests::Number(5), false, &three, run(Some(4), &[]), false),
            (MinTests::Off, true, &three, run(None, &[]), true),
            (MinTests::Count, true, &three, TestsRun { failed: Some(1), ..run(Some(3), &[]) }, false),
        ] {
            assert_eq!(
                shortage(rule, is_runner, first, &now).is_none(),
                passes,
                "{rule:?} {first:?} {now:?}"
            );
        }
    }

    #[test]
    fn each_test_of_ctest_runs_again() {
        let [first, other] = ["one", "two"].map(|name| {
            let end = "100% tests passed, 0 tests failed out of 1\n\nTotal Test time (real) = 0.0 sec\n";
            TestsRun::of(&format!("Test project /a\n1/1 Test #1: {name} ...   Passed    0.00 sec\n\n{end}"))
        });
        assert_eq!(shortage(MinTests::Count, true, &first, &first), None);
        let why = shortage(MinTests::Count, true, &first, &other).unwrap();
        assert!(why.contains("did not run: one"), "{why}");
    }

    #[test]
    fn files_that_could_not_be_loaded_have_tests() {
        for (output, expected) in [
            (
                "___ ERROR collecting tests/test_new.py ___\nE   ImportError\n=== short test summary info ===\n\
                 ERROR tests/test_new.py - ImportError: no\nERROR tests/test_a.py::test_x - teardown\n=== 1 passed, 1 error in 0.1s ===\n",
                "tests/test_new.py",
            ),
            ("ERROR: tests.test_new (unittest.loader._FailedTest.tests.test_new)\n", "tests.test_new"),
            (
                "FAIL test/a.test.js\n  ● Test suite failed to run\n\nFAIL b.test.js\n  ● adds\n",
                "test/a.test.js",
            ),
            (" FAIL  qa/a.test.ts [ qa/a.test.ts ]\n FAIL  b.test.ts > adds\n", "qa/a.test.ts"),
        ] {
            let first = TestsRun::of(output);
            assert_eq!(first.unloaded.iter().map(String::as_str).collect::<Vec<_>>(), [expected]);
            let first = TestsRun { count: Some(1), failed: Some(0), ..first };
            let one = TestsRun { count: Some(1), ..TestsRun::default() };
            let two = TestsRun { count: Some(2), ..TestsRun::default() };
            assert!(shortage(MinTests::Count, true, &first, &one).is_some());
            assert_eq!(shortage(MinTests::Count, true, &first, &two), None);
        }
    }

    #[test]
    fn a_file_that_node_reports_as_a_test_is_none() {
        let first =
            TestsRun::of("TAP version 13\nok 1 - adds\nok 2 - zero\n1..2\n# tests 2\n# pass 1\n# fail 1\n");
        let now = TestsRun::of(
            "TAP version 13\nok 1 - /tree/a.test.js\nok 2 - /tree/b.test.js\n1..2\n# tests 2\n# pass 2\n# fail 0\n",
        );
        assert_eq!((first.count, now.count, now.files.len()), (Some(2), Some(2), 2));
        assert!(shortage(MinTests::Count, true, &first, &now).is_some());
        assert!(shortage(MinTests::Count, true, &now, &now).is_none());
    }
}
