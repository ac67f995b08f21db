//! Outputs that contradict themselves, lack a part, or quote another runner.

use std::{collections::BTreeMap, fs, path::Path};

use loop_core::{Outcome, Verdict};
use loop_telemetry::{Redactor, check_summary::check_line};
use proptest::prelude::*;

use super::summary;

/// Returns the line of a failed check, or `None` for its last line.
fn failed(text: &str) -> Option<String> {
    summary(text)?.line(Outcome::Fail, 60)
}

fn cargo(announced: u64, passed: u64, names: &[&str]) -> String {
    let list: String = names.iter().map(|name| format!("    {name}\n")).collect();
    let details = if names.is_empty() { String::new() } else { format!("failures:\n\nfailures:\n{list}\n") };
    let word = if names.is_empty() { "ok" } else { "FAILED" };
    format!(
        "running {announced} tests\n{details}test result: {word}. {passed} passed; {} failed; 0 ignored; 0 measured; \
         0 filtered out; finished in 0.00s\n\n",
        names.len()
    )
}

const PYTEST: &str =
    "..F [100%]\n=== short test summary info ===\nFAILED t.py::b - no\n1 failed, 2 passed in 0.1s\n";

#[test]
fn the_counts_of_several_programs_are_added() {
    let all = cargo(3, 2, &["a"]) + &cargo(2, 0, &["a", "b"]) + &cargo(0, 0, &[]);
    assert_eq!(failed(&all).as_deref(), Some("3 of 5 failed: a, b, …"));
    assert_eq!(failed(&(cargo(3, 3, &[]) + PYTEST)).as_deref(), Some("1 of 6 failed: t.py::b"));
}

#[test]
fn counts_that_contradict_each_other_are_left_out() {
    assert_eq!(failed(&cargo(9, 2, &["a"])).as_deref(), Some("failed: a"));
    // The second program crashed.
    assert_eq!(failed(&(cargo(3, 2, &["a"]) + "running 2 tests\n")).as_deref(), Some("failed: a"));
    // `| tail` left out the beginning, and possibly other programs.
    let end = cargo(3, 3, &[]).split_off("running 3 tests\n".len());
    assert_eq!(summary(&end).and_then(|found| found.line(Outcome::Pass, 60)), None);
    assert_eq!(failed("Tests:       1 failed, 2 passed, 9 total\n"), None);
    let qq = PYTEST.replace("1 failed, 2 passed in 0.1s\n", "");
    assert_eq!(failed(&(cargo(3, 2, &["a"]) + &qq)).as_deref(), Some("2 of 6 failed: a, t.py::b"));
    let qq = qq.replace("..F [100%]\n", "");
    assert_eq!(failed(&(cargo(3, 2, &["a"]) + &qq)).as_deref(), Some("failed: a, t.py::b"));
}

#[test]
fn a_summary_that_does_not_explain_the_outcome_is_not_shown() {
    assert_eq!(failed(&cargo(3, 3, &[])), None);
    assert_eq!(summary(PYTEST).expect("pytest").line(Outcome::Pass, 60), None);
    assert_eq!(summary(PYTEST).expect("pytest").line(Outcome::Inconclusive, 60), None);
    let line = |verdict: Verdict| check_line(&verdict, 60, &Redactor::new([""; 0]));
    assert_eq!(line(Verdict::pass().with_text(PYTEST)).as_deref(), Some("1 failed, 2 passed in 0.1s"));
    assert_eq!(
        line(Verdict::fail().with_text("one\nmissing LICENSE\n\n")).as_deref(),
        Some("missing LICENSE")
    );
    assert_eq!(line(Verdict::fail()), None);
}

#[test]
fn a_check_without_a_test_that_failed_says_how_it_ended() {
    let line = |text: &str, how: &str| {
        let verdict = Verdict::fail().with_text(text).with_feedback(format!("the check {how}"));
        check_line(&verdict, 60, &Redactor::new([""; 0])).unwrap_or_default()
    };
    assert_eq!(
        line("exit status 2\nFAIL\tex.com/c\t0.002s\nFAIL\n", "exited with 1"),
        "ex.com/c: exit status 2"
    );
    let tested = "--- FAIL: TestA (0.00s)\nFAIL\nexit status 1\nFAIL\tex.com/c\t0.002s\nFAIL\n";
    assert_eq!(line(tested, "exited with 1"), "1 failed: TestA");
    for how in ["exited with 3", "was ended by SIGKILL"] {
        for silent in ["", "\n", "FAIL\n", "failed:\n"] {
            assert_eq!(line(silent, how), how, "{silent:?}");
        }
    }
    assert_eq!(line("missing LICENSE\nfailed\n", "exited with 3"), "missing LICENSE");
    let passed = Verdict::pass().with_feedback("the check exited with 0, but nothing matches");
    assert_eq!(check_line(&passed, 60, &Redactor::new([""; 0])), None);
}

