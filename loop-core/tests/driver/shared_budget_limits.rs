//! The limits of budgets that several loops share: which one ends a run, and what is left of it.

use std::time::Duration;

use loop_core::{
    Ceiling, Cost, IterationContext, Loop, SharedBudget, SuspendedTime, Usage, Usd, iteration_fn,
};
use tokio::time::sleep;

use crate::test_parts::{SharedJournal, cents, ms, never, sleeper};

#[tokio::test(start_paused = true)]
async fn a_halt_names_the_limit_that_is_used_up() {
    let dollar = Ceiling::cost(Usd::dollars(1));
    for (limit, message) in [
        (Ceiling::tokens(5), "the loops that share a budget of 5 tokens have used 6"),
        (dollar.min(Ceiling::tokens(5)), "the loops that share a budget of 5 tokens have used 6"),
        (dollar.min(Ceiling::tokens(100)), "the loops that share a budget of $1.00 have spent $1.00"),
        (
            Ceiling::time(ms(1_000)).min(Ceiling::tokens(100)),
            "the loops that share a budget of 1s have used it up",
        ),
    ] {
        let budget = SharedBudget::new(limit);
        assert_eq!(budget.limit(), limit);
        let agent = iteration_fn(async |cx: IterationContext<u64>| {
            cx.meter().add(Usage::unknown().with_tokens(4, 2).with_cost(Cost::known(Usd::micros(500_000))));
            sleep(ms(500)).await;
            Ok(1)
        });
        let report =
            Loop::new(agent).until(never()).at_most(9).share(&budget).grace(ms(0)).run().await.unwrap();
        assert_eq!(report.ending().message(), message);
    }
}

#[tokio::test(start_paused = true)]
async fn each_of_several_budgets_can_end_a_member() {
    let [large, small] = [100, 2].map(|cents| SharedBudget::new(Ceiling::cost(Usd::micros(cents * 10_000))));
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        cx.meter().add(cents(1));
        Ok(1)
    });
    let run = Loop::new(agent).until(never()).at_most(9).share(&large).share(&small);
    let report = run.run().await.unwrap();
    assert_eq!((report.ending().name(), report.iterations()), ("shared_budget_exceeded", 2));
    assert_eq!((large.spent(), small.is_exhausted()), (cents(2), true));
}

#[tokio::test(start_paused = true)]
async fn the_time_that_is_left_excludes_suspended_time_at_once() {
    let budget = SharedBudget::new(Ceiling::time(ms(1_000)));
    let suspended_time = SuspendedTime::new();
    let handles = (budget.clone(), suspended_time.clone());
    let agent = iteration_fn(move |_: IterationContext<Option<Duration>>| {
        let (budget, suspended_time) = handles.clone();
        async move {
            sleep(ms(100)).await;
            suspended_time.add(ms(40));
            Ok(budget.left().time)
        }
    });
    let run =
        Loop::new(agent).until(never()).at_most(1).share(&budget).suspended_time(suspended_time.clone());
    let report = run.run().await.unwrap();
    assert_eq!((report.last_output(), suspended_time.total()), (Some(&Some(ms(940))), ms(40)));
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_history_counts_when_a_member_resumes() {
    let journal = SharedJournal::new();
    let run = || Loop::new(sleeper(ms(100))).until(never()).at_most(3).resume_from(journal.clone());
    run().run().await.unwrap();
    for (limit, left) in [(300, 0), (301, 1), (900, 600)] {
        let budget = SharedBudget::new(Ceiling::time(ms(limit)));
        assert_eq!(run().share(&budget).run().await.unwrap().iterations(), 3);
        assert_eq!((budget.is_exhausted(), budget.left().time), (left == 0, Some(ms(left))));
    }
}
