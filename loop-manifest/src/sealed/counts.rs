//! How many tests an output counts.
//!
//! `loop_telemetry` reads the runners whose failures it explains. The others have a table here. A runner that counts its tests
//! only if one fails is in no table, because its pass would then say too little.

use std::sync::LazyLock;

use loop_telemetry::{Redactor, check_summary::CheckSummary};
use regex::{Captures, Regex};

/// The counts of one output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// How many passed or failed; `None` if the output does not say so.
    pub(super) total: Option<u64>,
    /// How many of them failed; `None` if the output does not say so.
    pub(super) failed: Option<u64>,
}

/// The lines of one run of `ctest`. Programs that it tests print between them.
const CTEST: &str = r"(?m)^Test project \S[\s\S]*?(?:^Total Test time .*$|^No tests were found!!!$|\z)";

/// The lines of `ctest` with counts.
const IN_CTEST: &str = r"(?m)^\d+% tests passed(?:, (?P<failed>\d+) tests? failed)? out of (?P<total>\d+)|^ *\d+/\d+ Test +#\d+: .*\*\*\*(?P<omitted>Skipped)|^(?P<none>No tests were found!!!)";

/// The lines with counts of one runner each. The names of groups say what a number counts. `none` and `omitted` count no
/// tests, and one that did not run.
const FORMS: &[&str] = &[
    // jest, vitest.
    r"(?m)^(?P<none>No tests? (?:files? )?found, exiting with code 0)",
    // JUnit in XML.
    r"<(?P<none>testsuite)s?[\s>]|<(?P<one>testcase)[\s>]|<(?P<omitted>skipped)[\s/>]|<(?:failure|error)(?P<bad>[\s/>])",
    // CTRF.
    r#""summary"\s*:\s*\{[^{}]*?"passed"\s*:\s*(?P<passed>\d+)[^{}]*?"failed"\s*:\s*(?P<failed>\d+)"#,
    // Maven. The lines of single classes go on.
    r"(?m)^\[\w+\] +Tests run: (?P<total>\d+), Failures: (?P<failed>\d+), Errors: (?P<errors>\d+), Skipped: (?P<skipped>\d+)\s*$|^\[\w+\] (?P<none>No tests to run\.)",
    // RSpec, Hspec.
    r"(?m)^(?P<total>\d+) examples?, (?P<failed>\d+) failures?(?:, (?P<skipped>\d+) pending)?",
    // Minitest, Rails.
    r"(?m)^(?P<total>\d+) runs, \d+ assertions, (?P<failed>\d+) failures, (?P<errors>\d+) errors, (?P<skipped>\d+) skips",
    // test-unit.
    r"(?m)^(?P<total>\d+) tests, \d+ assertions, (?P<failed>\d+) failures, (?P<errors>\d+) errors, (?P<skipped>\d+) pendings",
    // PHPUnit.
    r"(?m)^OK \((?P<passed>\d+) tests?, |^Tests: (?P<total>\d+), Assertions: \d+(?:, Errors: (?P<errors>\d+))?(?:, Failures: (?P<failed>\d+))?.*?(?:, Skipped: (?P<skipped>\d+))?\.?$|^(?P<none>No tests executed!)",
    // ExUnit, bats in a terminal, EUnit.
    r"(?m)^(?:\d+ doctests?, )?(?P<total>\d+) tests?, (?P<failed>\d+) failures?(?:, (?P<skipped>\d+) (?:skipped|excluded))?|^(?P<none>There are no tests to run)",
    // .NET.
    r"(?m)^\w+! +- Failed: +(?P<failed>\d+), Passed: +(?P<passed>\d+), |^(?P<none>No test is available) in ",
    // GoogleTest.
    r"(?m)^\[==========\] (?P<total>\d+) tests? from \d+ test (?:suites?|cases?) ran\.|^\[  FAILED  \] (?P<failed>\d+) tests?, listed below|^\[  SKIPPED \] (?P<skipped>\d+) tests?, listed below",
    // Catch2, doctest.
    r"(?m)^All tests passed \(\d+ assertions? in (?P<passed>\d+) test cases?\)|^(?:\[doctest\] )?test cases: *\d+ \|(?: *(?P<more>\d+) passed *\|?)?(?: *(?P<failed>\d+) failed)?|^(?P<none>No tests ran)$",
    // Bun.
    r"(?m)^ *(?P<passed>\d+) pass$|^ *(?P<failed>\d+) fail$",
    // Deno.
    r"(?m)^(?:ok|FAILED) \| (?P<passed>\d+) passed (?:\(\d+ steps?\) )?\| (?P<failed>\d+) failed",
    // Playwright.
    r"(?m)^  (?P<passed>\d+) passed \([\d.]+m?s?\)$|^  (?P<failed>\d+) failed$",
    // Dart and Flutter.
    r"(?m)^\d\d:\d\d \+(?P<passed>\d+)(?: ~\d+)?(?: -(?P<failed>\d+))?: (?:All tests passed!|Some tests failed\.)|^(?P<none>No tests ran\.)$",
    // Meson.
    r"(?m)^Ok: +(?P<passed>\d+)\s*$|^Fail: +(?P<failed>\d+)\s*$|^(?P<none>No tests defined\.)",
    // Swift.
    r"(?m)^Test Suite '(?:All|Selected) tests' (?:passed|failed)[^\n]*\n\s*Executed (?P<total>\d+) tests?, with (?:\d+ tests? skipped and )?(?P<failed>\d+) failures?|^.{1,3} Test run with (?P<more>\d+) tests? .*(?:passed|failed) after",
    // Zig.
    r"(?m)^All (?P<passed>\d+) tests passed\.$|^(?P<more>\d+) passed; \d+ skipped; (?P<failed>\d+) failed\.$",
    // ScalaTest.
    r"(?m)^(?:\[\w+\] )?Tests: succeeded (?P<passed>\d+), failed (?P<failed>\d+), ",
    // prove.
    r"(?m)^Files=\d+, Tests=(?P<total>\d+), ",
    // gotestsum.
    r"(?m)^DONE (?P<total>\d+) tests?(?:, (?P<skipped>\d+) skipped)?(?:, (?P<failed>\d+) failures?)? in ",
];

