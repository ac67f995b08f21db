//! The line to show of an output that no runner explains.

use loop_core::Outcome;

use super::{
    failing_names::failing,
    failure_counts::{counts_failures, dart_count, prove_count},
    findings::shorten,
    lines::{Line, is_notice, lines},
    stated_error,
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
    if let Some(count) = prove_count(&whole) {
        return Some(shorten(&with_names(&count, &failing(&whole), width), width));
    }
    if let Some(count) = end.find(|line| counts_failures(line)) {
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
    if let Some(error) = stated_error::find(&whole, END) {
        return Some(shorten(error.trim(), width));
    }
    let mut words = text.lines().rev().filter(|line| !is_notice(line) && has_word(line));
    let last = words.clone().next()?;
    // `make` closes with the target that failed. The target's own words say more than its name.
    let own = words.find(|line| !is_of_make(line)).filter(|line| is_of_make(last) && !is_command(line));
    Some(shorten(own.unwrap_or(last).trim(), width))
}

/// Returns true for the lines with which `make` ends: `make: *** [Makefile:2: test] Error 1`.
fn is_of_make(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or_default();
    let is_make = name == "make" || name.strip_prefix("make[").is_some_and(|rest| rest.ends_with(']'));
    is_make && [": *** [", ": Leaving directory ", ": Target "].iter().any(|mark| line.contains(mark))
}

/// Returns true for a line that looks like a command, which `make` prints before it starts it: `./test -v`.
fn is_command(line: &str) -> bool {
    const PROGRAMS: [&str; 16] = [
        "ar", "bash", "c++", "cargo", "cc", "clang", "clang++", "cmake", "g++", "gcc", "go", "make", "node",
        "npm", "python3", "sh",
    ];
    let program = line.split_whitespace().next().unwrap_or_default();
    program.starts_with("./")
        || program.starts_with('/') && !program.contains(':')
        || PROGRAMS.contains(&program)
}

/// Returns a line of .NET without the duration and the file behind its counts, which leave no room for names, and with
/// single spaces.
fn without_time(line: &str) -> String {
    let counts = line.split_once(", Duration: ").map_or(line, |(counts, _)| counts);
    counts.split_whitespace().collect::<Vec<_>>().join(" ")
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

/// Returns true for a line that is more than brackets, marks, a closing tag or a step of a stack.
pub(super) fn has_word(line: &str) -> bool {
    let text = line.trim_start();
    let is_step =
        text.starts_with("at ") && text.ends_with(')') || text.starts_with("from ") && text.contains(":in ");
    let is_stack = is_step && text.len() < line.len();
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

#[cfg(test)]
mod tests {
    use super::*;

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
        (
            "1) C::testA with data set \"one two\" (1, 2)\n2) C::testA with data set #1 (4, 5)\n3) C::testB\n\nTests: 6, Failures: 3.\n",
            "Tests: 6, Failures: 3: C::testA with data set \"one two\", C::testA with data set #1, C::testB",
        ),
        (" ✘ Adds\n   │ no\n ✔ Ok\n\nTests: 2, Failures: 1.\n", "Tests: 2, Failures: 1: Adds"),
        ("1) math adds\n  Message:\n    no\n\n2 specs, 1 failure\n", "2 specs, 1 failure: math adds"),
        ("FAIL: adds\nPASS: subs\n# TOTAL: 2\n# FAIL:  1\n", "# FAIL: 1: adds"),
        ("PASS adds\nFAIL subs\nFAIL muls\nPASS divs\n", "failed: subs, muls"),
        ("ruff.......Failed\n- hook id: ruff\nmypy.......Passed\n", "failed: ruff"),
        ("t.c:4: FAIL: 4==5\ndone\nmake: *** [Makefile:4: test] Error 1\n", "failed: t.c:4: 4==5"),
        ("running\nterminate called\n  what():  sum is -1\nAborted\n", "sum is -1"),
        (
            "ok\nt: t.c:3: main: Assertion `a == 3' failed.\nAborted\n",
            "t: t.c:3: main: Assertion `a == 3' failed.",
        ),
        (
            "/usr/bin/ld: a.o: in function `main':\nt.c:(.text+0xf): undefined reference to `add'\ncollect2: error: ld returned 1 exit status\n",
            "t.c:(.text+0xf): undefined reference to `add'",
        ),
        (
            "panic: index out of range [3]\n\ngoroutine 1 [running]:\nexit status 2\n",
            "panic: index out of range [3]",
        ),
        (
            "PHP Fatal error:  Uncaught E: bad in /p.php:1\nStack trace:\n#0 {main}\n  thrown in /p.php on line 1\n",
            "PHP Fatal error:  Uncaught E: bad in /p.php:1",
        ),
        (
            "z.rb:1:in `f': bad (ArgumentError)\n from z.rb:2:in `<main>'\n",
            "z.rb:1:in `f': bad (ArgumentError)",
        ),
        (
            "w.sh: line 1: syntax error near `then'\nw.sh: line 1: `if then'\n",
            "w.sh: line 1: syntax error near `then'",
        ),
        ("Diff in /a.rs:2:\n x\nDiff in /a.rs:9:\n }y\n", "Diff in /a.rs:2:"),
        ("./t\nadds: got -1\nmake: *** [Makefile:2: test] Error 1\n", "adds: got -1"),
        (
            "cc -o t t.c\n./t\nmake[1]: *** [Makefile:2: test] Error 1\n",
            "make[1]: *** [Makefile:2: test] Error 1",
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
