//! Loops without a manifest, and the default manifest.

use regex::Regex;
use serde_json::Value;

use crate::support::{CommandResult, Manifest, RunningCommand, Scenario};

/// Runs `loop run` with these flags added to those of a loop that takes two iterations.
fn run(scenario: &Scenario, more: &[&str]) -> CommandResult {
    let args = [
        "run",
        "--agent",
        "cat > prompt.$LOOP_ITERATION",
        "--check",
        "echo not yet; test -e prompt.2",
        "--max",
        "3",
    ];
    scenario.run(&[&args, more].concat())
}

#[test]
fn flags_alone_are_a_loop() {
    let scenario = Scenario::new();
    run(&scenario, &[]).exits(0).says(&["goal_met", "iterations 2"]);
    let first = scenario.read("prompt.1");
    assert!(first.starts_with("Make this command exit 0: echo not yet; test -e prompt.2\n"), "{first}");
    assert!(scenario.read("prompt.2").ends_with("\n\nnot yet\n\n"), "{}", scenario.read("prompt.2"));
    let record = scenario.record();
    assert_eq!(record["manifest"], Value::Null);
    assert_eq!(record["loop"], "work");
}

/// Returns a text with all durations replaced, so that two runs compare.
fn timeless(text: &str) -> String {
    Regex::new(r"\b\d+(\.\d+)?(ms|s)\b").expect("a pattern").replace_all(text, "[time]").into_owned()
}

#[test]
fn the_start_that_the_readme_shows_works() {
    let readme = include_str!("../../../README.md");
    let (_, rest) = readme.split_once("## Start in 90 seconds\n").expect("the chapter");
    let block = |fence: &str, index: usize| {
        let mut blocks = rest.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix(fence));
        blocks.nth(index).expect("enough blocks")
    };
    let scenario = Scenario::new();
    let path = std::path::Path::new(env!("CARGO_BIN_EXE_loop")).parent().expect("a folder");
    let path = format!("{}:{}", path.display(), std::env::var("PATH").expect("a path"));
    let script = format!("set -e\n{}{}{}", block("sh\n", 0), block("sh\n", 1), block("sh\n", 2));
    let ran =
        RunningCommand::new(scenario.command("sh", &["-c", &script]).env("PATH", path)).finish().exits(0);
    let shown = timeless(block("text\n", 0));
    assert!(timeless(&ran.stderr).starts_with(&shown), "{}", ran.stderr);
    assert!(ran.stdout.ends_with("missing LICENSE\n\n"), "{}", ran.stdout);
}

#[test]
fn goal_and_prompt_are_told_as_they_were_written() {
    let scenario = Scenario::new();
    run(&scenario, &["--goal", "It's {done}", "--prompt", "{goal}, {iteration}: {evaluator_output}"])
        .exits(0);
    assert_eq!(scenario.read("prompt.1"), "It's {done}, 1: ");
    assert_eq!(scenario.read("prompt.2"), "It's {done}, 2: not yet\n");
}

#[test]
fn limits_hold_without_a_file_too() {
    let scenario = Scenario::new();
    scenario.run(&["run", "--agent", "true", "--check", "false", "--max", "2"]).exits(1).says(&[
        "max_iterations",
        "run the check (--check) yourself",
        "raise --max\n",
    ]);
    let slow =
        ["run", "--agent", crate::support::FOREVER, "--check", "false", "--max", "2", "--max-time", "0.1s"];
    scenario.run(&slow).exits(1).says(&["time_exceeded", "raise --max-time,"]);
    let dear = r#"echo '{"cost_usd": 3}' >> "$LOOP_USAGE_FILE""#;
    let bought = ["run", "--agent", dear, "--check", "false", "--max", "2", "--max-cost", "2"];
    scenario.run(&bought).exits(1).says(&["budget_exceeded", "raise --max-cost,"]);
}

