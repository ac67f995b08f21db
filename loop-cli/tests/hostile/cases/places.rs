//! Agents that meddle with where they run.

use std::{
    io::{Write, stderr},
    process::Command,
};

use super::cases;
use crate::{
    case::{Case, Ends},
    stage::{Role, Stage},
    support::Started,
    terminal::Terminal,
};

cases! {
    asks_the_terminal: Case::staged(
        "asks on the terminal (`/dev/tty`), with the loop on one and without",
        "fails at once: it has no terminal to ask on: `goal_met`, exit code 0",
        "the same",
        nobody_can_ask_on_the_terminal,
    );
    deletes_its_folder: Case::new(
        "deletes the folder in which it and the loop run",
        Ends::halted("evaluator_unavailable", "the check cannot be run without its folder").fate(),
        Ends::goal_met("nothing is left to do there").fate(),
    );
    fills_the_disk: Case::staged(
        "fills the disk that it works on",
        "its writing fails; the record is elsewhere, and written: `goal_met`, exit code 0",
        "the same",
        a_full_disk_ends_no_run,
    ).alone();
}

fn nobody_can_ask_on_the_terminal() {
    for role in Role::BOTH {
        for on_one in [false, true] {
            let stage = Stage::new();
            stage.world.manifest(&stage.manifest(role, &stage.command("asks_the_terminal")));
            let args = ["run", "loop.json"];
            if on_one {
                Terminal::live(&stage.world, &args, (80, 24), false).finish().exits(0);
            } else {
                stage.world.run(&args).exits(0);
            }
            assert_eq!(stage.world.read("answer"), "no terminal\n");
            stage.records("goal_met");
            stage.nobody_is_left();
        }
    }
}

/// Runs what follows in a folder of one megabyte, which only it sees: the mount goes when it ends.
const ON_A_SMALL_DISK: &str =
    "mkdir small && mount -t tmpfs -o size=1m tmpfs small && cd small && exec \"$@\"";

fn a_full_disk_ends_no_run() {
    let on_a_small_disk = |stage: &Stage, args: &[&str]| -> Command {
        let before = ["--map-root-user", "--mount", "sh", "-c", ON_A_SMALL_DISK, "sh"];
        stage.world.command("unshare", &[&before, args].concat())
    };
    let can_mount =
        on_a_small_disk(&Stage::new(), &["true"]).output().is_ok_and(|tried| tried.status.success());
    if !can_mount {
        // Not through a macro: the test harness captures that output while a test passes.
        let _ = writeln!(stderr(), "SKIPPED: fills_the_disk: no small disk can be mounted here");
        return;
    }
    for role in Role::BOTH {
        let stage = Stage::new();
        stage.world.manifest(&stage.manifest(role, &stage.command("fills_the_disk")));
        let args = [env!("CARGO_BIN_EXE_loop"), "run", "../loop.json", "--show-output"];
        let ran = Started::new(&mut on_a_small_disk(&stage, &args)).finish().exits(0);
        assert!((ran.stdout + &ran.stderr).contains("No space left on device"));
        stage.records("goal_met");
        stage.nobody_is_left();
    }
}
