//! Faults of the loop itself while a swarm of agents runs: one for each kind that is hard to find.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use loop_agents::process::{Custody, Environment, Exit, Process};
use rustix::process::{Pid, Signal};

use super::cases;
use crate::{
    case::Case,
    processes::{all_die, control_groups_can_be_used, dies, guardian, kill, marked, signal},
    stage::{Role, Stage},
    support::{Manifest, Started, until},
    terminal::{hung_up, start},
    trial::{GRACE, SLACK},
};

/// The size of a swarm.
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
    the_guardian_and_the_loop_are_killed: Case::staged(
        "kills the guardian and then the loop, beside the same swarm",
        "they work on, until the next `loop` command in that folder ends them all, whichever it is; there is no record",
        "the same",
        the_next_command_ends_all,
    ).script("kills_the_guardian_then_the_loop");
    the_guardian_is_killed_and_the_loop_stopped: Case::staged(
        "kills the guardian and stops the loop, and works on",
        "the next `loop` command in that folder continues the loop, which holds its limits: `time_exceeded`, exit \
         code 1",
        "the same",
        the_next_command_wakes_the_loop,
    ).script("kills_the_guardian_and_stops_the_loop");
    a_daemon_sheds_its_marks: Case::staged(
        "leaves a daemon with none of its marks, and kills the guardian and then the loop (where version 2 of \
         control groups can be used)",
        "the next `loop` command in that folder finds the daemon in the run's control group, and ends it",
        "the same",
        a_control_group_is_remembered,
    ).script("sheds_its_marks").needs("prlimit");
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

/// A guardian ends what is at work past the time that it was told, whether or not the process that it guards is
/// stopped then: it can be kept from ending anything in other ways, by a debugger for example.
#[test]
fn a_guardian_ends_the_run_by_itself_when_its_time_is_over() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let custody = Custody::new(format!("a-run-of-these-tests-{}", std::process::id()));
    let custody = custody.guarded_by(env!("CARGO_BIN_EXE_loop")).expect("a guardian");
    let awake = custody.keep_awake();
    awake.ends_within(Some(Duration::from_millis(100)));
    let finished = runtime.block_on(async {
        let never = std::future::pending();
        let agent = Process::shell("exec sleep 1000").env(Environment::new().with("PATH", "/bin:/usr/bin"));
        agent.custody(custody.clone()).run(never, |_, _| {}).await
    });
    assert_eq!(finished.expect("it ran").exit, Exit::Signal(9));
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

/// A run with this script in this role, whose loop was killed after `lingering` had come, and nobody else.
fn beheaded(role: Role, script: &str, lingering: usize) -> Stage {
    let stage = Stage::new();
    let started = stage.world.start_manifest(&stage.manifest(role, &stage.command(script)));
    until("all are there", || stage.lingering() >= lingering);
    stage.go();
    started.killed();
    assert!(!marked(stage.mark()).is_empty(), "somebody works on");
    stage
}

fn the_next_command_ends_all() {
    let commands: [&[&str]; 4] = [&["runs"], &["check", "loop.json"], &["show"], &["run", "loop.json"]];
    for (command, role) in commands.into_iter().zip(Role::BOTH.into_iter().cycle()) {
        let stage = beheaded(role, "kills_the_guardian_then_the_loop", SWARM);
        stage.world.manifest(&Manifest::new("true", "true"));
        let ran = stage.world.run(command);
        assert!(
            ran.stderr.contains("had left processes behind, which were ended"),
            "{command:?}: {}",
            ran.stderr
        );
        all_die(stage.mark());
    }
}

fn the_next_command_wakes_the_loop() {
    for role in Role::BOTH {
        let stage = Stage::new();
        let command = stage.command("kills_the_guardian_and_stops_the_loop");
        let manifest = stage.manifest(role, &command).set("guardrails.max_seconds", 1);
        let started = stage.world.start_manifest(&manifest);
        until("the agent works on", || stage.lingering() == 1);
        stage.world.run(&["runs"]).exits(0).says(&["was stopped, and had lost its guardian: it goes on"]);
        started.finish().exits(1);
        stage.records("time_exceeded");
        stage.nobody_is_left();
    }
}

fn a_control_group_is_remembered() {
    if !control_groups_can_be_used() {
        eprintln!("skipped: control groups of version 2 cannot be used here");
        return;
    }
    for role in Role::BOTH {
        let stage = beheaded(role, "sheds_its_marks", 1);
        stage.world.run(&["runs"]).exits(0).says(&["had left processes behind, which were ended"]);
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