#[test]
fn a_table_that_leaves_iterations_out_shows_all_other_rows() {
    let scenario = Scenario::new();
    let ran = scenario
        .run(&["run", "--agent", "true", "--check", "exit 1", "--max", "22", "--set", "stagnation=off"])
        .exits(1);
    let ran = ran.says(&["2 iterations left out"]);
    let table = ran.stderr.split_once("cost\n").expect("a table").1;
    let rows: Vec<_> = table.lines().map_while(|line| line.split_whitespace().next()).collect();
    let numbers = (1..=5).chain(8..=22).map(|number: u32| number.to_string());
    let mut expected: Vec<_> = numbers.collect();
    expected.insert(5, "…".to_owned());
    assert_eq!(rows, expected, "{}", ran.stderr);
}

#[test]
fn an_agent_that_fails_in_the_last_iteration_is_what_to_look_at_next() {
    let scenario = Scenario::new();
    let ran = scenario.run(&["run", "--agent", "exit 7", "--check", "false", "--max", "2"]).exits(1);
    ran.says(&["next       run the agent (--agent) yourself", "the agent exited with 7"]);
}

#[test]
fn a_manifest_that_flags_replace_completely_is_named() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("touch worked", "test -e worked").set("on_finish", "touch finished"));
    let flags = ["run", "--agent", "true", "--check", "true", "--max", "1"];
    let said = ["warning: loop.json is not used, nor are its limits", "`loop run loop.json --max N`"];
    scenario.run(&flags).exits(0).says(&said);
    assert!(!scenario.has("finished"));
    let check = [&["check"], &flags[1..]].concat();
    scenario.run(&check).exits(0).says(&["loop.json is not used", "`loop check loop.json --max N`"]);
    // Two of the three change the manifest.
    let ran = scenario.run(&flags[..5]).exits(0);
    assert!(scenario.has("finished") && !ran.stderr.contains("is not used"), "{}", ran.stderr);
    assert_eq!(scenario.run(&[&flags[..], &["--quiet"]].concat()).exits(0).stderr, "");
}

#[test]
fn a_command_that_is_not_there_is_named_by_its_flag() {
    let scenario = Scenario::new();
    for (agent, check, flag) in
        [("test -e . && no-such-agent", "true", "--agent"), ("true", "test -e . && no-such-check", "--check")]
    {
        let args = ["run", "--agent", agent, "--check", check, "--max", "2"];
        scenario.run(&args).exits(1).says(&[&format!("make sure that {flag} can run")]);
    }
}

#[test]
fn the_other_flags_of_run_go_with_them() {
    let scenario = Scenario::new();
    scenario.write("project/README", "");
    let ran = run(&scenario, &["--cwd", "project", "--json", "--quiet"]).exits(0);
    assert_eq!(ran.stderr, "");
    let record: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(record["loop"], "project");
    assert!(scenario.has("project/prompt.1"));
    let looked = run(&scenario, &["--dry-run"]).exits(0);
    assert!(looked.stdout.contains("Make this command exit 0"), "{}", looked.stdout);
}

#[test]
fn wrong_flags_are_refused_by_the_rules_of_manifests_before_anything_runs() {
    let scenario = Scenario::new();
    for (flags, said) in [
        (&["--max", "0"][..], "`--max` has to be at least 1"),
        (&["--max", "-1"], "`--max` has to be at least 1"),
        (&["--max", "3", "--max-cost", "2"], "`--max-cost` cannot be enforced"),
        (&["--max", "3", "--max-time", "0s"], "`--max-time` has to be"),
        (&["--max", "3", "--goal", " "], "`--goal` is empty"),
        (&["--max", "3", "--prompt", ""], "`--prompt` is empty"),
    ] {
        let args = [&["run", "--agent", "touch ran", "--check", "true"], flags].concat();
        scenario.run(&args).exits(2).says(&[said, "the command line"]);
    }
    let all = ["run", "--agent", "", "--check", "", "--max", "0"];
    scenario.run(&all).exits(2).says(&["`--agent` is empty", "`--check` is empty", "`--max` has"]);
    assert!(!scenario.has("ran"));
    assert!(scenario.records().is_empty());
}

#[test]
fn a_known_agent_may_be_named() {
    let scenario = Scenario::new();
    let ran =
        scenario.run(&["run", "--agent", "claude", "--check", "false", "--max", "1", "--dry-run"]).exits(0);
    assert!(ran.stdout.contains("claude -p --permission-mode acceptEdits"), "{}", ran.stdout);
}

