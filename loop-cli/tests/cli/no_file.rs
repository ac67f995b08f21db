//! A loop without a file, and the file that is not named.

use serde_json::Value;

use crate::support::{Manifest, Ran, World};

/// `loop run` with these flags behind those of a loop that takes two iterations.
fn run(world: &World, more: &[&str]) -> Ran {
    let args = [
        "run",
        "--agent",
        "cat > prompt.$LOOP_ITERATION",
        "--check",
        "echo not yet; test -e prompt.2",
        "--max",
        "3",
    ];
    world.run(&[&args, more].concat())
}

#[test]
fn flags_alone_are_a_loop() {
    let world = World::new();
    run(&world, &[]).exits(0).says(&["goal_met", "iterations 2"]);
    let first = world.read("prompt.1");
    assert!(first.starts_with("Make this command exit 0: echo not yet; test -e prompt.2\n"), "{first}");
    assert!(world.read("prompt.2").ends_with("\n\nnot yet\n\n"), "{}", world.read("prompt.2"));
    let record = world.record();
    assert_eq!(record["manifest"], Value::Null);
    assert_eq!(record["loop"], "work");
}

#[test]
fn goal_and_prompt_are_told_as_they_were_written() {
    let world = World::new();
    run(&world, &["--goal", "It's {done}", "--prompt", "{goal}, {iteration}: {evaluator_output}"]).exits(0);
    assert_eq!(world.read("prompt.1"), "It's {done}, 1: ");
    assert_eq!(world.read("prompt.2"), "It's {done}, 2: not yet\n");
}

#[test]
fn limits_hold_without_a_file_too() {
    let world = World::new();
    world.run(&["run", "--agent", "true", "--check", "false", "--max", "2"]).exits(1).says(&[
        "max_iterations",
        "run --check by hand",
        "raise --max\n",
    ]);
    let slow =
        ["run", "--agent", crate::support::FOREVER, "--check", "false", "--max", "2", "--max-time", "0.1s"];
    world.run(&slow).exits(1).says(&["time_exceeded", "raise --max-time,"]);
    let dear = r#"echo '{"cost_usd": 3}' >> "$LOOP_USAGE_FILE""#;
    let bought = ["run", "--agent", dear, "--check", "false", "--max", "2", "--max-cost", "2"];
    world.run(&bought).exits(1).says(&["budget_exceeded", "raise --max-cost,"]);
}

#[test]
fn a_command_that_is_not_there_is_named_by_its_flag() {
    let world = World::new();
    for (agent, check, flag) in [("no-such-agent", "true", "--agent"), ("true", "no-such-check", "--check")] {
        let args = ["run", "--agent", agent, "--check", check, "--max", "2"];
        world.run(&args).exits(1).says(&[&format!("see that {flag} can be run")]);
    }
}

#[test]
fn the_other_flags_of_run_go_with_them() {
    let world = World::new();
    world.write("project/README", "");
    let ran = run(&world, &["--cwd", "project", "--json", "--quiet"]).exits(0);
    assert_eq!(ran.stderr, "");
    let record: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(record["loop"], "project");
    assert!(world.has("project/prompt.1"));
    let looked = run(&world, &["--dry-run"]).exits(0);
    assert!(looked.stdout.contains("Make this command exit 0"), "{}", looked.stdout);
}

#[test]
fn wrong_flags_are_refused_by_the_rules_of_manifests_before_anything_runs() {
    let world = World::new();
    for (flags, said) in [
        (&["--max", "0"][..], "`--max` has to be at least 1"),
        (&["--max", "-1"], "`--max` has to be at least 1"),
        (&["--max", "3", "--max-cost", "2"], "`--max-cost` cannot hold"),
        (&["--max", "3", "--max-time", "0s"], "`--max-time` has to be"),
        (&["--max", "3", "--goal", " "], "`--goal` is empty"),
        (&["--max", "3", "--prompt", ""], "`--prompt` is empty"),
    ] {
        let args = [&["run", "--agent", "touch ran", "--check", "true"], flags].concat();
        world.run(&args).exits(2).says(&[said, "the command line"]);
    }
    let all = ["run", "--agent", "", "--check", "", "--max", "0"];
    world.run(&all).exits(2).says(&["`--agent` is empty", "`--check` is empty", "`--max` has"]);
    assert!(!world.has("ran"));
    assert!(world.records().is_empty());
}

#[test]
fn a_known_agent_may_be_named() {
    let world = World::new();
    let ran =
        world.run(&["run", "--agent", "claude", "--check", "false", "--max", "1", "--dry-run"]).exits(0);
    assert!(ran.stdout.contains("claude -p --permission-mode acceptEdits"), "{}", ran.stdout);
}

#[test]
fn a_known_agent_can_be_held_to_a_budget() {
    for (agent, code) in [("claude", 0), ("pi", 0), ("gemini", 0), ("opencode", 0), ("aider", 2)] {
        let world = World::new();
        let args =
            ["run", "--agent", agent, "--check", "false", "--max", "1", "--max-cost", "2", "--dry-run"];
        let ran = world.run(&args).exits(code);
        assert_eq!(ran.stderr.contains("--max-cost"), code == 2, "{}", ran.stderr);
    }
}

#[test]
fn the_manifest_that_is_here_need_not_be_named() {
    let manifest = Manifest::new("touch done", "test -e done").0;
    for file in ["loop.json", "loop.yaml", "loop.yml"] {
        let world = World::new();
        world.write(file, manifest.to_string());
        world.run(&["check"]).exits(0);
        world.run(&["run"]).exits(0);
        let path = world.record()["manifest"].as_str().expect("a path").to_owned();
        assert!(path.ends_with(&format!("/{file}")), "{path}");
    }
}

#[test]
fn two_manifests_are_one_too_many_and_none_is_too_few() {
    let world = World::new();
    for command in ["run", "check"] {
        world.run(&[command]).exits(2).says(&["loop.yaml, loop.yml, loop.toml or loop.json", "loop init"]);
    }
    let manifest = Manifest::new("touch ran", "true").0.to_string();
    world.write("loop.json", &manifest);
    world.write("loop.yml", &manifest);
    for command in ["run", "check"] {
        let named = format!("loop {command} loop.yml");
        world.run(&[command]).exits(2).says(&["loop.yml, loop.json", &named]);
    }
    assert!(!world.has("ran"));
}
