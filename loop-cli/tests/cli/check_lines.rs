//! The lines of a run about its checks, and the table below them.

use crate::support::{Manifest, Scenario};

/// An output of `cargo test`: one of three unit tests fails, and the doctests of another package pass.
const CARGO: &str = "
running 3 tests
test math::divides ... ok
test math::multiplies ... ok
test math::adds ... FAILED

failures:

---- math::adds stdout ----

thread 'math::adds' panicked at src/lib.rs:9:9:
assertion `left == right` failed

failures:
    math::adds

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `--lib`
   Doc-tests shapes

running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

";

/// The agent repairs the test in its second iteration. A check that prints nothing else prints this output.
fn repaired() -> Scenario {
    let scenario = Scenario::new();
    scenario.write("failed.txt", CARGO);
    let passed = CARGO.split("failures:").next().expect("a beginning").replace("FAILED", "ok");
    scenario.write(
        "passed.txt",
        passed + "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
    );
    let agent = "cat > prompt-$LOOP_ITERATION; echo x >> work";
    let check = "if [ $(wc -l < work) -ge 2 ]; then cat passed.txt; else cat failed.txt; exit 101; fi";
    let prompt = "{evaluator_output}";
    scenario.manifest(&Manifest::new(agent, check).set("agent.prompt", prompt));
    scenario
}

#[test]
fn a_check_names_the_failing_tests_and_then_their_total() {
    let scenario = repaired();
    let ran = scenario.run(&["run"]).exits(0);
    let lines: Vec<_> = ran.stderr.lines().filter_map(|line| line.strip_prefix("  check  ")).collect();
    let summaries: Vec<_> =
        lines.iter().filter_map(|line| line.split_once(" · ")).map(|(_, text)| text).collect();
    assert_eq!(summaries, ["1 of 3 failed: math::adds", "3 passed"]);
    // The next prompt has the whole output, as it is.
    assert_eq!(scenario.read("prompt-2").trim(), CARGO.trim());
    for args in [&["show", "-i", "1"][..], &["tail"]] {
        let page = scenario.run(args).exits(0).stdout;
        assert!(page.contains("1 of 3 failed: math::adds"), "{args:?}: {page}");
    }
}

#[test]
fn a_check_of_another_kind_is_summarised_by_its_last_line() {
    let scenario = Scenario::new();
    let check = "echo linting; echo '7 lines are too long'; echo; false";
    scenario
        .run_manifest(&Manifest::new("true", check).set("guardrails.max_iterations", 1))
        .exits(1)
        .says(&["· 7 lines are too long"]);
}

#[test]
fn the_line_counts_failures_where_the_last_line_says_nothing() {
    let jest = r#"{"numFailedTests":1,"numPassedTests":2,"testResults":[{"name":"/a.js","status":"failed","message":"",
        "assertionResults":[{"fullName":"math adds","status":"failed"}]},
        {"name":"/b.js","status":"failed","message":"SyntaxError: no","assertionResults":[]}]}"#;
    for (output, line) in [
        ("{\n  \"a\": [\n    1 lint\n  ]\n}\n", "1 lint"),
        ("[ERROR] Tests run: 5, Failures: 2\n[ERROR] -> [Help 1]\n", "[ERROR] Tests run: 5, Failures: 2"),
        (
            "=== ERRORS ===\n=== short test summary info ===\nERROR a.py - no\nERROR b.py - no\n=== 2 errors in 0.1s ===\n",
            "2 errors: a.py: no",
        ),
        (jest, "1 of 3 failed, 1 error: /b.js, math adds"),
        (
            "[ERROR] Plugin x could not be resolved -> [Help 1]\n[ERROR] \n[ERROR] [Help 1] http://x\n",
            "Plugin x could not be resolved",
        ),
        (
            "TAP version 13\n# /w/a.test.js:1\n# const x = ;\n# SyntaxError: no\n# Node.js v20.1.0\n\
             # Subtest: /w/a.test.js\nnot ok 1 - /w/a.test.js\n1..1\n# tests 1\n# pass 0\n# fail 1\n",
            "/w/a.test.js:1: SyntaxError: no",
        ),
        (
            "cc -o t t.c\n./t\nt.c:4: FAIL: 4 == 5\ndone\nmake: *** [Makefile:4: test] Error 1\n",
            "failed: t.c:4: 4 == 5",
        ),
        ("./t\nadds: got -1\nmake: *** [Makefile:4: test] Error 1\n", "adds: got -1"),
    ] {
        let scenario = Scenario::new();
        scenario.write("out.txt", output);
        let manifest = Manifest::new("true", "cat out.txt; false").set("guardrails.max_iterations", 1);
        scenario.run_manifest(&manifest).exits(1).says(&[&format!("· {line}\n")]);
    }
}

#[test]
fn a_silent_check_says_how_it_ended() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("true", "exit 7").set("guardrails.max_iterations", 1);
    scenario.run_manifest(&manifest).exits(1).says(&["· exited with 7\n"]);
    assert!(scenario.run(&["show", "-i", "1"]).exits(0).stdout.contains("exited with 7"));
}

#[test]
fn a_test_cannot_steer_the_terminal_with_its_name() {
    let scenario = Scenario::new();
    scenario.write("out.txt", CARGO.replace("math::adds", "ma\u{1b}[2Jth::\u{202e}adds\u{7}"));
    let manifest = Manifest::new("true", "cat out.txt; false").set("guardrails.max_iterations", 1);
    let ran = scenario.run_manifest(&manifest).exits(1).says(&["1 of 3 failed: math::adds"]);
    assert!(!ran.stderr.contains(['\u{1b}', '\u{202e}', '\u{7}']));
}

/// Returns a loop that meets its goal in this iteration.
fn in_iterations(iterations: u32) -> Scenario {
    let scenario = Scenario::new();
    let check = format!("test $(wc -l < work) -ge {iterations}");
    let manifest = Manifest::new("echo noise; echo x >> work", &check);
    scenario.manifest(&manifest.set("guardrails.max_iterations", iterations));
    scenario
}

/// Returns whether a text contains the table of iterations.
fn has_table(text: &str) -> bool {
    text.lines().any(|line| line.split_whitespace().eq(["agent", "check", "verdict", "cost"]))
}

#[test]
fn the_table_of_iterations_appears_only_if_it_adds_something() {
    for (iterations, args, is_shown) in [
        (1, &["run"][..], false),
        (5, &["run"], false),
        (6, &["run"], true),
        (1, &["run", "--show-output"], false),
        (2, &["run", "--show-output"], true),
        (6, &["run", "--quiet"], false),
    ] {
        let ran = in_iterations(iterations).run(args).exits(0);
        assert_eq!(has_table(&ran.stderr), is_shown, "{iterations} {args:?}: {}", ran.stderr);
    }
}

#[test]
fn the_table_shows_the_iterations_before_a_run_was_resumed() {
    let scenario = in_iterations(2);
    scenario.run(&["run", "--max", "1"]).exits(1);
    let ran = scenario.run(&["resume", "--add-iterations", "1"]).exits(0);
    assert!(has_table(&ran.stderr), "{}", ran.stderr);
    assert!(!ran.stderr.contains("iteration 1 of"), "{}", ran.stderr);
}
