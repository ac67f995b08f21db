//! The first manifest of a project.

use std::{
    env,
    ffi::OsString,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use crate::support::{CommandResult, RunningCommand, Scenario};

/// Creates a scenario with these programs, each a shell script, on the PATH of [`call`].
fn scenario(programs: &[(&str, &str)]) -> Scenario {
    let scenario = Scenario::new();
    fs::create_dir(bin(&scenario)).expect("a folder");
    for (name, script) in programs {
        let file = bin(&scenario).join(name);
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).expect("a file");
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).expect("permissions");
    }
    scenario
}

fn bin(scenario: &Scenario) -> PathBuf {
    scenario.path("../bin")
}

fn started(mut command: Command) -> CommandResult {
    RunningCommand::new(&mut command).finish()
}

/// Calls `loop` with only the scenario's own programs on the PATH.
fn call(scenario: &Scenario, args: &[&str]) -> CommandResult {
    let mut command = scenario.loop_command(args);
    command.env("PATH", bin(scenario));
    started(command)
}

/// Calls `loop` with the system's programs after the scenario's own on the PATH, including the tools of this build.
fn call_with_system(scenario: &Scenario, args: &[&str]) -> CommandResult {
    let cargo = PathBuf::from(env::var_os("CARGO").expect("the tests are run by cargo"));
    let own = [bin(scenario), cargo.parent().expect("a folder").to_owned()];
    let system = env::var_os("PATH").unwrap_or_default();
    let path: OsString = env::join_paths(own.into_iter().chain(env::split_paths(&system))).expect("a PATH");
    let mut command = scenario.loop_command(args);
    command.env("PATH", path);
    started(command)
}

/// Copies the example project without its manifest.
fn copy_example(scenario: &Scenario) -> PathBuf {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/fix-tests");
    for file in ["Cargo.toml", "src/lib.rs", "agent.sh"] {
        scenario.write(file, fs::read(example.join(file)).expect(file));
    }
    example
}

#[test]
fn from_an_empty_terminal_to_a_met_goal_with_init_and_run() {
    let scenario = scenario(&[("claude", "exec sh ./agent.sh")]);
    copy_example(&scenario);
    call_with_system(&scenario, &["init"]).exits(0).says(&[
        "wrote loop.yaml",
        "claude -p",
        "cargo test",
        "loop run",
    ]);
    let checked = call_with_system(&scenario, &["check"]).exits(0);
    assert_eq!(checked.stderr, "");
    call_with_system(&scenario, &["run"]).exits(0).says(&["goal_met"]);
    assert_eq!(scenario.record()["iterations"], 2);
    assert!(scenario.record()["manifest"].as_str().is_some_and(|path| path.ends_with("/loop.yaml")));
}

#[test]
fn its_help_fits_a_terminal_of_80_columns() {
    let help = Scenario::new().run(&["init", "--help"]).exits(0).stdout;
    assert!(help.lines().all(|line| line.len() <= 80), "{help}");
}

#[test]
fn what_is_found_is_said_and_so_is_what_was_not_taken() {
    let scenario = scenario(&[("codex", ""), ("aider", ""), ("make", "")]);
    scenario.write("go.mod", "module it\n");
    scenario.write("Makefile", "lint:\n\ttrue\n");
    let ran = call(&scenario, &["init", "refactor-until-lint-clean"]).exits(0);
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("init_found", ran.stderr);
    });
    assert_eq!(ran.stdout, "");
    let checked = call(&scenario, &["check"]).exits(0);
    assert_eq!(checked.stderr, "");
    assert!(checked.stdout.contains("make lint"), "{}", checked.stdout);
}

#[test]
fn a_project_with_presets_is_built_with_them() {
    let scenario = scenario(&[("claude", "")]);
    scenario.write("core/CMakeLists.txt", "enable_testing()\n");
    let presets = r#"{"configurePresets": [{"name": "dev", "binaryDir": "${sourceDir}/out"}],
        "testPresets": [{"name": "unit", "configurePreset": "dev"}]}"#;
    scenario.write("core/CMakePresets.json", presets);
    let command =
        "cd core && cmake --preset dev && cmake --build out && ctest --preset unit --output-on-failure";
    call(&scenario, &["init"]).exits(0).says(&[command, "from core/CMakePresets.json"]);
    assert!(scenario.read("loop.yaml").contains(command));
}