#[test]
fn marks_of_pytest_are_counts_only_with_their_percentages() {
    let list = "=== short test summary info ===\nFAILED t.py::b - no\n";
    let lines = |marks: &str| failed(&format!("{marks}{list}"));
    assert_eq!(lines("..s [ 50%]\n.xF [100%]\n").as_deref(), Some("1 of 4 failed: t.py::b"));
    for torn in [
        ".xF [100%]\n.F [100%]\n",
        ".. [ 50%]\nprinted\n.xF [100%]\n",
        "..s [ 50%]\n.xF [ 90%]\n",
        "E.F [100%]\n",
    ] {
        assert_eq!(lines(torn).as_deref(), Some("failed: t.py::b"), "{torn}");
    }
}

#[test]
fn tests_of_go_with_one_name_get_their_packages() {
    let package = |name: &str| format!("--- FAIL: TestA (0.00s)\nFAIL\nFAIL\t{name}\t0.002s\n");
    let all = |names: &[&str]| failed(&names.iter().map(|name| package(name)).collect::<String>());
    assert_eq!(all(&["ex.com/m", "ex.com/m/é"]).as_deref(), Some("2 failed: m > TestA, m/é > TestA"));
    assert_eq!(all(&["ex.com/m/ab", "ex.com/m/ac"]).as_deref(), Some("2 failed: ab > TestA, ac > TestA"));
    assert_eq!(all(&["a", "b"]).as_deref(), Some("2 failed: a > TestA, b > TestA"));
    assert_eq!(all(&["ex.com/m", "ex.com/m"]).as_deref(), Some("2 failed: TestA, …"));
}

#[test]
fn a_left_out_middle_may_hide_a_test_program() {
    let gap = "[... 70000 bytes left out ...]\n";
    let all = cargo(3, 2, &["a"]) + gap + &cargo(2, 2, &[]);
    assert_eq!(failed(&all).as_deref(), Some("failed: a"));
    assert_eq!(
        failed(&format!("===== FAILURES =====\n{gap}torn\n{PYTEST}")).as_deref(),
        Some("1 of 3 failed: t.py::b")
    );
}

