//! Test runners: which commands and which outputs are theirs, and how they tell how many tests ran.

use std::{fs, path::PathBuf, sync::LazyLock};

use loop_guardrails::policy::command::simple_commands;
use regex::Regex;

use crate::context::ExecutionContext;

/// Flags with which `go test` lists its tests.
const GO_VERBOSE: &[&str] = &["-v", "-v=true", "-json"];

/// Lines that only test runners print, also if no test ran: those of go, pytest, unittest, cargo, jest, vitest, mocha, node,
/// TAP and ctest.
static MARKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let marks = [
        r"(?:ok  |FAIL|---|\?   )\t\S+\t",
        r"FAIL\t\S+ \[(?:build|setup) failed\]",
        r"=+ .*\bin [\d.]+s.* =+",
        r"(?:no tests ran|\d+ errors?|\d+ (?:passed|failed)).* in [\d.]+s",
        r"Ran \d+ tests? in ",
        r"Test Suites: ",
        r" *Test Files  ",
        r"  \d+ (?:passing|failing)",
        r"(?:ℹ|#) tests \d",
        r"TAP version ",
        r"Test project /",
    ];
    Regex::new(&format!("(?m)^(?:{})", marks.join("|"))).ok()
});

/// Commands that a makefile or a script shows before it runs them.
static SHOWN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)^(?:[>$+] |\s+)?((?:\w+=\S+ )*(?:\S*/)?(?:cargo|go|pytest|python[\d.]*|node|npx|jest|vitest|mocha|uv|poetry|bunx) .+)$").ok()
});

/// Returns whether this is the output of a test runner, or of a program that shows the command with which it starts one.
pub(super) fn shows_runner(output: &str) -> bool {
    let shown = SHOWN.iter().flat_map(|form| form.captures_iter(output));
    MARKS.as_ref().is_some_and(|marks| marks.is_match(output))
        || has_unbuilt_tests(output)
        || shown.into_iter().any(|found| is_test_runner(&found[1]))
}

/// Returns whether cargo could not build tests. `cargo clippy` says so of its targets too, which it checks.
fn has_unbuilt_tests(output: &str) -> bool {
    let is_about_tests =
        |line: &str| line.starts_with("error: could not compile ") && line.contains(" test)");
    output.lines().any(is_about_tests) && !output.contains(" Checking ")
}

/// Returns whether the command is a test runner whose output says how many tests ran.
pub(crate) fn is_test_runner(command: &str) -> bool {
    simple_commands(command).iter().any(|found| {
        let has = |word: &str| found.arguments.iter().any(|argument| argument == word);
        match found.program.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.') {
            "pytest" | "py.test" | "jest" | "vitest" | "mocha" => true,
            "ctest" => !has("-Q") && !has("--quiet") && !has("-N") && !has("--show-only"),
            "cargo" => has("test") || has("nextest") || has("t"),
            "go" => has("test"),
            "node" => has("--test"),
            "python" => has("unittest") || has("pytest"),
            "npx" | "pnpm" | "yarn" | "bunx" | "uv" | "poetry" | "pipenv" => {
                ["jest", "vitest", "mocha", "pytest"].into_iter().any(has)
            }
            _ => false,
        }
    })
}

/// Returns the command that runs all tests also after the first failing ones, where the runner would stop: otherwise the
/// first count would miss tests.
pub(super) fn to_the_end(command: &str) -> String {
    let stops_early = simple_commands(command).iter().any(|found| {
        found.program == "cargo"
            && found.arguments.first().is_some_and(|first| first == "test")
            && !found.arguments.iter().any(|argument| argument == "--no-fail-fast")
    });
    if stops_early {
        command.replacen("cargo test", "cargo test --no-fail-fast", 1)
    } else {
        command.to_owned()
    }
}

/// The variable with more options of pytest.
pub(super) const PYTEST_OPTIONS: &str = "PYTEST_ADDOPTS";

/// Returns the options with which pytest runs the tests that it can load, also if it cannot load others: otherwise the first
/// count would miss them. `set` is the value that the run has.
pub(super) fn pytest_options(set: Option<&str>, cx: &ExecutionContext) -> String {
    let inherited = || cx.variable(PYTEST_OPTIONS)?.into_string().ok();
    let set = set.map(str::to_owned).or_else(inherited).unwrap_or_default();
    format!("{set} --continue-on-collection-errors").trim().to_owned()
}

