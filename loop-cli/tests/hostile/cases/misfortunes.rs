//! Faults of the loop itself while a swarm of agents runs, with one agent for each kind that is hard to find.

use std::{
    fmt::Display,
    process::Command,
    time::{Duration, Instant},
};

use loop_agents::process::{Environment, Exit, Process, Supervisor};
use rustix::process::{Pid, Signal};

use super::cases;
use crate::{
    case::HostileCase,
    hostile_scenario::{HostileScenario, Role},
    processes::{all_die, control_groups_can_be_used, dies, kill, marked, signal, watchdog},
    run_case::{GRACE, SLACK, is_installed},
    support::{FOREVER, Manifest, RunningCommand, wait_until},
    terminal::{hung_up, start},
};

/// The size of a swarm.
const SWARM: usize = 4;

cases! {
    the_loop_is_killed: HostileCase::custom(
        "runs as a swarm (the script, a child and two daemons) while something kills the loop with SIGKILL",
        "the watchdog kills them all within 2 s; there is no record",
        "the same",
        nobody_outlives_the_loop,
    ).script("swarm");
    the_watchdog_is_killed: HostileCase::custom(
        "runs as the same swarm, while something kills the watchdog with SIGKILL",
        "the loop starts a new watchdog; the run goes on, as safe as before",
        "the same",
        a_watchdog_is_replaced,
    ).script("swarm");
    the_watchdog_is_stopped: HostileCase::custom(
        "runs as the same swarm, while something stops the watchdog with SIGSTOP",
        "the loop starts a new watchdog, because a stopped one could not notice the loop's end",
        "the same",
        a_stopped_watchdog_is_replaced,
    ).script("swarm");
    the_watchdog_and_the_loop_are_killed: HostileCase::custom(
        "runs as the same swarm, and kills the watchdog and then the loop",
        "they continue until any `loop` command runs in that folder and ends them all; there is no record",
        "the same",
        the_next_command_ends_all,
    ).script("kills_the_watchdog_then_the_loop");
    the_watchdog_is_killed_and_the_loop_stopped: HostileCase::custom(
        "kills the watchdog, stops the loop, and continues to work",
        "the next `loop` command in that folder continues the loop, which enforces its limits: `time_exceeded`, exit \
         code 1",
        "the same",
        the_next_command_wakes_the_loop,
    ).script("kills_the_watchdog_and_stops_the_loop");
    the_loop_is_hidden_and_stopped: HostileCase::custom(
        "does the same, and takes the mark from the loop (`prlimit`)",
        "the next `loop` command finds the loop by the lock of its run, and continues it: `time_exceeded`, exit code 1",
        "the same",
        || the_next_command_continues("hides_and_stops_the_loop"),
    ).script("hides_and_stops_the_loop").needs("prlimit");
    a_daemon_sheds_its_marks: HostileCase::custom(
        "leaves a daemon without marks, and kills the watchdog and then the loop (where control groups of \
         version 2 can be used)",
        "the next `loop` command in that folder finds the daemon in the run's control group and ends it",
        "the same",
        a_control_group_is_remembered,
    ).script("sheds_its_marks").needs("prlimit");
    the_terminal_hangs_up: HostileCase::custom(
        "works as the same swarm, while somebody closes the terminal of the loop",
        "the loop ends all of them: `cancelled`, exit code 129",
        "the same",
        a_hangup_ends_all,
    ).script("swarm");
    the_terminal_stalls: HostileCase::custom(
        "prints endless lines to a terminal that nobody reads",
        "the loop ends it at the run's time limit and records that, although nobody reads: `time_exceeded`, exit code 1",
        "the same",
        a_stalled_terminal_holds_nobody,
    ).script("chatters");
}

/// A watchdog ends work that exceeds its time limit, whether or not the guarded process is stopped. Other things can
/// also keep that process from ending the work, for example a debugger.
#[test]
fn a_watchdog_ends_the_run_by_itself_when_its_time_is_over() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let supervisor = Supervisor::new(format!("a-run-of-these-tests-{}", std::process::id()));
    let supervisor = supervisor.with_watchdog(env!("CARGO_BIN_EXE_loop")).expect("a watchdog");
    supervisor.ends_within(Some(Duration::from_millis(100)));
    let finished = runtime.block_on(async {
        let never = std::future::pending();
        let agent = Process::shell("exec sleep 1000").env(Environment::new().with("PATH", "/bin:/usr/bin"));
        agent.supervisor(supervisor.clone()).run(never, |_, _| {}).await
    });
    assert_eq!(finished.expect("it ran").exit, Exit::Signal(9));
}

