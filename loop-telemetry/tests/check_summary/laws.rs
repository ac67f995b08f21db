//! Laws for every text.

use loop_core::{Outcome, Verdict};
use loop_telemetry::{
    Redactor,
    check_summary::{CheckSummary, check_line},
    words::is_display_control,
};
use proptest::prelude::*;

/// Lines that runners print.
const RECORDED: &[&str] = &[
    "running 3 tests",
    "test a::b ... FAILED",
    "failures:",
    "    a::b",
    "---- a::b stdout ----",
    "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
    "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
    "error: could not compile `a`",
    "error[E0425]: cannot find value",
    " --> src/lib.rs:9:9",
    " Nextest run ID 1 with nextest profile: default",
    "     Summary [   0.1s] 3/5 tests run: 1 passed (1 slow), 2 failed",
    "        FAIL [   0.1s] (1/3) a b::c",
    "=== FAILURES ===",
    "=== short test summary info ===",
    "FAILED t.py::test_b[x - y] - no",
    "ERROR t.py - no",
    "=== 1 failed, 2 passed in 0.1s ===",
    "1 failed, 2 passed in 0.1s",
    "..F [100%]",
    "E   SyntaxError: no",
    "____ ERROR collecting t.py ____",
    "======================================================================",
    "FAIL: test_b (t.T.test_b)",
    "ERROR: t (unittest.loader._FailedTest.t)",
    "Ran 3 tests in 0.1s",
    "----------------------------------------------------------------------",
    "FAILED (failures=1)",
    "OK",
    "FAIL a.test.js",
    "  ● math › adds",
    "Tests:       1 failed, 2 passed, 3 total",
    "Test Suites: 1 failed, 1 total",
    "⎯⎯ Failed Tests 1 ⎯⎯",
    " FAIL  a.test.ts > math > adds",
    "      Tests  1 failed | 2 passed (3)",
    " Test Files  1 failed (1)",
    "  2 passing (5ms)",
    "  1 failing",
    "  1) math",
    "       adds:",
    "ℹ tests 3",
    "ℹ pass 2",
    "ℹ fail 1",
    "✖ failing tests:",
    "test at a.js:1:1",
    "✖ adds (1ms)",
    "TAP version 13",
    "# Subtest: math",
    "    not ok 1 - adds",
    "not ok 1 - math",
    "ok 2 - b # SKIP",
    "  ---",
    "  ...",
    "1..2",
    "# tests 3",
    "# pass 2",
    "# fail 1",
    "=== RUN   TestA",
    "--- FAIL: TestA (0.00s)",
    "    --- FAIL: TestA/b (0.00s)",
    "FAIL\texample.com/a\t0.1s",
    "ok  \texample.com/b\t(cached)",
    "# example.com/a",
    "a.go:1:2: no",
    "a.ts(1,2): error TS1: no",
    "Node.js v20",
    "▶ math",
    "  ✖ adds (1ms)",
    "✖ later (1ms) # TODO",
    "ℹ cancelled 1",
    "Failed tests:",
    "not ok 1 - math # time=1ms {",
    "    ---",
    "}",
    "⎯⎯ Failed Suites 1 ⎯⎯",
    " FAIL  b.test.ts [ b.test.ts ]",
    "  ● Test suite failed to run",
    "  1) \"before each\" hook:",
    " Exception during run: Error: no",
    "- /a.js",
    "=== 1 failed, 2 passed, 2 errors in 0.1s ===",
    "ERROR t.py::test_c - no",
    "ImportError while loading conftest 't.py'.",
    "FAIL: test_b (t.T.test_b) (i=1)",
    "panic: no",
    "running tests:",
    r#"{"Action":"output","Package":"a","Output":"--- FAIL: TestJ (0.00s)\nFAIL\ta\t0.1s\n"}"#,
    r#"{"numFailedTests":1,"numPassedTests":2,"testResults":[{"name":"a.js","status":"failed","message":"","#,
    r#""assertionResults":[{"fullName":"adds \u001b[1m\u202e\n","status":"failed"}]}]}"#,
    r#"{"stats":{"tests":2,"passes":1,"pending":0,"failures":1},"failures":[{"fullTitle":"adds"}]}"#,
    "Tests run: 5, Failures: 2",
    "TypeError: no",
    "[... 12 bytes left out ...]",
    "",
];

