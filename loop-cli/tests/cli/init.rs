//! The first manifest of a project.

use std::{
    env,
    ffi::OsString,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use crate::support::{Ran, Started, World};

/// A world in which these programs, each a shell script, are on the PATH of [`call`].
fn world(programs: &[(&str, &str)]) -> World {
    let world = World::new();
    fs::create_dir(bin(&world)).expect("a folder");
    for (name, script) in programs {
        let file = bin(&world).join(name);
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).expect("a file");
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).expect("permissions");
    }
    world
}

fn bin(world: &World) -> PathBuf {
    world.path("../bin")
}

fn started(mut command: Command) -> Ran {
    Started::new(&mut command).finish()
}

/// `loop` where nothing is on the PATH but the world's own programs.
fn call(world: &World, args: &[&str]) -> Ran {
    let mut command = world.loop_command(args);
    command.env("PATH", bin(world));
    started(command)
}

/// Calls `loop` with the system's programs after the world's own on the PATH, including the tools of this build.
fn call_with_system(world: &World, args: &[&str]) -> Ran {
    let cargo = PathBuf::from(env::var_os("CARGO").expect("the tests are run by cargo"));
    let own = [bin(world), cargo.parent().expect("a folder").to_owned()];
    let system = env::var_os("PATH").unwrap_or_default();
    let path: OsString = env::join_paths(own.into_iter().chain(env::split_paths(&system))).expect("a PATH");
    let mut command = world.loop_command(args);
    command.env("PATH", path);
    started(command)
}

/// Copies the example project without its manifest.
fn copy_example(world: &World) -> PathBuf {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/fix-tests");
    for file in ["Cargo.toml", "src/lib.rs", "agent.sh"] {
        world.write(file, fs::read(example.join(file)).expect(file));
    }
    example
}

#[test]
fn from_an_empty_terminal_to_a_met_goal_with_init_and_run() {
    let world = world(&[("claude", "exec sh ./agent.sh")]);
    copy_example(&world);
    call_with_system(&world, &["init"]).exits(0).says(&[
        "wrote loop.yaml",
        "claude -p",
        "cargo test",
        "loop run",
    ]);
    let checked = call_with_system(&world, &["check"]).exits(0);
    assert_eq!(checked.stderr, "");
    call_with_system(&world, &["run"]).exits(0).says(&["goal_met"]);
    assert_eq!(world.record()["iterations"], 3);
    assert!(world.record()["manifest"].as_str().is_some_and(|path| path.ends_with("/loop.yaml")));
}

#[test]
fn its_help_fits_a_terminal_of_80_columns() {
    let help = World::new().run(&["init", "--help"]).exits(0).stdout;
    assert!(help.lines().all(|line| line.len() <= 80), "{help}");
}

#[test]
fn what_is_found_is_said_and_so_is_what_was_not_taken() {
    let world = world(&[("codex", ""), ("aider", ""), ("make", "")]);
    world.write("go.mod", "module it\n");
    world.write("Makefile", "lint:\n\ttrue\n");
    let ran = call(&world, &["init", "refactor-until-lint-clean"]).exits(0);
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("init_found", ran.stderr);
    });
    assert_eq!(ran.stdout, "");
    let checked = call(&world, &["check"]).exits(0);
    assert_eq!(checked.stderr, "");
    assert!(checked.stdout.contains("make lint"), "{}", checked.stdout);
}

#[test]
fn what_is_not_found_is_left_open_warned_about_and_never_run() {
    let world = world(&[]);
    let ran = call(&world, &["init"]).exits(0);
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("init_not_found", ran.stderr);
    });
    let checked = call(&world, &["check"]).exits(0);
    assert_eq!(checked.stderr.matches("warning").count(), 2, "{}", checked.stderr);
    call_with_system(&world, &["run"]).exits(2).says(&["agent.command", "evaluator.command", "error"]);
    assert!(!world.state().join("telemetry.jsonl").exists());
}

