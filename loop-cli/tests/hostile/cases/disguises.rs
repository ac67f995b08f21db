//! Agents that disable the loop, and hide how.

use rustix::process::Signal;

use super::{cases, misfortunes::the_next_command_continues};
use crate::{
    case::HostileCase,
    hostile_scenario::{HostileScenario, Role},
    processes::{control_groups_can_be_used, is_alive, is_stopped},
    support::wait_until,
};

cases! {
    poses_as_the_watchdog: HostileCase::custom(
        "stops the loop, kills the watchdog, and works on under the command line of the watchdog",
        "the next `loop` command in that folder continues the loop, because the watchdog is another program than the \
         loop: `time_exceeded`, exit code 1",
        "the same",
        || the_next_command_continues("poses_as_the_watchdog"),
    ).needs("bash");
    freezes_the_loop: HostileCase::custom(
        "leaves the control group of the run and freezes it, with the loop inside (where control groups of version 2 \
         can be used)",
        "the watchdog, which is outside of the group, thaws it, and the loop enforces its limits: `time_exceeded`, exit \
         code 1",
        "the same",
        a_frozen_loop_is_thawed,
    );
    kills_the_watchdog_and_freezes_the_loop: HostileCase::custom(
        "does the same, and kills the watchdog",
        "the next `loop` command in that folder thaws the group, and the loop enforces its limits: `time_exceeded`, \
         exit code 1",
        "the same",
        || if groups_are_there() { the_next_command_continues("kills_the_watchdog_and_freezes_the_loop") },
    );
    freezes_the_watchdog: HostileCase::custom(
        "moves the watchdog to a frozen group, stops the loop, and continues to work",
        "the next `loop` command in that folder continues the loop, because a process of the run works although the \
         loop is stopped: `time_exceeded`, exit code 1",
        "the same",
        a_frozen_watchdog_is_not_trusted,
    );
    suspends_the_loop: HostileCase::custom(
        "leaves a daemon without marks, which somebody continues whenever it stops, and suspends the loop with SIGTSTP",
        "the watchdog stops the daemon. After eight times (about eight seconds), it ends all processes of the run",
        "the same",
        a_daemon_does_not_outwit_a_suspended_loop,
    ).needs("prlimit");
}

fn groups_are_there() -> bool {
    let are_there = control_groups_can_be_used();
    if !are_there {
        eprintln!("skipped: control groups of version 2 cannot be used here");
    }
    are_there
}

fn a_frozen_loop_is_thawed() {
    if !groups_are_there() {
        return;
    }
    for role in Role::BOTH {
        let hostile_scenario = HostileScenario::new();
        let command = hostile_scenario.command("freezes_the_loop");
        let manifest = hostile_scenario.manifest(role, &command).set("guardrails.max_seconds", 1);
        hostile_scenario.scenario.run_manifest(&manifest).exits(1);
        assert_eq!(hostile_scenario.lingering(), 1, "the script got to its work");
        hostile_scenario.records("time_exceeded");
        hostile_scenario.nobody_is_left();
    }
}

fn a_frozen_watchdog_is_not_trusted() {
    if groups_are_there() {
        the_next_command_continues("freezes_the_watchdog");
    }
}

fn a_daemon_does_not_outwit_a_suspended_loop() {
    for role in Role::BOTH {
        let hostile_scenario = HostileScenario::new();
        let command = hostile_scenario.command("suspends_the_loop");
        let manifest = hostile_scenario.manifest(role, &command).set("guardrails.max_iterations", 1);
        let started = hostile_scenario.scenario.start_manifest(&manifest);
        wait_until("the daemon is there", || hostile_scenario.lingering() == 1);
        let daemon = hostile_scenario.note("lingering").expect("a note").trim().to_owned();
        wait_until("the daemon is ended", || {
            if is_stopped(&daemon) {
                let pid = daemon.parse().ok().and_then(rustix::process::Pid::from_raw).expect("a PID");
                crate::processes::signal(pid, Signal::CONT);
            }
            !is_alive(&daemon)
        });
        assert!(is_stopped(started.pid()), "the loop is suspended");
        started.signal(Signal::CONT);
        started.finish();
        hostile_scenario.nobody_is_left();
    }
}
