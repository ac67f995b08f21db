//! The scripts, and what has to come of them.

use std::time::Duration;

use super::{
    Act::{Cancel, Cost, Defer, EndRun, Fail, Fault, Halt, Hang, Ignore, Note, Report, Yield},
    Case, Reaction,
};
use crate::RunTime;

const HOUR: Duration = Duration::from_secs(3_600);
const MOMENT: Duration = Duration::from_millis(30);

/// Returns the cases that a driver has to pass.
pub fn cases() -> Vec<Case> {
    [results(), records(), limits(), deadlines(), cancellations(), interrupted_checks(), questions()].concat()
}

/// Work that ends by itself.
fn results() -> Vec<Case> {
    vec![
        case(
            "ready work meets the goal",
            "step 1: done, verdict fail, 0 tokens\nstep 2: done, verdict pass, 0 tokens\n\
             goal_met, 2 iterations, 0 tokens",
        ),
        Case {
            agent: vec![vec![Yield, Report(5), Yield], vec![Report(7), Yield, Report(1)]],
            judge: vec![vec![Yield, Report(2)]],
            ..case(
                "usage during work belongs to its step",
                "step 1: done, verdict fail, 7 tokens\nstep 2: done, verdict pass, 8 tokens\n\
                 goal_met, 2 iterations, 15 tokens",
            )
        },
        Case {
            agent: vec![vec![Report(1), Fail], vec![Fault], vec![Yield, Fail]],
            judge: vec![vec![], vec![Fail]],
            at_most: 3,
            passes_at: 9,
            ..case(
                "failures and faults are settled",
                "step 1: it broke, verdict none, 1 tokens\nstep 2: it broke, verdict none, 0 tokens\n\
                 step 3: it broke, verdict none, 0 tokens\nmax_iterations, 3 iterations, 1 tokens",
            )
        },
        Case {
            agent: vec![vec![Report(3), Defer, Report(4)]],
            judge: vec![vec![Report(1), Defer, Yield]],
            passes_at: 1,
            ..case(
                "deferred work is tried again and uses up no iteration",
                "step 1: done, verdict pass, 9 tokens\ngoal_met, 1 iterations, 12 tokens",
            )
        },
        Case {
            judge: vec![vec![Cancel, Defer]],
            ..case(
                "nothing begins after a cancellation in a deferred check",
                "cancelled, 1 iterations, 0 tokens",
            )
        },
        Case {
            agent: vec![vec![], vec![Yield, Halt]],
            ..case(
                "an unavailable agent ends the run",
                "step 1: done, verdict fail, 0 tokens\nagent_unavailable, 2 iterations, 0 tokens",
            )
        },
    ]
}

/// The notes of steps, and resumed runs.
fn records() -> Vec<Case> {
    vec![
        Case {
            agent: vec![vec![Fault], vec![Note, Yield, Cost(3)]],
            ..case(
                "what work notes belongs to its step",
                "step 1: exit code 1, verdict fail, 0 tokens\n\
                 step 2: done, verdict pass, 0 tokens, mark tree, cut a build, $3.00 Known\n\
                 goal_met, 2 iterations, 0 tokens",
            )
        },
        Case {
            is_resumed: true,
            died_at: RunTime::from_micros(9_970_000),
            agent: vec![vec![], vec![Hang]],
            ..case("a resumed run has only the rest of its time", "time_exceeded, 2 iterations, 0 tokens")
        },
        Case {
            is_resumed: true,
            ..case(
                "a resumed run continues in the iteration in which it died",
                "step 2: done, verdict pass, 0 tokens\ngoal_met, 2 iterations, 0 tokens",
            )
        },
    ]
}

/// Limits on tokens.
fn limits() -> Vec<Case> {
    vec![
        Case {
            agent: vec![vec![Report(6)], vec![Report(6), Hang, Report(2)]],
            max_tokens: Some(10),
            ..case(
                "a report over the limit interrupts the work, and what it reports then still counts",
                "step 1: done, verdict fail, 6 tokens\ntokens_exceeded, 2 iterations, 14 tokens",
            )
        },
        Case {
            agent: vec![vec![Report(10)]],
            passes_at: 1,
            max_tokens: Some(10),
            ..case(
                "a goal that is met at the limit is a success",
                "step 1: done, verdict pass, 10 tokens\ngoal_met, 1 iterations, 10 tokens",
            )
        },
        Case {
            agent: vec![vec![Report(10), Yield]],
            passes_at: 1,
            max_tokens: Some(10),
            overrun: Duration::from_secs(5),
            ..case(
                "work that ends soon after a report over the limit is not interrupted",
                "step 1: done, verdict pass, 10 tokens\ngoal_met, 1 iterations, 10 tokens",
            )
        },
        Case {
            agent: vec![vec![Report(6)], vec![Report(6), Hang, Report(2)]],
            max_shared_tokens: Some(10),
            ..case(
                "an exhausted shared budget interrupts the work",
                "step 1: done, verdict fail, 6 tokens\nshared_budget_exceeded, 2 iterations, 14 tokens",
            )
        },
    ]
}

