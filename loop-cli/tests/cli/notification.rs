//! The notification at the end of a long run.

use crate::{
    support::{Manifest, RunningCommand, Scenario},
    terminal::Terminal,
};

/// A scenario with a halted run, which began two minutes before it is resumed by a clock with this error.
const LATER: (&str, &str) = ("LOOP_TEST_CLOCK_ERROR", "120");
const RESUME: [&str; 3] = ["resume", "--add-iterations", "1"];
const NOTIFICATION: &str = "\x1b]9;loop: loop ended: max_iterations\x07\x07";

fn halted() -> Scenario {
    let scenario = Scenario::new();
    scenario.run_manifest(&Manifest::new("true", "false").set("guardrails.max_iterations", 1)).exits(1);
    scenario
}

/// Resumes the run on a terminal, and returns what that gets.
fn resumed(scenario: &Scenario, args: &[&str]) -> String {
    let terminal = Terminal::with(scenario, &[&RESUME[..1], args, &RESUME[1..]].concat(), |command| {
        command
            .env(LATER.0, LATER.1)
            .env("TERM", "xterm-256color")
            .env("LOOP_CONFIG", scenario.path("my.toml"));
    });
    terminal.finish().exits(1).stderr
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "only debug builds can shift the clock")]
fn a_long_run_rings_once_at_its_terminal() {
    let scenario = halted();
    let run = scenario.record()["run_id"].as_str().expect("an id").to_owned();
    scenario.write("my.toml", "");
    assert_eq!(resumed(&scenario, &[&run]).matches(NOTIFICATION).count(), 1);
    for flag in ["--quiet", "--json"] {
        assert!(!resumed(&scenario, &[&run, flag]).contains('\x07'), "{flag}");
    }
    scenario.write("my.toml", "[terminal]\nnotify = false\n");
    assert!(!resumed(&scenario, &[&run]).contains('\x07'));
}

#[test]
fn a_pipe_gets_no_notification() {
    let scenario = halted();
    let mut command = scenario.loop_command(&RESUME);
    let ran = RunningCommand::new(command.env(LATER.0, LATER.1).env("TERM", "xterm-256color")).finish();
    assert!(!ran.exits(1).stderr.contains('\x07'));
}

#[test]
fn a_short_run_does_not_ring() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("true", "true"));
    let ran = Terminal::live(&scenario, &["run"], (80, 24), false).finish().exits(0);
    assert!(!ran.stderr.contains('\x07'));
}