#[test]
fn names_are_cut_and_cannot_hide_what_they_are() {
    let names: Vec<_> = (0..300).map(|index| format!("name_{index}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let many = cargo(301, 1, &names);
    assert_eq!(
        failed(&many).as_deref(),
        Some("300 of 301 failed: name_0, name_1, name_2, name_3, name_4, …")
    );
    assert_eq!(summary(&many).map(|found| (found.failing.len(), found.has_more)), Some((200, true)));
    let long = failed(&cargo(1, 0, &[&"x".repeat(500)])).expect("a line");
    assert_eq!(long, format!("1 of 1 failed: {}…", "x".repeat(44)));
    let hostile = failed(&cargo(1, 0, &["a\u{1b}[2J\u{202e}b\u{7}\tc"])).expect("a line");
    assert_eq!(hostile, "1 of 1 failed: ab c");
}

#[test]
fn a_secret_is_left_out_before_a_name_is_cut() {
    let secrets = Redactor::new(["hunterAlphaBeta77"]);
    let verdict = Verdict::fail().with_text(cargo(1, 0, &["with hunterAlpha\u{1b}[1mBeta77"]));
    assert_eq!(check_line(&verdict, 30, &secrets).as_deref(), Some("1 of 1 failed: with [redacted]"));
    assert_eq!(check_line(&verdict, 24, &secrets).as_deref(), Some("1 of 1 failed: with [re…"));
}

/// Returns the recorded outputs by name.
fn recorded() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check_summary/outputs");
    let folders = ["failed", "passed"].map(|name| fs::read_dir(folder.join(name)).expect("outputs"));
    let files = folders.into_iter().flatten().map(|file| file.expect("a file").path());
    files.map(|file| (file.display().to_string(), fs::read_to_string(file).expect("a text"))).collect()
}

/// A person can search for each part of a name, and for each file.
#[test]
fn names_and_files_occur_in_the_output() {
    for (file, text) in recorded() {
        let found = summary(&text).unwrap_or_default();
        let plain = loop_telemetry::words::plain(&text).replace("\\\"", "\"");
        let tests = found.failing.iter().flat_map(|name| name.split(" > "));
        // Python prints the parameters of a subtest, and the name of a hook, elsewhere. Some errors have no place.
        let tests = tests.map(|name| name.split_once(" (").map_or(name, |(test, _)| test));
        let places = found.errors.iter().filter_map(|error| error.split(':').next());
        let places = places.map(|place| place.trim_end_matches(".setUpClass"));
        for part in tests.chain(places.filter(|place| place.contains(['/', '.']))) {
            assert!(plain.contains(part), "{file}: {part}");
        }
    }
}

#[test]
fn the_events_of_go_are_read_however_packages_are_mixed() {
    let event = |package: &str, output: &str| {
        format!("{{\"Action\":\"output\",\"Package\":\"{package}\",\"Output\":\"{output}\"}}\n")
    };
    let text = event("a", "=== RUN   TestA\\n")
        + &event("b", "=== RUN   TestB\\n")
        + &event("a", "printed")
        + &event("b", "--- PASS: TestB (0.00s)\\nok  \\tb\\t0.1s\\n")
        + &event("a", "--- FAIL: TestA (0.00s)\\nFAIL\\ta\\t0.1s\\n");
    assert_eq!(failed(&text).as_deref(), Some("1 of 2 failed: TestA"));
}

#[test]
fn a_report_in_json_hides_nothing() {
    let test = r#"{"fullTitle":"a\u001b[2J\u202e hunter\u0041lphaBeta77"}"#;
    let text =
        format!(r#"{{"stats":{{"tests":2,"passes":1,"pending":0,"failures":1}},"failures":[{test}]}}"#);
    let verdict = Verdict::fail().with_text(format!("> mocha\n\n{{ a: 1 }}\n{text}\n"));
    let line = check_line(&verdict, 60, &Redactor::new(["hunterAlphaBeta77"]));
    assert_eq!(line.as_deref(), Some("1 of 2 failed: a [redacted]"));
}

proptest! {
    #[test]
    fn a_cut_output_never_has_other_counts(
        file in prop::sample::select(recorded().into_iter().collect::<Vec<_>>()),
        from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>(),
    ) {
        let (file, text) = file;
        let positions: Vec<_> = text.char_indices().map(|(at, _)| at).collect();
        let (one, other) = (*from.get(&positions), *to.get(&positions));
        let (from, to) = (one.min(other), one.max(other) + 1);
        let to = (to..=text.len()).find(|at| text.is_char_boundary(*at)).expect("the end");
        let cut = format!("{}\n[... {} bytes left out ...]\n{}", &text[..from], to - from, &text[to..]);
        let whole = summary(&text).unwrap_or_default();
        let found = summary(&cut).unwrap_or_default();
        prop_assert!(found.failed.is_none() || found.failed == whole.failed, "{file}: {found:?} of {cut}");
        prop_assert!(found.total.is_none() || found.total == whole.total, "{file}: {found:?} of {cut}");
        prop_assert!(found.error_count.is_none(), "{file}: {found:?} of {cut}");
        for name in &found.failing {
            // If the tests in a suite were left out, the suite is named. If the suite was, the test alone.
            let is_start = |test: &str| test.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with([' ', '/']));
            // A test of Go may have its package in front.
            let is_suite = |test: &&String| is_start(test) || test.split_once(" > ").is_some_and(|(_, own)| is_start(own));
            let is_inner = |test: &&String| test.strip_suffix(name.as_str()).is_some_and(|rest| rest.ends_with(" > "));
            let is_known = whole.failing.iter().any(|test| test == name || is_suite(&test) || is_inner(&test));
            prop_assert!(is_known, "{file}: {found:?} of {cut}");
        }
    }
}
