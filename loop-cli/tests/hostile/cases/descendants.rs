//! Agents that leave processes behind.

use super::cases;
use crate::case::{Case, Ends};

/// The run goes on as if nothing had been left; nothing is.
const FOUND: Ends = Ends::goal_met("found and killed when the agent has ended").leaves(1);
const FOUND_TOO: Ends = Ends::goal_met("found and killed when the check has ended").leaves(1);

cases! {
    holds_stdout: Case::new(
        "leaves a child in the background that holds its outputs open",
        Ends::goal_met("not waited for, and killed").leaves(1).fate(),
        Ends::goal_met("not waited for, and killed").leaves(1).fate(),
    );
    closed_stdout: Case::new(
        "leaves a child in the background that has closed its outputs",
        FOUND.fate(),
        FOUND_TOO.fate(),
    );
    daemon: Case::new(
        "leaves a daemon: forked twice, in a session of its own",
        FOUND.fate(),
        FOUND_TOO.fate(),
    );
    deaf_daemon: Case::new(
        "leaves a daemon that ignores TERM",
        FOUND.fate(),
        FOUND_TOO.fate(),
    );
    scrubbed_daemon: Case::new(
        "leaves a daemon with an empty environment (`env -i`), in another folder, with nothing open",
        FOUND.fate(),
        FOUND_TOO.fate(),
    );
    hops: Case::new(
        "leaves a daemon that is never the same process for long: each starts the next, and ends",
        FOUND.fate(),
        FOUND_TOO.fate(),
    );
    hundred_children: Case::new(
        "forks a hundred children, every third of which leaves the session",
        FOUND.leaves(100).fate(),
        FOUND_TOO.leaves(100).fate(),
    ).alone();
    swarm: Case::new(
        "never ends, and has a child in the background and two daemons, one with an empty environment",
        Ends::time_exceeded("all are ended at the run's time limit").fate(),
        Ends::time_exceeded("all are ended at the run's time limit").fate(),
    );
    hands_work_to_tmux: Case::new(
        "leaves work to a tmux server that it starts (where tmux is installed)",
        Ends::goal_met("found and killed when the agent has ended, and the server with it").leaves(1).fate(),
        Ends::goal_met("found and killed when the check has ended, and the server with it").leaves(1).fate(),
    ).needs("tmux");
}
