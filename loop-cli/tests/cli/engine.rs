//! Commands that the program of an engine carries out. `loop-temporal` has its own tests; these tests use a script in its place.

use std::{fs, os::unix::fs::PermissionsExt};

use crate::support::{CommandResult, RunningCommand, Scenario};

/// Calls `loop` with a `loop-temporal` on the PATH that prints its arguments.
fn call(args: &[&str]) -> CommandResult {
    let scenario = Scenario::new();
    scenario.write("bin/loop-temporal", "#!/bin/sh\nprintf '<%s>' \"$@\"; exit 7\n");
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(scenario.path("bin/loop-temporal"), mode).expect("an executable");
    let path = format!("{}:{}", scenario.path("bin").display(), std::env::var("PATH").expect("a path"));
    RunningCommand::new(scenario.loop_command(args).env("PATH", path)).finish()
}

#[test]
fn the_program_gets_the_arguments_and_its_exit_code_is_that_of_loop() {
    let cases: [(&[&str], &str); 10] = [
        (
            &["submit", "a b.yaml", "--queue", "q", "--count", "3"],
            "<submit><a b.yaml><--queue><q><--count><3>",
        ),
        (&["worker", "--queue", "q", "--slots", "2"], "<worker><--queue><q><--slots><2>"),
        (&["cancel", "r1"], "<cancel><r1>"),
        (&["cancel", "r1", "--engine", "temporal"], "<cancel><r1>"),
        (&["answer", "r1", "yes", "--note", "go"], "<answer><r1><yes><--note><go>"),
        (&["runs", "--engine", "temporal", "--json"], "<runs><--json>"),
        (&["show", "r1", "--engine=temporal"], "<show><r1>"),
        (&["reassign", "r1"], "<reassign><r1>"),
        (
            &[
                "resume",
                "r1",
                "--engine",
                "temporal",
                "--add-cost",
                "2.5",
                "--add-seconds",
                "1m",
                "--note",
                "go",
            ],
            "<resume><r1><--add-cost><2.5><--add-seconds><60><--note><go>",
        ),
        (&["tail", "--engine", "temporal", "r1"], "<tail><r1>"),
    ];
    for (args, passed) in cases {
        assert_eq!(call(args).exits(7).stdout, passed);
    }
}

#[test]
fn a_missing_program_is_named_with_the_way_to_build_it() {
    let scenario = Scenario::new();
    let mut command = scenario.loop_command(&["submit", "loop.yaml", "--queue", "q"]);
    let ran = RunningCommand::new(command.env("PATH", scenario.path("bin"))).finish().exits(2);
    ran.says(&[
        "`loop submit` needs the program loop-temporal",
        "cargo install --locked --path loop-temporal",
    ]);
}

#[test]
fn a_run_of_an_engine_has_to_be_named() {
    call(&["show", "--engine", "temporal"]).exits(2).says(&["loop runs --engine temporal"]);
    call(&["show", "r1", "--engine", "restate"]).exits(2);
    call(&["resume", "--engine", "temporal"]).exits(2).says(&["loop runs --engine temporal"]);
    call(&["resume", "r1", "--engine", "temporal", "--keep-output"]).exits(2);
}