#[test]
fn a_known_agent_can_be_held_to_a_budget() {
    for (agent, code) in [("claude", 0), ("pi", 0), ("gemini", 0), ("opencode", 0), ("aider", 2)] {
        let scenario = Scenario::new();
        let args =
            ["run", "--agent", agent, "--check", "false", "--max", "1", "--max-cost", "2", "--dry-run"];
        let ran = scenario.run(&args).exits(code);
        assert_eq!(ran.stderr.contains("--max-cost"), code == 2, "{}", ran.stderr);
    }
}

#[test]
fn the_manifest_that_is_here_need_not_be_named() {
    let manifest = Manifest::new("touch done", "test -e done").0;
    for file in ["loop.json", "loop.yaml", "loop.yml"] {
        let scenario = Scenario::new();
        scenario.write(file, manifest.to_string());
        scenario.run(&["check"]).exits(0);
        scenario.run(&["run"]).exits(0);
        let path = scenario.record()["manifest"].as_str().expect("a path").to_owned();
        assert!(path.ends_with(&format!("/{file}")), "{path}");
    }
}

#[test]
fn two_manifests_are_one_too_many_and_none_is_too_few() {
    let scenario = Scenario::new();
    for command in ["run", "check"] {
        scenario.run(&[command]).exits(2).says(&["loop.yaml, loop.yml, loop.toml or loop.json", "loop init"]);
    }
    let manifest = Manifest::new("touch ran", "true").0.to_string();
    scenario.write("loop.json", &manifest);
    scenario.write("loop.yml", &manifest);
    for command in ["run", "check"] {
        let named = format!("loop {command} loop.yml");
        scenario.run(&[command]).exits(2).says(&["loop.yml, loop.json", &named]);
    }
    assert!(!scenario.has("ran"));
}

#[test]
fn a_loop_that_lacks_flags_and_a_manifest_names_what_is_missing() {
    let scenario = Scenario::new();
    for (args, missing) in [
        (&["--agent", "true"][..], "needs `--check CMD` and `--max N`"),
        (&["--agent", "true", "--check", "false"], "needs `--max N`"),
        (&["--check", "false", "--max", "1"], "needs `--agent CMD`"),
        (&["--model", "x", "--max", "1"], "needs `--check CMD`"),
    ] {
        scenario.run(&[&["run"], args].concat()).exits(2).says(&[missing, "loop init"]);
    }
    scenario.run(&["run", "--goal", "x"]).exits(2).says(&["there is no loop.yaml"]);
}

#[test]
fn the_words_of_other_programs_lead_to_a_command() {
    let scenario = Scenario::new();
    for (args, command) in [
        (&["tset"][..], "'check'"),
        (&["test"], "'check'"),
        (&["ls"], "'runs'"),
        (&["statsu"], "'runs'"),
        (&["delete", "x"], "'rm'"),
        (&["logs"], "'tail'"),
        (&["schedule", "remove", "x"], "'delete'"),
        (&["schedule", "ls"], "'list'"),
        (&["schedule", "create"], "'add'"),
        (&["scedule"], "'schedule'"),
    ] {
        scenario.run(args).exits(2).says(&["unrecognized subcommand", command]);
    }
    for strange in ["colour", "zzz"] {
        let ran = scenario.run(&[strange]).exits(2);
        assert!(!ran.stderr.contains("similar"), "{}", ran.stderr);
    }
}

#[test]
fn the_words_of_other_tools_for_keys_lead_to_a_key_or_to_advice() {
    let scenario = Scenario::new();
    for (set, said) in [
        ("agent.cwd=x", "--cwd DIR"),
        ("agent.args=x", "write the arguments in `command`"),
        ("hooks=x", "did you mean `on_finish`?"),
        ("on_success=x", "`$LOOP_REASON` names it"),
        ("on-failure=x", "did you mean `on_finish`?"),
        ("notify=x", "did you mean `on_finish`?"),
        ("agent.notify=x", "did you mean `on_finish` at the top of the manifest?"),
        ("prepare=x", "SETUP && AGENT"),
        ("setup=x", "did you mean `evaluator.setup`?"),
        ("schedule=x", "loop schedule add"),
    ] {
        run(&scenario, &["--set", set]).exits(2).says(&["unknown key", said]);
    }
}
