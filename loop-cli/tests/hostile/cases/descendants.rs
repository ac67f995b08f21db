//! Agents that leave processes behind.

use super::cases;
use crate::case::{ExpectedEnd, HostileCase};

/// The run continues normally, and no leftover process survives.
const FOUND: ExpectedEnd = ExpectedEnd::goal_met("found and killed after the agent ends").leaves(1);
const FOUND_TOO: ExpectedEnd = ExpectedEnd::goal_met("found and killed after the check ends").leaves(1);

cases! {
    holds_stdout: HostileCase::new(
        "leaves a background child that holds its outputs open",
        ExpectedEnd::goal_met("the loop does not wait for the child, and kills it").leaves(1).expected(),
        ExpectedEnd::goal_met("the loop does not wait for the child, and kills it").leaves(1).expected(),
    );
    closed_stdout: HostileCase::new(
        "leaves a background child that has closed its outputs",
        FOUND.expected(),
        FOUND_TOO.expected(),
    );
    daemon: HostileCase::new(
        "leaves a daemon, which forked twice into its own session",
        FOUND.expected(),
        FOUND_TOO.expected(),
    );
    deaf_daemon: HostileCase::new(
        "leaves a daemon that ignores TERM",
        FOUND.expected(),
        FOUND_TOO.expected(),
    );
    scrubbed_daemon: HostileCase::new(
        "leaves a daemon with an empty environment (`env -i`), in another folder, with nothing open",
        FOUND.expected(),
        FOUND_TOO.expected(),
    );
    hops: HostileCase::new(
        "leaves a daemon that keeps changing its process: each one starts the next, and exits",
        FOUND.expected(),
        FOUND_TOO.expected(),
    );
    hundred_children: HostileCase::new(
        "forks a hundred children; every third leaves the session",
        FOUND.leaves(100).expected(),
        FOUND_TOO.leaves(100).expected(),
    ).alone();
    swarm: HostileCase::new(
        "never ends; has a background child and two daemons, one with an empty environment",
        ExpectedEnd::time_exceeded("the loop ends all of them at the run's time limit").expected(),
        ExpectedEnd::time_exceeded("the loop ends all of them at the run's time limit").expected(),
    );
    leaves_few_files: HostileCase::new(
        "lowers the limit on open files of the loop and its watchdog (`prlimit`), and leaves a daemon",
        FOUND.expected(),
        FOUND_TOO.expected(),
    ).needs("prlimit");
    hands_work_to_tmux: HostileCase::new(
        "gives work to a tmux server that it starts (where tmux is installed)",
        ExpectedEnd::goal_met("found and killed with the server, after the agent ends").leaves(1).expected(),
        ExpectedEnd::goal_met("found and killed with the server, after the check ends").leaves(1).expected(),
    ).needs("tmux");
}
