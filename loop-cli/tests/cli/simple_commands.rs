//! Commands that start without a shell.

use std::process::Command;

use crate::support::{Manifest, RunningCommand, Scenario};

/// Many shells drop a variable with this name, which is no name in the shell's language.
const NO_SHELL_NAME: &str = "marks-a-shell";

/// Returns whether this machine's shell drops that variable.
fn shell_drops_it() -> bool {
    let seen = Command::new("/bin/sh").args(["-c", "env"]).env(NO_SHELL_NAME, "1").output().expect("a shell");
    !String::from_utf8_lossy(&seen.stdout).contains(NO_SHELL_NAME)
}

/// Runs a loop of one iteration, and returns what its agent printed, with `DIR` for the folder of the run.
fn output(agent: &str, shell: &str) -> String {
    let scenario = Scenario::new();
    let manifest = Manifest::new(agent, "false").set("guardrails.max_iterations", 1).set("shell", shell);
    scenario.manifest(&manifest);
    let mut command = scenario.loop_command(&["run"]);
    RunningCommand::new(command.env(NO_SHELL_NAME, "1").env("PWD", "/")).finish().exits(1);
    let shown = scenario.run(&["show", "-i", "1", "--output"]).exits(0).stdout;
    let folder = scenario.path("").canonicalize().expect("a folder");
    shown.replace(folder.to_str().expect("text"), "DIR")
}

#[test]
fn a_simple_command_starts_without_a_shell_unless_you_want_one() {
    assert!(output("env", "auto").contains(NO_SHELL_NAME));
    if shell_drops_it() {
        for (agent, shell) in [("env", "always"), ("env; true", "auto"), ("exec env", "auto")] {
            assert!(!output(agent, shell).contains(NO_SHELL_NAME), "{agent}");
        }
    }
}

#[test]
fn a_shell_makes_no_difference_to_a_simple_command() {
    for agent in ["printenv PWD", "printenv LOOP_NOTHING", "cat", "expr 1 + 'a b'", "sh -c 'kill $$'"] {
        assert_eq!(output(agent, "auto"), output(agent, "always"), "{agent}");
    }
    assert_eq!(output("printenv PWD", "auto"), "DIR\n");
}