/// Generates lines that runners print, between other text, with cuts and controls.
fn output() -> impl Strategy<Value = String> {
    let recorded = prop::sample::select(RECORDED);
    let word = prop_oneof![
        8 => recorded.prop_map(ToString::to_string),
        1 => "\\PC{0,40}",
        1 => "[ \\t]{0,5}[a-zA-Z0-9:›•✖ℹ(){}\\[\\]#%,;=.-]{0,40}",
        1 => any::<String>(),
        1 => "(test |not ok 1 - |FAILED |  ● |    )[a-z\u{1b}\u{202e}\u{9b}\u{7}\\[;m]{0,300}",
    ];
    let ended = (word, prop::sample::select(vec!["\n", "\n", "\n", "\r\n", "\r", ""]));
    prop::collection::vec(ended.prop_map(|(line, end)| line + end), 0..30).prop_map(|lines| lines.concat())
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop::sample::select(vec![Outcome::Pass, Outcome::Fail, Outcome::Inconclusive])
}

fn none() -> Redactor {
    Redactor::new([""; 0])
}

proptest! {
    #[test]
    fn a_line_is_bounded_and_steers_no_terminal(text in output(), outcome in outcome(), width in 0..120_usize) {
        let verdict = Verdict::new(outcome).with_text(text);
        if let Some(line) = check_line(&verdict, width, &none()) {
            prop_assert!(line.chars().count() <= width.max(1), "{line:?}");
            prop_assert!(!line.contains(['\n', '\t']) && !line.contains(is_display_control), "{line:?}");
        }
    }

    #[test]
    fn a_summary_is_bounded_and_agrees_with_itself(text in output()) {
        let Some(found) = CheckSummary::of(&text, &none()) else { return Ok(()) };
        prop_assert!(found.failing.len() <= 200);
        for shown in found.failing.iter().chain(&found.errors) {
            prop_assert!(!shown.is_empty() && shown.chars().count() <= 200);
            prop_assert!(!shown.contains(['\n', '\t']) && !shown.contains(is_display_control), "{shown:?}");
        }
        if let (Some(failed), Some(total)) = (found.failed, found.total) {
            prop_assert!(failed <= total);
        }
        let names = found.failing.len() as u64;
        prop_assert!(found.failed.is_none_or(|failed| failed == names || failed > names && found.has_more));
        prop_assert!(found.errors.len() <= 200);
        prop_assert!(found.error_count.is_none_or(|count| count >= found.errors.len() as u64));
    }

    #[test]
    fn colours_and_line_ends_change_nothing(text in output()) {
        let lf = text.replace("\r\n", "\n").replace('\r', "\n");
        prop_assert_eq!(CheckSummary::of(&lf.replace('\n', "\r\n"), &none()), CheckSummary::of(&lf, &none()));
        let plain = loop_telemetry::words::plain(&lf).into_owned();
        let coloured: String = plain.lines().map(|line| format!("\u{1b}[1m{line}\u{1b}[0m\n")).collect();
        prop_assert_eq!(CheckSummary::of(&coloured, &none()), CheckSummary::of(&plain, &none()));
    }
}

/// A long text of one kind of line takes a time in proportion to its length. The counted work would be quadratic
/// otherwise, and this test would take hours.
#[test]
fn a_megabyte_of_anything_is_read() {
    let lines = [
        "running 1 test\nfailures:\n",
        "test a ... FAILED\n",
        "    not ok 1 - a\n",
        "  1) a\n",
        "      a",
        "[",
        "((((",
        "/a",
        "--- FAIL: a/a (0.00s)\n",
        "# Subtest: a\n",
        "  ● a\n",
        "FAILED a::b[ - \n",
        "=",
        "\u{1b}[",
        "a: error",
        "\r",
    ];
    for line in lines {
        for begin in
            ["", "=== short test summary info ===\nFAILED ", "  1 passing\n  1 failing\n  1) ", "--- FAIL: "]
        {
            let text = begin.to_owned() + &line.repeat((1 << 20) / line.len());
            CheckSummary::of(&text, &none());
        }
    }
}
