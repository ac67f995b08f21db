//! The line to show of an output that no runner explains.

use loop_core::Outcome;

use super::{
    failing_names::failing,
    findings::shorten,
    lines::{Line, is_notice, lines},
};

/// How many lines at the end may have the count: build tools print advice below it.
const END: usize = 50;

/// Returns the line of a [visible](super::lines::visible) text that says most: if the check failed, the last one of the
/// end that counts failures, or the last one that states an error. Otherwise the last one with a word.
pub(super) fn line(text: &str, outcome: Outcome, width: usize) -> Option<String> {
    let whole = lines(text).filter_map(|line| match line {
        Line::Text(text) => Some(text),
        Line::Gap => None,
    });
    let whole: Vec<_> = whole.filter(|_| outcome == Outcome::Fail).collect();
    let mut end = whole.iter().rev().take(END).copied();
    if let Some(count) = end.clone().find(|line| counts_failures(line)) {
        return Some(shorten(&with_names(&without_time(count), &failing(&whole), width), width));
    }
    let names = failing(&whole);
    if !names.is_empty() {
        let count = whole.iter().rev().find_map(|line| dart_count(line));
        return Some(shorten(
            &with_names(&count.unwrap_or_else(|| "failed".to_owned()), &names, width),
            width,
        ));
    }
    if let Some(panic) = panic(&whole) {
        return Some(shorten(&panic, width));
    }
    let line = end
        .find(|line| states_error(line))
        .or_else(|| whole.iter().copied().find(|line| is_npm(line)))
        .or_else(|| maven_error(&whole))
        .or_else(|| text.lines().rev().find(|line| !is_notice(line) && has_word(line)))?;
    Some(shorten(line.trim(), width))
}

/// Returns a line of .NET without the duration and the file behind its counts, which leave no room for names, and with
/// single spaces.
fn without_time(line: &str) -> String {
    let counts = line.split_once(", Duration: ").map_or(line, |(counts, _)| counts);
    counts.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the counts of Dart and Flutter: `00:00 +1 -1: Some tests failed.`
fn dart_count(line: &str) -> Option<String> {
    let (counts, _) = line.split_once(": Some tests failed")?;
    let (passed, failed) = counts.split_once(" +")?.1.split_once(" -")?;
    let (passed, failed): (u64, u64) = (passed.split(' ').next()?.parse().ok()?, failed.parse().ok()?);
    Some(format!("{failed} of {} failed", passed.checked_add(failed)?))
}

/// Appends names to a line, as far as they fit.
fn with_names(line: &str, names: &[String], width: usize) -> String {
    if names.is_empty() {
        return line.to_owned();
    }
    let mut text = line.trim_end_matches('.').to_owned();
    for (index, name) in names.iter().enumerate() {
        let is_full = text.chars().count() + name.chars().count() + 5 > width;
        if is_full && index > 0 {
            return text + ", …";
        }
        text += if index == 0 { ": " } else { ", " };
        text += name;
    }
    text
}

/// Returns the place and the message of the first panic of a Rust program.
fn panic(lines: &[&str]) -> Option<String> {
    let at = lines.iter().position(|line| line.starts_with("thread '") && line.contains(" panicked at "))?;
    let place = lines[at].split_once(" panicked at ")?.1;
    let message = lines.get(at + 1).map_or("", |line| line.trim());
    Some(format!("{place} {message}").trim().trim_end_matches(':').to_owned())
}

/// Returns true for a line that is more than brackets, marks, a closing tag or a step of a stack.
fn has_word(line: &str) -> bool {
    let text = line.trim_start();
    let is_stack = text.starts_with("at ") && text.ends_with(')') && text.len() < line.len();
    // That it failed is known already.
    let is_bare = ["fail", "failed", "failure", "failures", "failed tests", "error"]
        .contains(&text.trim_end_matches([':', ' ']).to_ascii_lowercase().as_str());
    let is_empty_package = text.starts_with("?  ") && text.ends_with("[no test files]");
    let is_time = text.starts_with("Total Test time ") || text.starts_with("note: run with `RUST_BACKTRACE=");
    let is_useless = is_stack || is_bare || is_empty_package || is_time || is_progress(text);
    !is_useless && !text.starts_with("</") && text.contains(char::is_alphanumeric)
}

/// Returns true for the marks of tests: `..F.x [ 50%]`, or `test_a.py .F`, as pytest prints them.
fn is_progress(text: &str) -> bool {
    let marks = text.split_once(" [").map_or(text, |(marks, _)| marks).trim_end();
    let marks = marks.split_once(".py ").map_or(marks, |(_, marks)| marks);
    marks.contains('.') && marks.chars().all(|mark| ".FEsxXR".contains(mark))
}

/// Returns true for `error: no`, `program: error: no` and `threshold not met`.
fn states_error(line: &str) -> bool {
    let line = line.trim_start().to_ascii_lowercase();
    let is_advice = line.starts_with("error: test failed, to rerun pass ");
    line.starts_with("error: ") && !is_advice || line.contains(": error: ") || line.contains(" not met")
}

/// Returns true for an error of npm. It states the error first, and then where to read more.
fn is_npm(line: &str) -> bool {
    ["npm error ", "npm ERR! "].iter().any(|prefix| line.trim_start().starts_with(prefix))
}

/// Returns the first error of Maven that says something. It ends with links, each `[ERROR] [Help 1] http…`.
fn maven_error<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let mut errors = lines.iter().filter_map(|line| line.trim_start().strip_prefix("[ERROR] "));
    let has_help = errors.clone().any(|error| error.starts_with("[Help "));
    let error = errors.find(|error| has_word(error) && !error.starts_with("[Help ")).filter(|_| has_help)?;
    Some(error.rsplit_once(" -> [Help ").map_or(error, |(error, _)| error))
}