static CTEST_RUNS: LazyLock<Option<(Regex, Regex)>> =
    LazyLock::new(|| Some((Regex::new(CTEST).ok()?, Regex::new(IN_CTEST).ok()?)));
static TABLE: LazyLock<Vec<Regex>> =
    LazyLock::new(|| FORMS.iter().filter_map(|form| Regex::new(form).ok()).collect());

impl Counts {
    /// Reads the complete output of a check.
    pub(super) fn of(output: &str) -> Self {
        let Some((run, lines)) = &*CTEST_RUNS else { return Self::of_others(output) };
        // What is configured before can print such lines too.
        let Some(last) = run.find_iter(output).last() else { return Self::of_others(output) };
        let (of_ctest, others) =
            (Self::read(lines, last.as_str()), Self::of_others(&run.replace_all(output, "")));
        match of_ctest {
            Some(of_ctest) => of_ctest.and(others),
            None => others,
        }
    }

    fn of_others(output: &str) -> Self {
        let summary = CheckSummary::of(output, &Redactor::new([""; 0]));
        let known =
            summary.map_or(Self::default(), |summary| Self { total: summary.total, failed: summary.failed });
        if known == Self::default() {
            TABLE.iter().find_map(|form| Self::read(form, output)).unwrap_or_default()
        } else {
            known
        }
    }

    /// Adds up what the lines of a runner count.
    fn read(form: &Regex, output: &str) -> Option<Self> {
        let mut lines = form.captures_iter(output).peekable();
        lines.peek()?;
        let has_total = form.capture_names().flatten().any(|name| name == "total");
        let (mut ran, mut failed, mut omitted) = (0_u64, 0_u64, 0_u64);
        for line in lines {
            let number = |name| number(&line, name);
            let bad = number("failed").saturating_add(number("errors"));
            let counted = number("total").saturating_add(number("passed")).saturating_add(number("more"));
            let counted = if has_total { counted } else { counted.saturating_add(bad) };
            let marks = |name| u64::from(line.name(name).is_some());
            ran = ran.saturating_add(counted).saturating_add(marks("one"));
            failed = failed.saturating_add(bad).saturating_add(marks("bad"));
            omitted = omitted.saturating_add(number("skipped")).saturating_add(marks("omitted"));
        }
        Some(Self { total: Some(ran.saturating_sub(omitted)), failed: Some(failed) })
    }

    /// Adds the counts of another runner, if it has any.
    fn and(self, other: Self) -> Self {
        let sum = |one: Option<u64>, other: Option<u64>| Some(one?.saturating_add(other.unwrap_or_default()));
        Self { total: sum(self.total, other.total), failed: sum(self.failed, other.failed) }
    }
}

