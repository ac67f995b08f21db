//! Budgets that several loops share.

use std::time::Duration;

use futures::future::join_all;
use loop_core::{
    Bounded, CancellationToken, Ceiling, Chain, Cost, Halt, Iteration, IterationContext, Loop, Report,
    SharedBudget, Step, StopReason, SuspendedTime, Usage, Usd, WorkError, condition_fn, iteration_fn,
};
use tokio::time::sleep;

use crate::test_parts::{SharedJournal, cents, ms, never, sleeper, timed};

fn budget(cents: u64) -> SharedBudget {
    SharedBudget::new(Ceiling::cost(Usd::micros(cents * 10_000)))
}

/// Spends a cent after each 10 ms.
fn spender() -> impl Iteration<Output = u64> {
    iteration_fn(async |cx: IterationContext<u64>| {
        sleep(ms(10)).await;
        cx.meter().add(cents(1));
        Ok(cx.iteration())
    })
}

fn member(budget: &SharedBudget) -> Loop<impl Iteration<Output = u64> + use<>, Step<u64>, Bounded> {
    Loop::new(spender()).until(never()).at_most(100).share(budget).grace(ms(0))
}

fn reasons(reports: &[Report<u64>]) -> Vec<&str> {
    reports.iter().map(|report| report.ending().name()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_budget_that_is_used_up_wakes_all_members_at_once() {
    let budget = budget(5);
    let sleeps = Loop::new(sleeper(ms(9_000))).until(never()).at_most(3).share(&budget).grace(ms(0));
    let waits = Loop::new(sleeper(ms(1))).until(never()).at_most(3).pace(ms(9_000)).share(&budget);
    let (took, (spends, sleeps, waits)) =
        timed(async { tokio::join!(member(&budget).run(), sleeps.run(), waits.run()) }).await;
    let reports = [spends.unwrap(), sleeps.unwrap(), waits.unwrap()];
    assert_eq!((took, reasons(&reports)), (ms(50), vec!["shared_budget_exceeded"; 3]));
    assert_eq!(reports.each_ref().map(Report::iterations), [5, 1, 1]);
    let told = "the loops that share a budget of $0.05 have spent $0.05";
    assert!(reports.iter().all(|report| report.ending().message() == told && report.ending().is_blockable()));
    assert_eq!(budget.spent(), cents(5));
}

#[tokio::test(start_paused = true)]
async fn tokens_count_as_well() {
    let budget = SharedBudget::new(Ceiling::tokens(100));
    let agent = || {
        iteration_fn(async |cx: IterationContext<u64>| {
            sleep(ms(10)).await;
            cx.meter().add(Usage::unknown().with_tokens(20, 10));
            Ok(1)
        })
    };
    let run = || Loop::new(agent()).until(never()).at_most(9).share(&budget).run();
    let (first, second) = tokio::join!(run(), run());
    assert_eq!(first.unwrap().usage().tokens().unwrap() + second.unwrap().usage().tokens().unwrap(), 120);
    assert_eq!(budget.left().tokens, Some(0));
}

#[tokio::test(start_paused = true)]
async fn nothing_starts_on_a_budget_that_is_used_up() {
    let spent = budget(1);
    member(&spent).run().await.unwrap();
    for budget in [spent, budget(0)] {
        assert!(budget.is_exhausted());
        let (took, report) = timed(member(&budget).run()).await;
        let report = report.unwrap();
        assert_eq!((took, report.iterations()), (ms(0), 0));
        assert_eq!(report.reason(), Some(&StopReason::SharedBudgetExceeded));
    }
}

#[tokio::test(start_paused = true)]
async fn work_that_ends_with_the_last_report_keeps_its_output_and_may_meet_the_goal() {
    for (goal, name) in [(3, "goal_met"), (9, "shared_budget_exceeded")] {
        let done = condition_fn(move |step: &Step<u64>, _| step.output() == Some(&goal));
        let run = Loop::new(spender()).until(done).at_most(9).share(&budget(3)).run();
        let report = run.await.unwrap();
        assert_eq!((report.ending().name(), report.last_output()), (name, Some(&3)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_is_told_before_a_budget() {
    let (token, budget) = (CancellationToken::new(), budget(0));
    token.cancel();
    let report = member(&budget).cancel_on(token).run().await.unwrap();
    assert_eq!(report.reason(), Some(&StopReason::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn a_loop_within_a_member_counts_once_and_is_interrupted_with_it() {
    let budget = budget(7);
    let shared = budget.clone();
    let within = iteration_fn(move |cx: IterationContext<u64>| {
        let inner = Loop::new(spender()).until(never()).at_most(3).share(&shared);
        async move { Ok(inner.run_within(&cx).await?.iterations()) }
    });
    let run = Loop::new(within).until(never()).at_most(9).share(&budget).share(&budget);
    let (took, report) = timed(run.run()).await;
    let report = report.unwrap();
    assert_eq!((took, budget.spent(), report.usage()), (ms(70), cents(7), &cents(7)));
    assert_eq!(report.reason(), Some(&StopReason::SharedBudgetExceeded));
    assert_eq!(report.iterations(), 3);
}

#[tokio::test(start_paused = true)]
async fn no_part_of_a_member_begins_after_the_budget_is_used_up() {
    // The parts are ready at once, so the outer loop gets no turn in between.
    let spends = || {
        iteration_fn(async |cx: IterationContext<u64>| {
            cx.meter().add(cents(1));
            Ok(cx.iteration())
        })
    };
    let budget = budget(2);
    let chain = Chain::new().then(spends()).then(spends()).then(spends());
    let run = Loop::new(chain).until(never()).at_most(9).share(&budget);
    let report = run.run().await.unwrap();
    assert_eq!(budget.spent(), cents(2));
    assert_eq!(report.reason(), Some(&StopReason::SharedBudgetExceeded));
}

#[tokio::test(start_paused = true)]
async fn a_budget_of_inner_loops_ends_them_and_not_the_outer_loop() {
    let budget = budget(5);
    let within = iteration_fn(move |cx: IterationContext<u64>| {
        let lanes: Vec<_> = (0..4).map(|_| member(&budget)).collect();
        async move {
            let reports = join_all(lanes.into_iter().map(|lane| lane.run_within(&cx))).await;
            let reports: Result<Vec<_>, WorkError> = reports.into_iter().collect();
            assert_eq!(reasons(&reports?), ["shared_budget_exceeded"; 4]);
            Ok(1)
        }
    });
    let report = Loop::new(within).until(never()).at_most(1).run().await.unwrap();
    assert_eq!((report.reason(), report.usage()), (Some(&StopReason::MaxIterations), &cents(8)));
}

#[tokio::test(start_paused = true)]
async fn work_finds_what_is_left() {
    let budget = budget(10);
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        cx.meter().add(cents(1));
        let inner = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.left().cost.unwrap().as_nanos()));
        let report = Loop::new(inner).until(never()).at_most(1).run_within(&cx).await?;
        assert_eq!(report.last_output(), Some(&cx.left().cost.unwrap().as_nanos()));
        Ok(cx.left().cost.unwrap().as_nanos())
    });
    let held = budget.reserve(cents(4)).unwrap();
    let report = Loop::new(agent).until(never()).at_most(2).share(&budget).run().await.unwrap();
    assert_eq!(report.last_output(), Some(&40_000_000));
    drop(held);
    assert_eq!(budget.left().cost, Some(Usd::micros(80_000)));
}

#[tokio::test(start_paused = true)]
async fn a_reservation_holds_an_amount_back_until_it_is_settled_or_dropped() {
    let budget = SharedBudget::new(Ceiling::cost(Usd::dollars(1)).min(Ceiling::tokens(100)));
    let estimate = cents(60).with_tokens(50, 10);
    let mut first = budget.reserve(estimate).unwrap();
    let error = budget.reserve(cents(41)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the shared budget has $0.40 and 40 tokens left, and the work needs $0.41: begin it after other work \
         has ended, or raise the budget"
    );
    assert_eq!(Halt::from(error).reason, StopReason::SharedBudgetExceeded);
    assert!(budget.reserve(Usage::unknown().with_tokens(41, 0)).is_err());
    first.settle(cents(20).with_tokens(10, 0));
    assert_eq!((budget.spent().tokens(), budget.left().tokens), (Some(10), Some(40)));
    drop(first);
    assert_eq!(budget.left(), Ceiling::cost(Usd::micros(800_000)).min(Ceiling::tokens(90)));
    // Usage beyond the reservation counts too.
    let mut second = budget.reserve(cents(10)).unwrap();
    second.settle(cents(80));
    assert!(budget.is_exhausted());
    assert!(budget.reserve(Usage::unknown()).is_err());
}

#[tokio::test(start_paused = true)]
async fn the_reservation_of_an_iteration_reports_to_its_run_and_counts_once() {
    let budget = budget(10);
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        let mut request = cx.reserve(cents(6)).map_err(Halt::from)?;
        assert_eq!(cx.left().cost, Some(Usd::micros(70_000 - 30_000 * cx.iteration())));
        sleep(ms(1)).await;
        request.settle(cents(3));
        Ok(1)
    });
    let run = || Loop::new(agent.clone()).until(never()).at_most(2).share(&budget).run();
    let report = run().await.unwrap();
    assert_eq!((report.usage(), budget.spent()), (&cents(6), cents(6)));
    // Too little is left for one more.
    let report = run().await.unwrap();
    assert_eq!((report.reason(), report.iterations()), (Some(&StopReason::SharedBudgetExceeded), 1));
    assert!(!budget.is_exhausted());
}

#[tokio::test(start_paused = true)]
async fn the_history_of_a_resumed_member_counts_once() {
    let journal = SharedJournal::new();
    let run = || Loop::new(spender()).until(never()).at_most(3).resume_from(journal.clone());
    let first = budget(100);
    assert!(tokio::time::timeout(ms(25), run().share(&first).run()).await.is_err());
    assert_eq!(first.spent(), cents(2));
    // The same process continues it.
    assert_eq!(run().share(&first).run().await.unwrap().usage(), &cents(3));
    assert_eq!(first.spent(), cents(3));
    // Another process resumes it.
    let second = budget(100);
    run().share(&second).run().await.unwrap();
    assert_eq!((second.spent(), second.is_exhausted()), (cents(3), false));
    // Its history alone is more than the budget.
    let third = budget(3);
    let report = run().share(&third).run().await.unwrap();
    assert_eq!(report.usage(), &cents(3));
    assert!(third.is_exhausted());
}

#[tokio::test(start_paused = true)]
async fn time_is_the_sum_of_the_run_times_of_all_members() {
    let budget = SharedBudget::new(Ceiling::time(ms(1_000)));
    let run =
        |work: u64| Loop::new(sleeper(ms(work))).until(never()).at_most(1).share(&budget).grace(ms(0)).run();
    // Alone for 100 ms, then three until 300 ms, then two.
    let later = |work| async move {
        sleep(ms(100)).await;
        run(work).await
    };
    let (took, (first, second, third)) =
        timed(async { tokio::join!(run(9_000), later(200), later(9_000)) }).await;
    let reports = [first.unwrap(), second.unwrap(), third.unwrap()];
    assert_eq!(reasons(&reports), ["shared_budget_exceeded", "max_iterations", "shared_budget_exceeded"]);
    let near = |time: Duration, millis| time >= ms(millis) && time <= ms(millis + 3);
    assert!(near(took, 450), "{took:?}");
    assert!(near(reports.iter().map(Report::elapsed).sum(), 1_000), "{reports:?}");
    assert_eq!(reports[0].ending().message(), "the loops that share a budget of 1s have used it up");
}

#[tokio::test(start_paused = true)]
async fn suspended_time_and_questions_do_not_count_for_the_budget() {
    use loop_core::{Answer, Ask, Decision, Progress, Question, guardrail_fn};
    struct Thinker;
    #[async_trait::async_trait]
    impl Ask for Thinker {
        async fn ask(&mut self, _: &Question, _: &Progress) -> Option<Answer> {
            sleep(ms(60_000)).await;
            Some(Answer::Continue { guidance: None })
        }
    }
    let asks = guardrail_fn("checkpoint", |progress: &Progress| match progress.iterations() {
        1 => Decision::Ask(Question::new("go on?", Halt::new(StopReason::HitlCheckpoint, ""))),
        _ => Decision::Continue,
    });
    let budget = SharedBudget::new(Ceiling::time(ms(1_000)));
    let suspended = SuspendedTime::new();
    let handle = suspended.clone();
    tokio::spawn(async move {
        sleep(ms(300)).await;
        handle.add(ms(200));
    });
    let run = Loop::new(sleeper(ms(400))).until(never()).at_most(9).guard(asks).on_ask(Thinker);
    let run = run.share(&budget).suspended_time(suspended).grace(ms(0)).run();
    let (took, report) = timed(run).await;
    let report = report.unwrap();
    assert_eq!(report.reason(), Some(&StopReason::SharedBudgetExceeded));
    let near = |time: Duration, millis| time >= ms(millis) && time <= ms(millis + 3);
    assert!(near(report.elapsed(), 1_000) && near(took, 61_200), "{took:?} {report:?}");
}

#[tokio::test(start_paused = true)]
async fn usage_without_a_price_does_not_count_as_money() {
    let budget = budget(1);
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        cx.meter().add(Usage::unknown().with_tokens(1_000, 0));
        cx.meter().add(Usage::unknown().with_cost(Cost::at_least(Usd::ZERO)));
        Ok(1)
    });
    let report = Loop::new(agent).until(never()).at_most(2).share(&budget).run().await.unwrap();
    assert_eq!(report.reason(), Some(&StopReason::MaxIterations));
    assert!(!budget.is_exhausted());
}