/// Returns true if a line counts at least one failure: `Tests run: 5, Failures: 2`, `1 tests failed out of 2`,
/// `failures="1"`, `fail 1`.
fn counts_failures(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let is_separator = |sign: char| !sign.is_alphanumeric();
    let words: Vec<_> = line.split(is_separator).filter(|word| !word.is_empty()).collect();
    let start = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize;
    // The text between a word and the next one.
    let behind = |index: usize| {
        let end = start(words[index]) + words[index].len();
        &line[end..words.get(index + 1).map_or(line.len(), |next| start(next))]
    };
    let is_space = |text: &str| !text.is_empty() && text.trim().is_empty();
    let number = |index: usize| words.get(index).and_then(|word| word.parse::<u64>().ok());
    (0..words.len()).any(|index| {
        let is_single = matches!(words[index], "error" | "failure");
        if !is_single
            && !matches!(words[index], "fail" | "failed" | "failing" | "fails" | "failures" | "errors")
        {
            return false;
        }
        let next = behind(index).trim_matches([' ', '"']);
        if matches!(next, ":" | "=" | "=\"" | "\":") {
            return !is_single && number(index + 1) > Some(0);
        }
        let is_joined = |from: usize| (from..index).all(|at| is_space(behind(at)));
        let before =
            index.checked_sub(1).filter(|from| is_joined(*from)).and_then(|from| match number(from) {
                // A word such as `tests` may be between.
                None => from.checked_sub(1).filter(|from| is_joined(*from)).and_then(number),
                found => found,
            });
        match before {
            Some(count) if is_single => count == 1,
            Some(count) => count > 0,
            None => !is_single && is_space(behind(index)) && number(index + 1) > Some(0),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_counts_failures_is_known_in_any_notation() {
        for line in [
            "[ERROR] Tests run: 5, Failures: 2, Errors: 0, Skipped: 0",
            "50% tests passed, 1 tests failed out of 2",
            "3 examples, 1 failure",
            "4 tests, 2 failures",
            "Failed!  - Failed:     1, Passed:     3, Skipped:     0",
            "FAILED | 1 passed | 2 failed (5ms)",
            " 1 fail",
            "Failed 1/2 test programs. 1/4 subtests failed.",
            "Tests: 3, Assertions: 3, Failures: 1.",
            "4 runs, 4 assertions, 0 failures, 1 errors, 0 skips",
            "<testsuite name=\"a\" tests=\"6\" failures=\"3\">",
            "  \"failures\": 4,",
            "Found 3 errors.",
            "✖ 3 problems (2 errors, 1 warning)",
        ] {
            assert!(counts_failures(line), "{line}");
        }
    }

    /// Outputs of runners, and the line that summarises each.
    const FAILURES: &[(&str, &str)] = &[
        (
            "33% tests passed, 2 tests failed out of 3\n\nThe following tests FAILED:\n\t  2 - subs (Failed)\n\t  3 - divs (SEGFAULT)\n",
            "33% tests passed, 2 tests failed out of 3: subs, divs",
        ),
        (
            "CalcTest > adds() FAILED\n    org.x at CalcTest.java:5\n\n3 tests completed, 1 failed\n\n> Task :test FAILED\n",
            "3 tests completed, 1 failed: CalcTest > adds()",
        ),
        (
            "[ERROR] Failures:\n[ERROR]   CalcTest.adds:12 expected: <3> but was: <4>\n[INFO]\n[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0\n",
            "[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0: CalcTest.adds",
        ),
        (
            "4 examples, 1 failure\n\nFailed examples:\n\nrspec ./spec/a_spec.rb:2 # Calc adds\n",
            "4 examples, 1 failure: Calc adds",
        ),
        ("  1) test adds (CalcTest)\n     test/c.exs:4\n\n2 tests, 1 failure\n", "2 tests, 1 failure: adds"),
        (
            "  1) Failure:\nTestCalc#test_adds [c.rb:5]:\nExpected: 3\n\n2 runs, 2 assertions, 1 failures, 0 errors, 0 skips\n",
            "2 runs, 2 assertions, 1 failures, 0 errors, 0 skips: TestCalc#test_adds",
        ),
        (
            "1) CalcTest::testAdds\n\nTests: 3, Assertions: 3, Failures: 1.\n",
            "Tests: 3, Assertions: 3, Failures: 1: CalcTest::testAdds",
        ),
        (
            "adds => ./c_test.ts:1:6\n\nFAILED | 1 passed | 1 failed (5ms)\n",
            "FAILED | 1 passed | 1 failed (5ms): adds",
        ),
        (
            "  Failed Calc.Adds [5 ms]\n  Error Message:\nFailed!  - Failed:     1, Passed:     2, Duration: 10 ms - Calc.dll (net8.0)\n",
            "Failed! - Failed: 1, Passed: 2: Calc.Adds",
        ),
        (
            "Test Case 'CalcTests.testAdds' failed (0.001 seconds)\nExecuted 3 tests, with 1 failure (0 unexpected)\n",
            "Executed 3 tests, with 1 failure (0 unexpected): CalcTests.testAdds",
        ),
        (
            "[  FAILED  ] Calc.Adds (0 ms)\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Calc.Adds\n\n 1 FAILED TEST\n",
            "1 FAILED TEST: Calc.Adds",
        ),
        ("(fail) adds [0.12ms]\n\n 2 pass\n 1 fail\n", "1 fail: adds"),
        ("✗ math > adds [0.50ms]\n✓ ok\n\n 1 pass\n 1 fail\n", "1 fail: math > adds"),
        (
            "00:00 +1 -1: test/a_test.dart: adds [E]\n  Expected: <3>\n00:00 +1 -1: Some tests failed.\n\nFor example, 'dart test --chain-stack-traces'.\n",
            "1 of 2 failed: adds",
        ),
        ("00:01 +4 ~1 -1: adds [E]\n00:01 +4 ~1 -1: Some tests failed.\n", "1 of 5 failed: adds"),
        (
            "✘ Test adds() failed after 0.001 seconds with 1 issue.\n✘ Test run with 2 tests failed after 0.001 seconds with 1 issue.\n",
            "✘ Test run with 2 tests failed after 0.001 seconds with 1 issue: adds()",
        ),
        (
            "1/2 a.test.adds...FAIL (TestExpectedEqual)\n2/2 a.test.ok...OK\n1 passed; 0 skipped; 1 failed.\n",
            "1 passed; 0 skipped; 1 failed: a.test.adds",
        ),
        ("1/2 subs  OK  0.01s\n2/2 adds  FAIL  0.01s  exit status 1\n\nFail:      1\n", "Fail: 1: adds"),
        (
            "[info] - should be empty *** FAILED ***\n[info] *** 1 TEST FAILED ***\n",
            "[info] *** 1 TEST FAILED ***: should be empty",
        ),
        (
            "==> X MySuite.two  0.02s munit.ComparisonFailException: /x.scala:7\n[error] Failed: Total 2, Failed 1, Errors 0, Passed 1\n",
            "[error] Failed: Total 2, Failed 1, Errors 0, Passed 1: MySuite.two",
        ),
        (
            "  1) app_test:add_test: module 'app_test'\n2 tests, 1 failures\n",
            "2 tests, 1 failures: app_test:add_test",
        ),
        ("  1) Math adds\n       expected: 3\n\n2 examples, 1 failure\n", "2 examples, 1 failure: Math adds"),
        (
            "Failure:\nUserTest#test_name [user_test.rb:5]:\n\n2 runs, 2 assertions, 1 failures, 0 errors, 0 skips\n",
            "2 runs, 2 assertions, 1 failures, 0 errors, 0 skips: UserTest#test_name",
        ),
        (
            "//calc:adds_test   FAILED in 0.1s\n\nINFO: Build completed, 1 test FAILED, 2 total actions\n",
            "INFO: Build completed, 1 test FAILED, 2 total actions: //calc:adds_test",
        ),
        (
            "thread 'main' panicked at src/main.rs:2:5:\nboom\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
            "src/main.rs:2:5: boom",
        ),
    ];

    #[test]
    fn the_failing_tests_stand_behind_the_count() {
        for (output, expected) in FAILURES {
            assert_eq!(line(output, Outcome::Fail, 100).as_deref(), Some(*expected), "{output}");
        }
        let time = "100% tests passed, 0 tests failed out of 1\n\nTotal Test time (real) =   0.02 sec\n";
        assert_eq!(
            line(time, Outcome::Pass, 100).as_deref(),
            Some("100% tests passed, 0 tests failed out of 1")
        );
    }

    #[test]
    fn other_numbers_count_no_failures() {
        for line in [
            "Tests run: 5, Failures: 0, Errors: 0",
            "Passed: 3 Failed: 0",
            "make: *** [Makefile:2: test] Error 1",
            "error: 404",
            "HTTP 500 error",
            "0 errors, 3 warnings",
            "src/errors.rs:12: long line",
            "BUILD FAILED in 3s",
            "7 lines are too long",
        ] {
            assert!(!counts_failures(line), "{line}");
        }
    }

    #[test]
    fn brackets_and_notices_are_no_line() {
        let last = |text| line(text, Outcome::Fail, 80);
        assert_eq!(
            last("one\n  at f (/a.js:1:2)\n  }\n]);\n</a>\n---\n[... 7 bytes left out ...]\n").as_deref(),
            Some("one")
        );
        assert_eq!(last("}\n"), None);
        assert_eq!(last("the reason\nFAIL\n"), Some("the reason".to_owned()));
        assert_eq!(last("FAIL\nfailed:\n"), None);
        assert_eq!(last("1 failed\n[... 7 bytes left out ...]\nlast\n").as_deref(), Some("last"));
        assert_eq!(
            last("ERROR: usage: x\nx: error: no --y\n  rootdir: /\n").as_deref(),
            Some("x: error: no --y")
        );
        assert_eq!(
            last("> x\nnpm error Missing script: \"test\"\nnpm error\nnpm error A complete log is in x\n")
                .as_deref(),
            Some("npm error Missing script: \"test\"")
        );
        assert_eq!(
            last("Jest: \"global\" coverage threshold for lines (80%) not met: 50%\nTime: 0.5 s\n")
                .as_deref(),
            Some("Jest: \"global\" coverage threshold for lines (80%) not met: 50%")
        );
        assert_eq!(line("2 failed\nlast\n", Outcome::Pass, 80).as_deref(), Some("last"));
    }
}