#[test]
fn a_file_that_is_there_stays_as_it_is() {
    let world = world(&[]);
    world.write("loop.yaml", "mine\n");
    call(&world, &["init"]).exits(2).says(&["loop.yaml is there already", "--out"]);
    assert_eq!(world.read("loop.yaml"), "mine\n");
    std::os::unix::fs::symlink("elsewhere", world.path("linked.yaml")).expect("a link");
    call(&world, &["init", "--out", "linked.yaml"]).exits(2).says(&["linked.yaml is there already"]);
    assert!(!world.has("elsewhere"));
}

#[test]
fn the_name_of_the_file_says_in_which_format_it_is() {
    for (file, begins) in
        [("it.yaml", "# Runs"), ("it.yml", "# Runs"), ("it.toml", "# Runs"), ("it.json", "{\n  \"name\"")]
    {
        let world = world(&[("pi", ""), ("go", "")]);
        world.write("go.mod", "module it\n");
        call(&world, &["init", "--out", file]).exits(0).says(&[&format!("loop check {file}")]);
        assert!(world.read(file).starts_with(begins), "{}", world.read(file));
        let checked = call(&world, &["check", file]).exits(0);
        assert_eq!(checked.stderr, "", "{file}");
    }
    let world = world(&[]);
    call(&world, &["init", "--out", "it.txt"]).exits(2).says(&["it.txt", ".toml"]);
    call(&world, &["init", "--out", "no/it.yaml"]).exits(2).says(&["no/it.yaml"]);
}

#[test]
fn the_schema_is_named_where_it_is_and_offered_where_it_is_not() {
    for (file, line) in [
        ("it.yaml", "# yaml-language-server: $schema=./loop.schema.json"),
        ("it.toml", "#:schema ./loop.schema.json"),
        ("it.json", "\"$schema\": \"./loop.schema.json\""),
    ] {
        let world = world(&[]);
        call(&world, &["init", "--out", file]).exits(0);
        assert!(!world.read(file).lines().any(|written| written == line), "{}", world.read(file));
        fs::remove_file(world.path(file)).expect("it was written");
        world.write("loop.schema.json", "{}");
        call(&world, &["init", "--out", file]).exits(0);
        assert!(world.read(file).contains(line), "{}", world.read(file));
        call(&world, &["check", file]).exits(0);
    }
}

#[test]
fn a_dash_prints_the_manifest_and_writes_nothing() {
    let world = world(&[]);
    let ran = call(&world, &["init", "--out", "-"]).exits(0);
    assert!(ran.stdout.contains("REPLACE_ME"), "{}", ran.stdout);
    assert!(!ran.stderr.contains("wrote"));
    assert!(!world.has("loop.yaml") && !world.has("-"));
}

#[test]
fn an_agent_is_given_by_its_name_or_as_a_command() {
    let world = world(&[("claude", "")]);
    call(&world, &["init", "--agent", "gemini", "--out", "a.yaml"])
        .exits(0)
        .says(&["gemini --approval-mode"]);
    call(&world, &["init", "--agent", "my-agent: \"x\" {prompt}", "--out", "b.yaml"]).exits(0);
    assert!(call(&world, &["check", "b.yaml"]).exits(0).stdout.contains("my-agent: \"x\" {prompt}"));
    call(&world, &["init", "--agent", "x '{prompt}'", "--out", "c.yaml"]).exits(2).says(&["--agent"]);
    call(&world, &["init", "--agent", "", "--out", "c.yaml"]).exits(2).says(&["--agent"]);
    assert!(!world.has("c.yaml"));
}

#[test]
fn a_file_that_cannot_be_run_is_no_agent() {
    let world = world(&[("codex", "")]);
    fs::write(bin(&world).join("claude"), "notes\n").expect("a file");
    fs::create_dir(bin(&world).join("gemini")).expect("a folder");
    call(&world, &["init"]).exits(0).says(&["codex exec"]);
}