#[test]
fn a_watchdog_with_few_files_ends_the_run() {
    if !is_installed("prlimit") {
        return;
    }
    for role in Role::BOTH {
        let (hostile_scenario, started) = swarming(role);
        let watchdog = wait_for_watchdog(&started, None);
        limit_files(watchdog.as_raw_nonzero().get(), "1:");
        limit_files(started.pid(), "4:");
        started.signal(Signal::KILL);
        all_die(hostile_scenario.mark());
        dies(watchdog);
    }
}

#[test]
fn a_loop_that_cannot_list_processes_warns() {
    if !is_installed("prlimit") {
        return;
    }
    let hostile_scenario = HostileScenario::new();
    let works = format!(": > there_too; exec {FOREVER}");
    let started = hostile_scenario.scenario.start_manifest(&hostile_scenario.manifest(Role::Agent, &works));
    wait_until("it works", || hostile_scenario.scenario.has("there_too"));
    limit_files(started.pid(), "4:4");
    started.signal(Signal::TERM);
    let ended = started.finish();
    let said = "the list of processes cannot be read: Too many open files";
    assert!(ended.stderr.contains(said), "{}", ended.stderr);
}

/// Sets the limits on open files of a process.
fn limit_files(pid: impl Display, limits: &str) {
    let mut prlimit = Command::new("prlimit");
    let set = prlimit.args(["--pid", &pid.to_string(), &format!("--nofile={limits}")]).status();
    assert!(set.expect("prlimit runs").success());
}

/// Starts a run with a swarm in this role, and waits until all of it runs.
fn swarming(role: Role) -> (HostileScenario, RunningCommand) {
    let hostile_scenario = HostileScenario::new();
    let started = hostile_scenario
        .scenario
        .start_manifest(&hostile_scenario.manifest(role, &hostile_scenario.command("swarm")));
    wait_until("the swarm is there", || hostile_scenario.lingering() == SWARM);
    (hostile_scenario, started)
}

/// Returns the watchdog of this loop, once there is one other than `last`.
fn wait_for_watchdog(started: &RunningCommand, last: Option<Pid>) -> Pid {
    let mut found = None;
    wait_until("there is a watchdog", || {
        found = watchdog(started.pid()).filter(|found| Some(*found) != last);
        found.is_some()
    });
    found.expect("it was found")
}

fn nobody_outlives_the_loop() {
    for role in Role::BOTH {
        let (hostile_scenario, started) = swarming(role);
        let watchdog = wait_for_watchdog(&started, None);
        started.signal(Signal::KILL);
        all_die(hostile_scenario.mark());
        dies(watchdog);
        assert!(hostile_scenario.scenario.records().is_empty());
    }
}

fn a_watchdog_is_replaced() {
    for role in Role::BOTH {
        let (hostile_scenario, started) = swarming(role);
        let second = replaced(&started);
        assert!(marked(hostile_scenario.mark()).len() >= SWARM, "the swarm goes on");
        started.signal(Signal::KILL);
        all_die(hostile_scenario.mark());
        dies(second);

        let hostile_scenario = HostileScenario::new();
        let waits = format!(": > there_too; : < '{}/go'", hostile_scenario.mark());
        let started = hostile_scenario.scenario.start_manifest(&hostile_scenario.manifest(role, &waits));
        wait_until("it waits", || hostile_scenario.scenario.has("there_too"));
        replaced(&started);
        hostile_scenario.go();
        started.finish().exits(0);
        hostile_scenario.records("goal_met");
        hostile_scenario.nobody_is_left();
    }
}

fn a_stopped_watchdog_is_replaced() {
    for role in Role::BOTH {
        let (hostile_scenario, started) = swarming(role);
        let first = wait_for_watchdog(&started, None);
        signal(first, Signal::STOP);
        wait_for_watchdog(&started, Some(first));
        started.signal(Signal::KILL);
        all_die(hostile_scenario.mark());
    }
}

/// Starts a run with this script in this role, and kills only the loop once `lingering` processes run.
fn beheaded(role: Role, script: &str, lingering: usize) -> HostileScenario {
    let hostile_scenario = HostileScenario::new();
    let started = hostile_scenario
        .scenario
        .start_manifest(&hostile_scenario.manifest(role, &hostile_scenario.command(script)));
    wait_until("all are there", || hostile_scenario.lingering() >= lingering);
    hostile_scenario.go();
    started.killed();
    assert!(!marked(hostile_scenario.mark()).is_empty(), "somebody works on");
    hostile_scenario
}