/// Returns the value of `GOFLAGS` with which `go test` says how many tests passed, whoever starts it. `set` is the value that
/// the run has.
pub(super) fn go_flags(set: Option<&str>, cx: &ExecutionContext) -> String {
    let set = set.map(str::to_owned).or_else(|| cx.variable("GOFLAGS")?.into_string().ok());
    let set = set.filter(|set| !set.is_empty()).or_else(|| stored_go_flags(cx)).unwrap_or_default();
    if set.split_whitespace().any(|flag| GO_VERBOSE.contains(&flag)) {
        set
    } else {
        format!("{set} -v").trim().to_owned()
    }
}

/// Returns the value that `go env -w` stored. A variable would replace it.
fn stored_go_flags(cx: &ExecutionContext) -> Option<String> {
    let folder = |name| cx.variable(name).map(PathBuf::from).filter(|path| !path.as_os_str().is_empty());
    let file = folder("GOENV").or_else(|| Some(folder("XDG_CONFIG_HOME")?.join("go/env")));
    let file = file.or_else(|| Some(folder("HOME")?.join(".config/go/env")))?;
    let text = fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| line.strip_prefix("GOFLAGS=")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use loop_agents::process::Supervisor;

    use super::*;

    #[test]
    fn runners_are_recognised_by_their_output() {
        for (output, expected) in [
            ("# app [app.test]\n./a.go:2:2: syntax error\nFAIL\tapp [build failed]\nFAIL\n", true),
            ("ok  \tapp\t0.02s\n", true),
            ("go test ./...\nsomething\n", true),
            ("\n> app@1.0.0 test\n> jest --ci\n\nSyntaxError\n", true),
            ("error: could not compile `app` (lib test) due to 1 previous error\n", true),
            ("    Checking app v0.1.0\nerror: could not compile `app` (lib test) due to 1 error\n", false),
            ("==== 1 error in 0.12s ====\n", true),
            ("no tests ran in 0.01s\n", true),
            ("sh check.sh\nok\n", false),
            ("error: could not compile `app` (lib) due to 1 previous error\n", false),
            ("go vet ./...\n3 errors\n", false),
        ] {
            assert_eq!(shows_runner(output), expected, "{output}");
        }
    }

    #[test]
    fn runners_run_and_count_every_test() {
        assert_eq!(
            to_the_end("RUST_LOG=1 cargo test -p a -- b"),
            "RUST_LOG=1 cargo test --no-fail-fast -p a -- b"
        );
        for command in ["cargo test --no-fail-fast", "go test ./...", "echo cargo test", "cargo clippy"] {
            assert_eq!(to_the_end(command), command);
        }
        let home = tempfile::tempdir().unwrap();
        let cx = |set: &str| {
            let variables = [("HOME".into(), home.path().into()), ("GOFLAGS".into(), set.into())];
            ExecutionContext::new(home.path(), Supervisor::new("run-1")).unwrap().with_variables(variables)
        };
        for (set, of_run, expected) in [
            (None, "", "-v"),
            (None, "-mod=mod", "-mod=mod -v"),
            (Some("-json"), "-mod=mod", "-json"),
            (Some("-race"), "", "-race -v"),
        ] {
            assert_eq!(go_flags(set, &cx(of_run)), expected);
        }
        fs::create_dir_all(home.path().join(".config/go")).unwrap();
        fs::write(home.path().join(".config/go/env"), "GOFLAGS=-tags=x\n").unwrap();
        assert_eq!(go_flags(None, &cx("")), "-tags=x -v");
    }

    #[test]
    fn runners_are_recognised_by_their_commands() {
        for command in [
            "cargo test --workspace",
            "python3 -m unittest",
            "env A=1 npx jest",
            "cd a && go test ./...",
            "ctest --test-dir out",
        ] {
            assert!(is_test_runner(command), "{command}");
        }
        for command in ["cargo clippy", "make", "node server.js", "test -e done.txt"] {
            assert!(!is_test_runner(command), "{command}");
        }
    }
}
