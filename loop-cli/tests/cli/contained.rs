//! The command in a container whose session is led from outside: seen from in there it has no number, and a
//! command that is entered into a running container is in just that place.
#![cfg(target_os = "linux")]

use crate::support::{Manifest, Started, World};

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_session_that_is_led_from_outside_is_no_hindrance() {
    let world = World::new();
    let gone = world.fifo("held");
    let agent = "setsid sh -c 'exec 9>held; echo there >&9; echo >ready; exec sleep 1000' & until [ -s ready ]; do :; done";
    world.manifest(&Manifest::new(agent, "true"));
    let inside = ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"];
    if !world.command("unshare", &inside).arg("true").status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: this system lets us make no container");
        return;
    }
    let mut command = world.command("unshare", &inside);
    command.args([env!("CARGO_BIN_EXE_loop"), "run", "loop.json"]);
    Started::new(&mut command).finish().exits(0);
    assert_eq!(world.record()["success"], true);
    assert_eq!(gone.line(), "there\n");
    gone.released();
}