/// Deadlines.
fn deadlines() -> Vec<Case> {
    vec![
        Case {
            agent: vec![vec![Hang, Yield, Yield, Report(2)]],
            max_time: MOMENT,
            ..case("interrupted work has its grace time", "time_exceeded, 1 iterations, 2 tokens")
        },
        Case {
            agent: vec![vec![Hang]],
            max_time: MOMENT,
            ..case("the deadline interrupts work", "time_exceeded, 1 iterations, 0 tokens")
        },
        Case {
            agent: vec![vec![Report(4), Ignore]],
            max_time: MOMENT,
            ..case("work that ignores its interrupt is dropped", "time_exceeded, 1 iterations, 4 tokens")
        },
        Case {
            judge: vec![vec![Hang]],
            max_time: MOMENT,
            ..case("the deadline interrupts an evaluation", "time_exceeded, 1 iterations, 0 tokens")
        },
        Case {
            pace: HOUR,
            max_time: MOMENT,
            ..case(
                "the deadline ends a wait",
                "step 1: done, verdict fail, 0 tokens\ntime_exceeded, 1 iterations, 0 tokens",
            )
        },
    ]
}

/// Requests to end the run.
fn cancellations() -> Vec<Case> {
    vec![
        Case {
            agent: vec![vec![], vec![Yield, Cancel, Hang, Report(3)]],
            ..case(
                "a cancellation interrupts work",
                "step 1: done, verdict fail, 0 tokens\ncancelled, 2 iterations, 3 tokens",
            )
        },
        Case {
            agent: vec![vec![], vec![Cancel, Report(3)]],
            ..case(
                "a cancellation cuts work that is ready in the same moment",
                "step 1: done, verdict fail, 0 tokens\ncancelled, 2 iterations, 3 tokens",
            )
        },
        Case {
            agent: vec![vec![], vec![EndRun, Hang, Report(3)]],
            ..case(
                "a future that ends the run interrupts work",
                "step 1: done, verdict fail, 0 tokens\nclosed, 2 iterations, 3 tokens",
            )
        },
        Case {
            judge: vec![vec![], vec![Cancel]],
            ..case(
                "a cancellation does not cut a finished step, and a met goal is a success",
                "step 1: done, verdict fail, 0 tokens\nstep 2: done, verdict pass, 0 tokens\n\
                 goal_met, 2 iterations, 0 tokens",
            )
        },
        Case {
            judge: vec![vec![Cancel]],
            ..case(
                "nothing begins after a cancellation",
                "step 1: done, verdict fail, 0 tokens\ncancelled, 1 iterations, 0 tokens",
            )
        },
        Case {
            pace: HOUR,
            cancels_in_wait: true,
            ..case(
                "a cancellation ends a wait",
                "step 1: done, verdict fail, 0 tokens\ncancelled, 1 iterations, 0 tokens",
            )
        },
    ]
}

/// Checks that are interrupted as work is.
fn interrupted_checks() -> Vec<Case> {
    let cases = [
        (Cancel, "a cancellation interrupts a check", "cancelled, 1 iterations, 2 tokens"),
        (EndRun, "a future that ends the run interrupts a check", "closed, 1 iterations, 2 tokens"),
        (Report(12), "a limit of tokens interrupts a check", "tokens_exceeded, 1 iterations, 14 tokens"),
    ];
    let interrupted = |(act, name, expected)| Case {
        judge: vec![vec![act, Hang, Report(2)]],
        max_tokens: matches!(act, Report(_)).then_some(10),
        ..case(name, expected)
    };
    let shared = Case {
        judge: vec![vec![Report(12), Hang, Report(2)]],
        max_shared_tokens: Some(10),
        ..case(
            "an exhausted shared budget interrupts a check",
            "shared_budget_exceeded, 1 iterations, 14 tokens",
        )
    };
    let ignored = Case {
        judge: vec![vec![Ignore]],
        max_time: MOMENT,
        ..case("a check that ignores its interrupt is dropped", "time_exceeded, 1 iterations, 0 tokens")
    };
    cases.map(interrupted).into_iter().chain([shared, ignored]).collect()
}

/// Questions before the second iteration.
fn questions() -> Vec<Case> {
    vec![
        Case {
            pace: Duration::from_millis(1),
            reactions: vec![Reaction::Yes],
            ..case(
                "a confirmed run goes on after its wait",
                "step 1: done, verdict fail, 0 tokens\nstep 2: done, verdict pass, 0 tokens\n\
                 goal_met, 2 iterations, 0 tokens",
            )
        },
        Case {
            reactions: vec![Reaction::Late],
            ..case(
                "run time stands still during a question",
                "step 1: done, verdict fail, 0 tokens\nstep 2: done, verdict pass, 0 tokens\n\
                 goal_met, 2 iterations, 0 tokens",
            )
        },
        Case {
            reactions: vec![Reaction::No],
            ..case(
                "a person says no",
                "step 1: done, verdict fail, 0 tokens\ndeclined, 1 iterations, 0 tokens",
            )
        },
        Case {
            reactions: vec![Reaction::Nobody],
            ..case(
                "nobody answers",
                "step 1: done, verdict fail, 0 tokens\nhitl_checkpoint, 1 iterations, 0 tokens",
            )
        },
        Case {
            reactions: vec![Reaction::Cancel],
            ..case(
                "a cancellation ends a question",
                "step 1: done, verdict fail, 0 tokens\ncancelled, 1 iterations, 0 tokens",
            )
        },
    ]
}

/// A loop of at most five iterations whose second output passes.
fn case(name: &'static str, expected: &'static str) -> Case {
    Case {
        name,
        agent: Vec::new(),
        judge: Vec::new(),
        passes_at: 2,
        at_most: 5,
        max_tokens: None,
        max_shared_tokens: None,
        max_time: Duration::from_secs(10),
        overrun: Duration::from_millis(50),
        pace: Duration::ZERO,
        cancels_in_wait: false,
        reactions: Vec::new(),
        is_resumed: false,
        died_at: RunTime::ZERO,
        expected,
    }
}