fn the_next_command_ends_all() {
    let commands: [&[&str]; 4] = [&["runs"], &["check", "loop.json"], &["show"], &["run", "loop.json"]];
    for (command, role) in commands.into_iter().zip(Role::BOTH.into_iter().cycle()) {
        let hostile_scenario = beheaded(role, "kills_the_watchdog_then_the_loop", SWARM);
        hostile_scenario.scenario.manifest(&Manifest::new("true", "true"));
        let ran = hostile_scenario.scenario.run(command);
        assert!(
            ran.stderr.contains("ended processes that a dead run had left behind"),
            "{command:?}: {}",
            ran.stderr
        );
        all_die(hostile_scenario.mark());
    }
}

fn the_next_command_wakes_the_loop() {
    the_next_command_continues("kills_the_watchdog_and_stops_the_loop");
}

/// Runs a script that disables the loop and its watchdog in both roles. The next command continues the loop, which
/// enforces its limits.
pub(super) fn the_next_command_continues(script: &str) {
    for role in Role::BOTH {
        let hostile_scenario = HostileScenario::new();
        let command = hostile_scenario.command(script);
        let manifest = hostile_scenario.manifest(role, &command).set("guardrails.max_seconds", 1);
        let started = hostile_scenario.scenario.start_manifest(&manifest);
        wait_until("the agent works on", || hostile_scenario.lingering() == 1);
        hostile_scenario
            .scenario
            .run(&["runs"])
            .exits(0)
            .says(&["was stopped, and no watchdog continued it: it continues now"]);
        started.finish().exits(1);
        hostile_scenario.records("time_exceeded");
        hostile_scenario.nobody_is_left();
        if let Some(group) = hostile_scenario.note("frozen") {
            std::fs::remove_dir(group.trim()).expect("the group is empty");
        }
    }
}

fn a_control_group_is_remembered() {
    if !control_groups_can_be_used() {
        eprintln!("skipped: control groups of version 2 cannot be used here");
        return;
    }
    for role in Role::BOTH {
        let hostile_scenario = beheaded(role, "sheds_its_marks", 1);
        hostile_scenario
            .scenario
            .run(&["runs"])
            .exits(0)
            .says(&["ended processes that a dead run had left behind"]);
        all_die(hostile_scenario.mark());
    }
}

/// Kills the watchdog of this loop, and returns its replacement.
fn replaced(started: &RunningCommand) -> Pid {
    let first = wait_for_watchdog(started, None);
    kill(first);
    wait_for_watchdog(started, Some(first))
}

fn a_hangup_ends_all() {
    for role in Role::BOTH {
        let hostile_scenario = HostileScenario::new();
        hostile_scenario
            .scenario
            .manifest(&hostile_scenario.manifest(role, &hostile_scenario.command("swarm")));
        hung_up(&hostile_scenario.scenario, &["run", "loop.json"], || hostile_scenario.lingering() == SWARM)
            .exits(129);
        hostile_scenario.nobody_is_left();
        hostile_scenario.records("cancelled");
    }
}

fn a_stalled_terminal_holds_nobody() {
    const LIMIT: Duration = Duration::from_secs(1);
    for role in Role::BOTH {
        let hostile_scenario = HostileScenario::new();
        let manifest = hostile_scenario
            .manifest(role, &hostile_scenario.command("chatters"))
            .set("guardrails.max_seconds", LIMIT.as_secs());
        hostile_scenario.scenario.manifest(&manifest);
        let begun = Instant::now();
        let live = |command: &mut Command| {
            command.env("TERM", "xterm-256color");
        };
        let args = ["run", "loop.json", "--show-output"];
        let (started, unread) = start(&hostile_scenario.scenario, &args, (80, 24), live);
        wait_until("the run is recorded", || !hostile_scenario.scenario.records().is_empty());
        assert!(begun.elapsed() < LIMIT + GRACE + SLACK);
        hostile_scenario.nobody_is_left();
        hostile_scenario.records("time_exceeded");
        // Its last message does not block it either.
        started.finish().exits(1);
        assert!(begun.elapsed() < LIMIT + GRACE + SLACK);
        drop(unread);
    }
}
