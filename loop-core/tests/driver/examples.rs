//! Runs the examples, which contain assertions, as tests.

use std::time::Duration;

use loop_core::{BuildError, Ceiling, IterationContext, Loop, SharedBudget, Usage, iteration_fn, never};

#[path = "../../examples/best_of_three.rs"]
mod best_of_three;
#[path = "../../examples/chain.rs"]
mod chain;
#[path = "../../examples/nested.rs"]
mod nested;
#[path = "../../examples/optimizer.rs"]
mod optimizer;
#[path = "../../examples/own_driver.rs"]
mod own_driver;
#[path = "../../examples/own_parts.rs"]
mod own_parts;
#[path = "../../examples/race.rs"]
mod race;
#[path = "../../examples/shared_budget.rs"]
mod shared_budget;
#[path = "../../examples/simulation.rs"]
#[expect(dead_code, reason = "its main reads the arguments of the process")]
mod simulation;
#[path = "../../examples/ten_loops.rs"]
mod ten_loops;
#[path = "../../examples/watcher.rs"]
mod watcher;

#[test]
fn parts_of_ones_own_compose() {
    own_parts::main().unwrap();
}

#[test]
fn ten_loops_of_ready_futures_share_a_thread_and_half_are_cancelled() {
    ten_loops::main().unwrap();
}

#[test]
fn a_descent_finds_the_minimum_or_is_halted() {
    optimizer::main().unwrap();
}

#[test]
fn the_best_of_three_candidates_is_kept() {
    best_of_three::main().unwrap();
}

#[test]
fn a_watcher_sees_what_it_waits_for() {
    watcher::main().unwrap();
}

#[test]
fn a_limit_holds_for_a_loop_in_a_loop() {
    nested::main().unwrap();
}

#[test]
fn a_chain_passes_its_outputs_on_and_stops_at_a_gate() {
    chain::main().unwrap();
}

#[test]
fn the_fastest_of_four_loops_wins() {
    race::main().unwrap();
}

#[test]
fn eight_loops_share_a_budget() {
    shared_budget::main().unwrap();
}

#[test]
fn a_driver_on_threads_runs_loops() {
    own_driver::main().unwrap();
}

/// The example itself runs 100,000 loops.
#[test]
fn loops_on_virtual_time_keep_their_limits_and_end_in_every_way() {
    let endings = simulation::run(2_000).unwrap();
    for ending in ["goal_met", "max_iterations", "time_exceeded", "budget_exceeded", "cancelled"] {
        assert!(endings.contains_key(ending), "{ending}: {endings:?}");
    }
}

/// A budget holds for any driver, except for its time, which only tokio's driver counts.
#[test]
fn a_loop_on_a_thread_shares_a_budget() {
    let member = |budget: &SharedBudget| {
        let spend = iteration_fn(async |cx: IterationContext<u64>| {
            cx.meter().add(Usage::unknown().with_input_tokens(10));
            Ok(cx.iteration())
        });
        Loop::new(spend).until(never()).at_most(9).share(budget)
    };
    let run = member(&SharedBudget::new(Ceiling::tokens(20)));
    let report = own_driver::drive(run.into_parts().unwrap(), &own_driver::ThreadClock::new()).unwrap();
    let ended = (report.ending().name(), report.iterations(), report.last_output());
    assert_eq!(ended, ("shared_budget_exceeded", 2, Some(&2)));
    let limited = SharedBudget::new(Ceiling::time(Duration::from_secs(60)));
    assert_eq!(member(&limited).into_parts().unwrap_err(), BuildError::SharedTime);
}