#[test]
fn what_is_not_found_is_left_open_warned_about_and_never_run() {
    let scenario = scenario(&[]);
    let ran = call(&scenario, &["init"]).exits(0);
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("init_not_found", ran.stderr);
    });
    let checked = call(&scenario, &["check"]).exits(1);
    assert_eq!(checked.stderr.matches("warning").count(), 2, "{}", checked.stderr);
    call_with_system(&scenario, &["run"]).exits(2).says(&["agent.command", "evaluator.command", "error"]);
    assert!(!scenario.state().join("telemetry.jsonl").exists());
}

#[test]
fn a_file_that_is_there_stays_as_it_is() {
    let scenario = scenario(&[]);
    scenario.write("loop.yaml", "mine\n");
    call(&scenario, &["init"]).exits(2).says(&["loop.yaml already exists", "--out", "--force"]);
    assert_eq!(scenario.read("loop.yaml"), "mine\n");
    std::os::unix::fs::symlink("elsewhere", scenario.path("linked.yaml")).expect("a link");
    call(&scenario, &["init", "--out", "linked.yaml"]).exits(2).says(&["linked.yaml already exists"]);
    assert!(!scenario.has("elsewhere"));
    call(&scenario, &["init", "--force"]).exits(0).says(&["wrote loop.yaml"]);
    assert!(scenario.read("loop.yaml").contains("guardrails:"));
}

#[test]
fn a_check_is_given_as_a_command_and_the_found_ones_are_listed() {
    let scenario = scenario(&[("pi", ""), ("codex", "")]);
    scenario.write("web/package.json", r#"{ "scripts": { "test": "vitest run" } }"#);
    scenario.write("api/go.mod", "module it\n");
    let listed = call(&scenario, &["init", "--list"]).exits(0);
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("init_list", listed.stdout);
    });
    assert!(!scenario.has("loop.yaml"));
    call(&scenario, &["init", "--list", "--force"]).exits(2).says(&["--force"]);
    call(&scenario, &["init", "--check", ""]).exits(2).says(&["--check"]);
    call(&scenario, &["init", "--check", "make e2e"]).exits(0).says(&["make e2e", "not used: cd web"]);
    assert!(scenario.read("loop.yaml").contains("command: make e2e"));
}

#[test]
fn the_name_of_the_file_says_in_which_format_it_is() {
    for (file, begins) in
        [("it.yaml", "# Runs"), ("it.yml", "# Runs"), ("it.toml", "# Runs"), ("it.json", "{\n  \"name\"")]
    {
        let scenario = scenario(&[("pi", ""), ("go", "")]);
        scenario.write("go.mod", "module it\n");
        call(&scenario, &["init", "--out", file]).exits(0).says(&[&format!("loop check {file}")]);
        assert!(scenario.read(file).starts_with(begins), "{}", scenario.read(file));
        let checked = call(&scenario, &["check", file]).exits(0);
        assert_eq!(checked.stderr, "", "{file}");
    }
    let scenario = scenario(&[]);
    call(&scenario, &["init", "--out", "it.txt"]).exits(2).says(&["it.txt", ".toml"]);
    call(&scenario, &["init", "--out", "no/it.yaml"]).exits(2).says(&["no/it.yaml"]);
}

#[test]
fn the_schema_is_named_where_it_is_and_offered_where_it_is_not() {
    for (file, line) in [
        ("it.yaml", "# yaml-language-server: $schema=./loop.schema.json"),
        ("it.toml", "#:schema ./loop.schema.json"),
        ("it.json", "\"$schema\": \"./loop.schema.json\""),
    ] {
        let scenario = scenario(&[]);
        call(&scenario, &["init", "--out", file]).exits(0);
        assert!(!scenario.read(file).lines().any(|written| written == line), "{}", scenario.read(file));
        fs::remove_file(scenario.path(file)).expect("it was written");
        scenario.write("loop.schema.json", "{}");
        call(&scenario, &["init", "--out", file]).exits(0);
        assert!(scenario.read(file).contains(line), "{}", scenario.read(file));
        call(&scenario, &["check", file]).exits(1);
    }
}