fn number(line: &Captures<'_>, name: &str) -> u64 {
    line.name(name).and_then(|found| found.as_str().parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An output without a test that ran, and one with some, of which one fails, for each runner.
    const OUTPUTS: &[(&str, &str, &str, u64)] = &[
        (
            "libtest",
            "running 2 tests\n\ntest result: ok. 0 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out\n",
            "running 3 tests\ntest a ... FAILED\n\nfailures:\n\nfailures:\n    a\n\ntest result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n",
            3,
        ),
        (
            "nextest",
            "    Summary [   0.000s] 0 tests run: 0 passed, 0 skipped\n",
            "    Summary [   0.005s] 2 tests run: 1 passed, 1 failed, 0 skipped\n        FAIL [   0.003s] app a\n",
            2,
        ),
        ("pytest", "=== no tests ran in 0.01s ===\n", "=== 1 failed, 2 passed in 0.02s ===\n", 3),
        (
            "pytest, all skipped",
            "===== 2 skipped in 0.01s =====\n",
            "== 1 failed, 1 passed, 1 skipped in 0.1s ==\n",
            2,
        ),
        (
            "unittest",
            "\n----------------------------------------------------------------------\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n",
            "======================================================================\nFAIL: test_a (t.T.test_a)\n----------------------------------------------------------------------\nRan 2 tests in 0.001s\n\nFAILED (failures=1)\n",
            2,
        ),
        (
            "jest",
            "No tests found, exiting with code 0\n",
            "Test Suites: 1 failed, 1 total\nTests:       1 failed, 1 passed, 2 total\n",
            2,
        ),
        (
            "jest, all skipped",
            "Test Suites: 1 skipped, 0 of 1 total\nTests:       2 skipped, 2 total\n",
            "Tests:       1 failed, 1 total\n",
            1,
        ),
        (
            "vitest",
            "No test files found, exiting with code 0\n",
            " Test Files  1 failed (1)\n      Tests  1 failed | 1 passed (2)\n",
            2,
        ),
        (
            "mocha",
            "\n\n  0 passing (1ms)\n\n",
            "\n\n  1 passing (5ms)\n  1 failing\n\n  1) adds:\n     no\n",
            2,
        ),
        (
            "node",
            "ℹ tests 0\nℹ suites 0\nℹ pass 0\nℹ fail 0\nℹ cancelled 0\n",
            "TAP version 13\nok 1 - a\nnot ok 2 - b\n1..2\n# tests 2\n# pass 1\n# fail 1\n# cancelled 0\n",
            2,
        ),
        ("TAP", "TAP version 13\n1..0\n", "TAP version 13\nok 1 - a\nnot ok 2 - b\n1..2\n", 2),
        (
            "go",
            "testing: warning: no tests to run\nPASS\nok  \tapp\t0.1s [no tests to run]\n",
            "=== RUN   TestA\n--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tapp\t0.1s\n",
            1,
        ),
        (
            "ctest",
            "Test project /a/out\nNo tests were found!!!\n",
            "Test project /a/out\n    Start 1: a\n1/3 Test #1: a ...   Passed    0.00 sec\n2/3 Test #2: b ...***Failed    0.00 sec\nRan 9 tests in 0.1s\n\
             3/3 Test #3: c ...***Skipped   0.00 sec\n\n50% tests passed, 1 tests failed out of 3\n\nTotal Test time (real) =   0.00 sec\n",
            2,
        ),
        (
            "JUnit",
            "<testsuites>\n<testsuite name=\"a\" tests=\"0\"/></testsuites>",
            "<testsuites><testsuite name=\"a\" tests=\"3\"><testcase name=\"a\"/><testcase name=\"b\"><failure message=\"no\"/>\
             </testcase><testcase name=\"c\"><skipped/></testcase></testsuite></testsuites>",
            2,
        ),
        (
            "CTRF",
            "{\"results\": {\"summary\": {\"tests\": 1, \"passed\": 0, \"failed\": 0, \"skipped\": 1}, \"tests\": []}}",
            "{\"results\": {\"summary\": {\"tests\": 3, \"passed\": 2, \"failed\": 1}}}",
            3,
        ),
        (
            "Maven",
            "[INFO] No tests to run.\n",
            "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s\n[INFO] Results:\n[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0\n",
            2,
        ),
        ("RSpec", "0 examples, 0 failures\n", "3 examples, 1 failure, 1 pending\n", 2),
        (
            "Minitest",
            "0 runs, 0 assertions, 0 failures, 0 errors, 0 skips\n",
            "3 runs, 2 assertions, 0 failures, 1 errors, 1 skips\n",
            2,
        ),
        ("PHPUnit", "No tests executed!\n", "FAILURES!\nTests: 3, Assertions: 2, Failures: 1.\n", 3),
        (
            "PHPUnit, all skipped",
            "OK, but some tests were skipped!\nTests: 1, Assertions: 0, Skipped: 1.\n",
            "Tests: 2, Assertions: 2, Failures: 1.\n",
            2,
        ),
        ("ExUnit", "There are no tests to run\n", "1 doctest, 2 tests, 1 failure\n", 2),
        (
            ".NET",
            "No test is available in /a.dll.\n",
            "Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3\n",
            3,
        ),
        (
            "GoogleTest",
            "[==========] 0 tests from 0 test suites ran. (0 ms total)\n",
            "[==========] 3 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 2 tests.\n[  FAILED  ] 1 test, listed below:\n",
            3,
        ),
        (
            "Catch2",
            "No tests ran\n",
            "test cases: 2 | 1 passed | 1 failed\nassertions: 2 | 1 passed | 1 failed\n",
            2,
        ),
        (
            "doctest",
            "[doctest] test cases: 0 | 0 passed | 0 failed | 0 skipped\n",
            "[doctest] test cases: 2 | 1 passed | 1 failed | 0 skipped\n",
            2,
        ),
        ("Bun", " 0 pass\n 0 fail\n", " 2 pass\n 1 fail\nRan 3 tests across 1 file.\n", 3),
        ("Deno", "ok | 0 passed | 0 failed (0ms)\n", "FAILED | 1 passed (2 steps) | 1 failed (5ms)\n", 2),
        ("Dart", "No tests ran.\n", "00:01 +4 ~1 -1: Some tests failed.\n", 5),
        ("Meson", "No tests defined.\n", "Ok:                 1   \nFail:               1   \n", 2),
        (
            "Swift",
            "Test Suite 'All tests' passed at 1.\n\t Executed 0 tests, with 0 failures (0 unexpected) in 0.0 (0.0) seconds\n✔ Test run with 0 tests passed after 0.001 seconds.\n",
            "Test Suite 'A' failed at 1.\n\t Executed 2 tests, with 1 failure (0 unexpected)\nTest Suite 'All tests' failed at 1.\n\t Executed 2 tests, with 1 failure (0 unexpected)\n",
            2,
        ),
        (
            "prove",
            "Files=0, Tests=0,  0 wallclock secs\nResult: NOTESTS\n",
            "Files=1, Tests=3,  0 wallclock secs\nResult: FAIL\n",
            3,
        ),
        ("gotestsum", "DONE 0 tests in 0.001s\n", "DONE 3 tests, 1 skipped, 1 failure in 0.1s\n", 2),
        (
            "ScalaTest",
            "[info] Tests: succeeded 0, failed 0, canceled 0, ignored 0, pending 0\n",
            "Tests: succeeded 2, failed 1, canceled 0, ignored 0, pending 0\n",
            3,
        ),
    ];

    #[test]
    fn an_output_without_tests_counts_none_whatever_the_runner_is() {
        assert_eq!(TABLE.len(), FORMS.len());
        let mut wrong = Vec::new();
        for (runner, empty, full, total) in OUTPUTS {
            let failed = u64::from(*runner != "prove");
            let counts = [empty, full].map(|output| (Counts::of(output).total, Counts::of(output).failed));
            wrong.extend(
                (counts != [(Some(0), Some(0)), (Some(*total), Some(failed))]).then_some((runner, counts)),
            );
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn ctest_counts_beside_others_and_only_its_last_run() {
        let ctest = |count| {
            format!(
                "Test project /a\n100% tests passed, 0 tests failed out of {count}\n\nTotal Test time (real) = 0 sec\n"
            )
        };
        let both = format!("=== 1 passed in 0.01s ===\n{}", ctest(2));
        assert_eq!(Counts::of(&both), Counts { total: Some(3), failed: Some(0) });
        assert_eq!(Counts::of(&(ctest(7) + &ctest(1))).total, Some(1));
        assert_eq!(Counts::of("make: nothing to do\n"), Counts::default());
    }
}
