//! Agents that tamper with their surroundings.

use std::{
    io::{Write, stderr},
    process::Command,
};

use super::cases;
use crate::{
    case::{ExpectedEnd, HostileCase},
    hostile_scenario::{HostileScenario, Role},
    support::RunningCommand,
    terminal::Terminal,
};

cases! {
    asks_the_terminal: HostileCase::custom(
        "asks a question on the terminal (`/dev/tty`); tried with a loop that has a terminal, and with one that \
         has none",
        "fails at once, because it has no terminal: `goal_met`, exit code 0",
        "the same",
        nobody_can_ask_on_the_terminal,
    );
    deletes_its_folder: HostileCase::new(
        "deletes the folder in which it and the loop work",
        ExpectedEnd::halted("evaluator_unavailable", "the check cannot run without its folder").expected(),
        ExpectedEnd::goal_met("nothing is left to do").expected(),
    );
    fills_the_disk: HostileCase::custom(
        "fills the disk that it uses",
        "its writing fails; the record is on another disk: `goal_met`, exit code 0",
        "the same",
        a_full_disk_ends_no_run,
    ).alone();
}

fn nobody_can_ask_on_the_terminal() {
    for role in Role::BOTH {
        for on_one in [false, true] {
            let hostile_scenario = HostileScenario::new();
            hostile_scenario
                .scenario
                .manifest(&hostile_scenario.manifest(role, &hostile_scenario.command("asks_the_terminal")));
            let args = ["run", "loop.json"];
            if on_one {
                Terminal::live(&hostile_scenario.scenario, &args, (80, 24), false).finish().exits(0);
            } else {
                hostile_scenario.scenario.run(&args).exits(0);
            }
            assert_eq!(hostile_scenario.scenario.read("answer"), "no terminal\n");
            hostile_scenario.records("goal_met");
            hostile_scenario.nobody_is_left();
        }
    }
}

/// Runs the rest in a folder of one megabyte that only this process sees. The mount disappears with the process.
const ON_A_SMALL_DISK: &str =
    "mkdir small && mount -t tmpfs -o size=1m tmpfs small && cd small && exec \"$@\"";

fn a_full_disk_ends_no_run() {
    let on_a_small_disk = |hostile_scenario: &HostileScenario, args: &[&str]| -> Command {
        let before = ["--map-root-user", "--mount", "sh", "-c", ON_A_SMALL_DISK, "sh"];
        hostile_scenario.scenario.command("unshare", &[&before, args].concat())
    };
    let can_mount = on_a_small_disk(&HostileScenario::new(), &["true"])
        .output()
        .is_ok_and(|tried| tried.status.success());
    if !can_mount {
        // Not through a macro: the test harness captures that output while a test passes.
        let _ = writeln!(stderr(), "SKIPPED: fills_the_disk: no small disk can be mounted here");
        return;
    }
    for role in Role::BOTH {
        let hostile_scenario = HostileScenario::new();
        hostile_scenario
            .scenario
            .manifest(&hostile_scenario.manifest(role, &hostile_scenario.command("fills_the_disk")));
        let args = [env!("CARGO_BIN_EXE_loop"), "run", "../loop.json", "--show-output"];
        let ran = RunningCommand::new(&mut on_a_small_disk(&hostile_scenario, &args)).finish().exits(0);
        assert!((ran.stdout + &ran.stderr).contains("No space left on device"));
        hostile_scenario.records("goal_met");
        hostile_scenario.nobody_is_left();
    }
}