#[test]
fn a_dash_prints_the_manifest_and_writes_nothing() {
    let scenario = scenario(&[]);
    let ran = call(&scenario, &["init", "--out", "-"]).exits(0);
    assert!(ran.stdout.contains("REPLACE_ME"), "{}", ran.stdout);
    assert!(!ran.stderr.contains("wrote"));
    assert!(!scenario.has("loop.yaml") && !scenario.has("-"));
}

#[test]
fn an_agent_is_given_by_its_name_or_as_a_command() {
    let scenario = scenario(&[("claude", "")]);
    call(&scenario, &["init", "--agent", "gemini", "--out", "a.yaml"])
        .exits(0)
        .says(&["gemini --approval-mode"]);
    call(&scenario, &["init", "--agent", "my-agent: \"x\" {prompt}", "--out", "b.yaml"]).exits(0);
    assert!(call(&scenario, &["check", "b.yaml"]).exits(1).stdout.contains("my-agent: \"x\" {prompt}"));
    call(&scenario, &["init", "--agent", "x '{prompt}'", "--out", "c.yaml"]).exits(2).says(&["--agent"]);
    call(&scenario, &["init", "--agent", "", "--out", "c.yaml"]).exits(2).says(&["--agent"]);
    assert!(!scenario.has("c.yaml"));
}

#[test]
fn a_file_that_cannot_be_run_is_no_agent() {
    let scenario = scenario(&[("codex", "")]);
    fs::write(bin(&scenario).join("claude"), "notes\n").expect("a file");
    fs::create_dir(bin(&scenario).join("gemini")).expect("a folder");
    call(&scenario, &["init"]).exits(0).says(&["codex exec"]);
}

#[test]
fn projects_of_other_languages_are_found_by_the_files_that_their_people_write() {
    for (file, text, check) in [
        ("pyproject.toml", "[tool.tox]\nenv_list = [\"py\"]\n", "tox -q"),
        ("test/a.test.js", "const test = require('node:test');\n", "node --test"),
        ("package.json", r#"{ "scripts": { "test:unit": "vitest run" } }"#, "npm run test:unit"),
        ("Rakefile", "task :test do\n  sh 'x'\nend\n", "rake test"),
        ("t/01.t", "use Test::More;\n", "prove -lr t"),
    ] {
        let scenario = scenario(&[("pi", "")]);
        scenario.write(file, text);
        call(&scenario, &["init"]).exits(0).says(&[check]);
        assert!(scenario.read("loop.yaml").contains(check), "{file}");
    }
}

#[test]
fn a_flag_for_one_run_does_not_find_fault_with_what_init_wrote() {
    let scenario = scenario(&[("worker", "exit 0"), ("judge", "exit 1")]);
    call(&scenario, &["init", "--agent", "worker", "--check", "judge"]).exits(0);
    for flags in [&["--max", "1"][..], &["--max", "1", "--max-cost", "1", "--allow-unmetered"]] {
        let ran = call(&scenario, &[&["run"], flags].concat()).exits(1);
        assert!(!ran.stderr.contains("does nothing"), "{}", ran.stderr);
    }
    let set = ["--set", "guardrails.max_consecutive_failures=3", "--set", "guardrails.max_iterations=2"];
    call(&scenario, &[&["check"], &set[..]].concat())
        .says(&["`guardrails.max_consecutive_failures` does nothing"]);
}

#[test]
fn a_check_that_cannot_run_is_not_sealed() {
    let scenario = Scenario::new();
    for check in ["no-such-check", "sh no-such-script.sh"] {
        let ran = scenario.run(&["init", "--sealed", "--agent", "true", "--check", check]).exits(2);
        ran.says(&["--sealed tries the check, and it cannot run", "no-such-"]);
        assert!(!scenario.has("loop.yaml"));
    }
}
