//! Runs the command in a container whose session leader is outside. Inside the container that session has no number. A
//! command that you start in a running container is in the same situation.
#![cfg(target_os = "linux")]

use crate::support::{Manifest, RunningCommand, Scenario};

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_session_that_is_led_from_outside_is_no_hindrance() {
    let scenario = Scenario::new();
    let gone = scenario.fifo("held");
    let agent = "setsid sh -c 'exec 9>held; echo there >&9; echo >ready; exec sleep 1000' & until [ -s ready ]; do :; done";
    scenario.manifest(&Manifest::new(agent, "true"));
    let inside = ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"];
    if !scenario.command("unshare", &inside).arg("true").status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: this system lets us make no container");
        return;
    }
    let mut command = scenario.command("unshare", &inside);
    command.args([env!("CARGO_BIN_EXE_loop"), "run", "loop.json"]);
    RunningCommand::new(&mut command).finish().exits(0);
    assert_eq!(scenario.record()["success"], true);
    assert_eq!(gone.line(), "there\n");
    gone.released();
}
