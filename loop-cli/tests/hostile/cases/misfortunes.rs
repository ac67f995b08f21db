//! What befalls the loop itself while a swarm of agents runs: of each kind that is hard to find, one.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal};

use super::cases;
use crate::{
    case::Case,
    processes::{all_die, dies, guardian, kill, marked, signal},
    stage::{Role, Stage},
    support::{Started, until},
    terminal::{hung_up, start},
    trial::{GRACE, SLACK},
};

/// How many a swarm is.
const SWARM: usize = 4;

cases! {
    the_loop_is_killed: Case::staged(
        "the loop is killed with SIGKILL, beside a swarm of a child, two daemons and the agent",
        "its guardian kills them all within 2 s; there is no record",
        "the same",
        nobody_outlives_the_loop,
    ).script("swarm");
    the_guardian_is_killed: Case::staged(
        "the guardian is killed with SIGKILL, beside the same swarm",
        "a new one takes its place: the run goes on, and is as safe as before",
        "the same",
        a_guardian_is_replaced,
    ).script("swarm");
    the_guardian_is_stopped: Case::staged(
        "the guardian is stopped with SIGSTOP, beside the same swarm",
        "a new one takes its place: what cannot hear of the loop's end is no guardian",
        "the same",
        a_stopped_guardian_is_replaced,
    ).script("swarm");
    the_terminal_hangs_up: Case::staged(
        "the terminal is closed under the loop, beside the same swarm",
        "all are ended: `cancelled`, exit code 129",
        "the same",
        a_hangup_ends_all,
    ).script("swarm");
    the_terminal_stalls: Case::staged(
        "nobody reads the terminal on which the loop shows an agent's endless lines",
        "cut at the run's time limit and recorded, though nobody sees it: `time_exceeded`, exit code 1",
        "the same",
        a_stalled_terminal_holds_nobody,
    ).script("chatters");
}

/// A run with a swarm in this role, all of which is there.
fn swarming(role: Role) -> (Stage, Started) {
    let stage = Stage::new();
    let started = stage.world.start_manifest(&stage.manifest(role, &stage.command("swarm")));
    until("the swarm is there", || stage.lingering() == SWARM);
    (stage, started)
}

/// The guardian that watches this loop, once there is one other than `last`.
fn guarded(started: &Started, last: Option<Pid>) -> Pid {
    let mut found = None;
    until("there is a guardian", || {
        found = guardian(started.pid()).filter(|found| Some(*found) != last);
        found.is_some()
    });
    found.expect("it was found")
}

fn nobody_outlives_the_loop() {
    for role in Role::BOTH {
        let (stage, started) = swarming(role);
        let guardian = guarded(&started, None);
        started.signal(Signal::KILL);
        all_die(stage.mark());
        dies(guardian);
        assert!(stage.world.records().is_empty());
    }
}

fn a_guardian_is_replaced() {
    for role in Role::BOTH {
        let (stage, started) = swarming(role);
        let second = replaced(&started);
        assert!(marked(stage.mark()).len() >= SWARM, "the swarm goes on");
        started.signal(Signal::KILL);
        all_die(stage.mark());
        dies(second);

        let stage = Stage::new();
        let waits = format!(": > there_too; : < '{}/go'", stage.mark());
        let started = stage.world.start_manifest(&stage.manifest(role, &waits));
        until("it waits", || stage.world.has("there_too"));
        replaced(&started);
        stage.go();
        started.finish().exits(0);
        stage.records("goal_met");
        stage.nobody_is_left();
    }
}

fn a_stopped_guardian_is_replaced() {
    for role in Role::BOTH {
        let (stage, started) = swarming(role);
        let first = guarded(&started, None);
        signal(first, Signal::STOP);
        guarded(&started, Some(first));
        started.signal(Signal::KILL);
        all_die(stage.mark());
    }
}

/// Kills the guardian of this loop; gives the one that takes its place.
fn replaced(started: &Started) -> Pid {
    let first = guarded(started, None);
    kill(first);
    guarded(started, Some(first))
}

fn a_hangup_ends_all() {
    for role in Role::BOTH {
        let stage = Stage::new();
        stage.world.manifest(&stage.manifest(role, &stage.command("swarm")));
        hung_up(&stage.world, &["run", "loop.json"], || stage.lingering() == SWARM).exits(129);
        stage.nobody_is_left();
        stage.records("cancelled");
    }
}

fn a_stalled_terminal_holds_nobody() {
    const LIMIT: Duration = Duration::from_secs(1);
    for role in Role::BOTH {
        let stage = Stage::new();
        let manifest =
            stage.manifest(role, &stage.command("chatters")).set("guardrails.max_seconds", LIMIT.as_secs());
        stage.world.manifest(&manifest);
        let begun = Instant::now();
        let live = |command: &mut Command| {
            command.env("TERM", "xterm-256color");
        };
        let args = ["run", "loop.json", "--show-output"];
        let (started, unread) = start(&stage.world, &args, (80, 24), live);
        until("the run is recorded", || !stage.world.records().is_empty());
        assert!(begun.elapsed() < LIMIT + GRACE + SLACK);
        stage.nobody_is_left();
        stage.records("time_exceeded");
        // Nor does the last thing that it has to say hold it.
        started.finish().exits(1);
        assert!(begun.elapsed() < LIMIT + GRACE + SLACK);
        drop(unread);
    }
}
