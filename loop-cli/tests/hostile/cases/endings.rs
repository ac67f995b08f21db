//! Agents that do not end, or end badly.

use super::cases;
use crate::{
    case::{Case, Ends, Fate},
    stage::Stage,
    support::{Manifest, Ran},
};

/// Once or more: `timeout` passes on what it hears, to its command and then to its whole group.
fn has_saved(stage: &Stage, _: &Ran) {
    let saved = stage.note("saved").unwrap_or_default();
    assert!(!saved.is_empty() && saved.lines().all(|line| line == "saved"), "{saved:?}");
}

/// Without a check that passes: what counts is how often the iteration itself went wrong.
fn two_failures(manifest: Manifest) -> Manifest {
    manifest
        .set("evaluator.command", "false")
        .set("guardrails.max_iterations", 5)
        .set("guardrails.max_consecutive_failures", 2)
}

cases! {
    hangs: Case::new(
        "says that it works, and never ends",
        Ends::time_exceeded("ended at the run's time limit").fate(),
        Ends::time_exceeded("ended at the run's time limit").fate(),
    );
    hangs_each_time: Case::new(
        "never ends, with a time limit of its own (`max_seconds`)",
        Ends::halted("consecutive_failures", "each iteration is ended at its limit, and is a failure")
            .iterations(2)
            .manifest(|manifest| two_failures(manifest).set("agent.max_seconds", 1))
            .fate(),
        Ends::halted("max_iterations", "each check is ended at its limit, and the step failed")
            .iterations(2)
            .manifest(|manifest| manifest.set("evaluator.max_seconds", 1))
            .fate(),
    ).script("hangs");
    says_nothing: Case::new(
        "prints nothing and never ends, with a limit on silence (`agent.max_silence_seconds`)",
        Ends::halted("consecutive_failures", "each iteration is ended for its silence, and is a failure")
            .iterations(2)
            .manifest(|manifest| two_failures(manifest).set("agent.max_silence_seconds", 1))
            .fate(),
        Fate::Untried("a check has no limit on silence, and many are silent until they end"),
    );
    ignores_term: Case::new(
        "ignores TERM and every other signal that can be ignored",
        Ends::time_exceeded("killed after the grace time").fate(),
        Ends::time_exceeded("killed after the grace time").fate(),
    );
    groups_of_its_own: Case::new(
        "works in a group of its own, as under `timeout`, and saves its work at TERM",
        Ends::time_exceeded("hears TERM wherever it went, and has its grace time").proof(has_saved).fate(),
        Ends::time_exceeded("hears TERM wherever it went, and has its grace time").proof(has_saved).fate(),
    );
    stops_itself: Case::new(
        "stops itself with SIGSTOP, and so hears no TERM",
        Ends::time_exceeded("continued, so that it hears TERM").fate(),
        Ends::time_exceeded("continued, so that it hears TERM").fate(),
    );
    stops_the_loop: Case::new(
        "stops the loop with SIGSTOP, and works on; a person's `kill -STOP` is the same",
        Ends::time_exceeded("the guardian continues the loop, which holds its limits").fate(),
        Ends::time_exceeded("the guardian continues the loop, which holds its limits").fate(),
    );
    stops_by_the_terminals_signals: Case::new(
        "stops the loop with SIGTTIN and SIGTTOU, though no terminal has to",
        Ends::time_exceeded("the guardian continues the loop, which holds its limits").fate(),
        Ends::time_exceeded("the guardian continues the loop, which holds its limits").fate(),
    );
    keeps_stopping_the_loop: Case::new(
        "stops the loop with SIGSTOP again and again, under a time limit",
        Ends::time_exceeded("the guardian ends the run's processes").fate(),
        Ends::time_exceeded("the guardian ends the run's processes").fate(),
    ).alone();
    keeps_stopping_each_time: Case::new(
        "the same without a time limit that it would cross",
        Ends::halted("consecutive_failures", "the guardian ends the run's processes, which is a failure")
            .iterations(2)
            .manifest(two_failures)
            .fate(),
        Ends::halted("max_iterations", "the guardian ends the check, so that it did not pass").iterations(2).fate(),
    ).script("keeps_stopping_the_loop").alone();
    dies_by_signal: Case::new(
        "ends by a signal",
        Ends::halted("consecutive_failures", "a failure, judged all the same")
            .iterations(2)
            .manifest(two_failures)
            .fate(),
        Ends::halted("max_iterations", "the check did not pass").iterations(2).fate(),
    );
    kills_its_group: Case::new(
        "kills its whole group with SIGKILL",
        Ends::halted("consecutive_failures", "a failure, judged all the same; the loop is in another group")
            .iterations(2)
            .leaves(2)
            .manifest(two_failures)
            .fate(),
        Ends::halted("max_iterations", "the check did not pass").iterations(2).leaves(2).fate(),
    );
}
