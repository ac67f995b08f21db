//! Agents that do not end, or end badly.

use super::cases;
use crate::{
    case::{ExpectedEnd, ExpectedResult, HostileCase},
    hostile_scenario::HostileScenario,
    support::{CommandResult, Manifest},
};

/// The script may save more than once, because `timeout` passes a signal to its command and then to its whole group.
fn has_saved(hostile_scenario: &HostileScenario, _: &CommandResult) {
    let saved = hostile_scenario.note("saved").unwrap_or_default();
    assert!(!saved.is_empty() && saved.lines().all(|line| line == "saved"), "{saved:?}");
}

/// Uses a check that fails, so that only failed iterations count.
fn two_failures(manifest: Manifest) -> Manifest {
    manifest
        .set("evaluator.command", "false")
        .set("guardrails.max_iterations", 5)
        .set("guardrails.max_consecutive_failures", 2)
}

cases! {
    hangs: HostileCase::new(
        "prints that it works, and never ends",
        ExpectedEnd::time_exceeded("ended at the run's time limit").expected(),
        ExpectedEnd::time_exceeded("ended at the run's time limit").expected(),
    );
    hangs_each_time: HostileCase::new(
        "never ends; has its own time limit (`max_seconds`)",
        ExpectedEnd::halted("consecutive_failures", "each iteration ends at its limit and counts as a failure")
            .iterations(2)
            .manifest(|manifest| two_failures(manifest).set("agent.max_seconds", 1))
            .expected(),
        ExpectedEnd::halted("max_iterations", "each check ends at its limit, and the step fails; no limit on failures is set")
            .iterations(2)
            .manifest(|manifest| manifest.set("evaluator.max_seconds", 1))
            .expected(),
    ).script("hangs");
    says_nothing: HostileCase::new(
        "prints nothing and never ends; has a limit on silence (`agent.max_silence_seconds`)",
        ExpectedEnd::halted("consecutive_failures", "each iteration ends for its silence and counts as a failure")
            .iterations(2)
            .manifest(|manifest| two_failures(manifest).set("agent.max_silence_seconds", 1))
            .expected(),
        ExpectedResult::Untried("a check has no limit on silence, because many checks print nothing until they end"),
    );
    ignores_term: HostileCase::new(
        "ignores TERM and every other signal that a process can ignore",
        ExpectedEnd::time_exceeded("killed after the grace time").expected(),
        ExpectedEnd::time_exceeded("killed after the grace time").expected(),
    );
    groups_of_its_own: HostileCase::new(
        "works in its own process group, as under `timeout`, and saves its work at TERM",
        ExpectedEnd::time_exceeded("receives TERM in every group, and has its grace time").proof(has_saved).expected(),
        ExpectedEnd::time_exceeded("receives TERM in every group, and has its grace time").proof(has_saved).expected(),
    );
    stops_itself: HostileCase::new(
        "stops itself with SIGSTOP, and so does not handle TERM",
        ExpectedEnd::time_exceeded("the loop continues it, so that it handles TERM").expected(),
        ExpectedEnd::time_exceeded("the loop continues it, so that it handles TERM").expected(),
    );
    stops_the_loop: HostileCase::new(
        "stops the loop with SIGSTOP and continues to work, as after a person's `kill -STOP`",
        ExpectedEnd::time_exceeded("the watchdog continues the loop, which enforces its limits").expected(),
        ExpectedEnd::time_exceeded("the watchdog continues the loop, which enforces its limits").expected(),
    );
    stops_by_the_terminals_signals: HostileCase::new(
        "stops the loop with SIGTTIN and SIGTTOU, the signals of a terminal",
        ExpectedEnd::time_exceeded("the watchdog continues the loop, which enforces its limits").expected(),
        ExpectedEnd::time_exceeded("the watchdog continues the loop, which enforces its limits").expected(),
    );
    keeps_stopping_the_loop: HostileCase::new(
        "stops the loop with SIGSTOP again and again, under a time limit",
        ExpectedEnd::time_exceeded("the watchdog ends the run's processes").expected(),
        ExpectedEnd::time_exceeded("the watchdog ends the run's processes").expected(),
    ).alone();
    keeps_stopping_each_time: HostileCase::new(
        "the same, with no time limit that ends the run first",
        ExpectedEnd::halted("consecutive_failures", "the watchdog ends the run's processes, which counts as a failure")
            .iterations(2)
            .manifest(two_failures)
            .expected(),
        ExpectedEnd::halted("max_iterations", "the watchdog ends the check, so the check does not pass").iterations(2).expected(),
    ).script("keeps_stopping_the_loop").alone();
    dies_by_signal: HostileCase::new(
        "dies by a signal",
        ExpectedEnd::halted("consecutive_failures", "a failure; its work is judged anyway")
            .iterations(2)
            .manifest(two_failures)
            .expected(),
        ExpectedEnd::halted("max_iterations", "the check does not pass").iterations(2).expected(),
    );
    kills_its_group: HostileCase::new(
        "kills its whole group with SIGKILL",
        ExpectedEnd::halted("consecutive_failures", "a failure; its work is judged anyway. The loop is in another group")
            .iterations(2)
            .leaves(2)
            .manifest(two_failures)
            .expected(),
        ExpectedEnd::halted("max_iterations", "the check does not pass").iterations(2).leaves(2).expected(),
    );
}
