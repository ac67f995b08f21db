//! Cutting work: when it happens, and how much work still finishes.

use std::sync::{Arc, Mutex};

use loop_core::{
    CancellationToken, Decision, EvaluationContext, Guardrail, IterationContext, Loop, Progress, StopReason,
    Verdict, WorkError, condition_fn, evaluator_fn, evaluator_passed, iteration_fn,
};
use tokio::time::sleep;

use crate::test_parts::{Budget, Endless, cents, is_set, ms, never, sleeper, timed};

#[tokio::test(start_paused = true)]
async fn work_that_ignores_its_interrupt_is_dropped_after_the_grace_time() {
    let (endless, dropped) = Endless::new();
    let run = Loop::new(endless).until(never()).at_most_for(ms(700)).grace(ms(200)).run();
    let (took, report) = timed(run).await;
    let report = report.unwrap();
    assert_eq!(took, ms(900));
    assert!(is_set(&dropped));
    assert_eq!(report.reason(), Some(&StopReason::TimeExceeded));
    assert_eq!(report.iterations(), 1);
    assert!(report.last_step().is_none());
}

#[tokio::test(start_paused = true)]
async fn work_that_heeds_its_interrupt_may_use_its_grace_time() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        cx.cancelled().await;
        assert!(cx.is_cancelled());
        sleep(ms(30)).await;
        cx.meter().add(cents(3));
        Ok(1)
    });
    let (took, report) = timed(Loop::new(agent).until(never()).at_most_for(ms(700)).run()).await;
    let report = report.unwrap();
    assert_eq!(took, ms(730));
    assert_eq!(report.usage(), &cents(3));
    assert!(report.output().is_none(), "what was made under a crossed limit is not settled");
}

#[tokio::test(start_paused = true)]
async fn a_boxed_guardrail_binds_as_the_one_in_the_box() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        cx.meter().add(cents(5));
        cx.cancelled().await;
        Ok(1)
    });
    let budget: Box<dyn Guardrail> = Box::new(Budget::cents(5));
    let report = Loop::new(agent).until(never()).at_most_for(ms(700)).guard(budget).run().await.unwrap();
    assert_eq!((report.reason(), report.elapsed()), (Some(&StopReason::BudgetExceeded), ms(50)));
}

/// An agent reports a cost that uses up the budget, and ends this many milliseconds later.
async fn reported_before_the_end(millis: u64) -> (Option<StopReason>, u64) {
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        sleep(ms(10)).await;
        cx.meter().add(cents(5));
        sleep(ms(millis)).await;
        Ok(1)
    });
    let goal = condition_fn(|_: &_, _| true);
    let report =
        Loop::new(agent).until(goal).at_most(3).guard(Budget::cents(5)).run().await.expect("it is built");
    assert_eq!(report.usage(), &cents(5));
    (report.reason().cloned(), report.elapsed().as_millis() as u64)
}

#[tokio::test(start_paused = true)]
async fn a_crossing_report_belongs_to_an_end_that_comes_within_50_ms() {
    assert_eq!(reported_before_the_end(0).await, (None, 10));
    assert_eq!(reported_before_the_end(50).await, (None, 60));
    assert_eq!(reported_before_the_end(51).await, (Some(StopReason::BudgetExceeded), 61));
}

/// Work exceeds a limit by at most one report and its unreported spending in that time, however fast it spends.
#[tokio::test(start_paused = true)]
async fn the_next_report_after_the_one_that_crossed_a_limit_ends_the_work() {
    let agent = |pieces: u64| {
        iteration_fn(move |cx: IterationContext<u64>| async move {
            cx.meter().add(cents(5));
            for _ in 0..pieces {
                sleep(ms(20)).await;
                cx.meter().add(cents(1));
            }
            Ok(1)
        })
    };
    let goal = || condition_fn(|_: &_, _| true);
    let run = |pieces| Loop::new(agent(pieces)).until(goal()).at_most(3).guard(Budget::cents(5)).run();
    let (took, report) = timed(run(2)).await;
    let report = report.unwrap();
    assert_eq!((took, report.reason()), (ms(40), Some(&StopReason::BudgetExceeded)));
    assert_eq!(report.usage(), &cents(7), "what it reports in its grace time counts");
    let (_, report) = timed(run(0)).await;
    assert!(report.unwrap().is_success());
}

#[tokio::test(start_paused = true)]
async fn a_fast_spender_overshoots_by_one_report() {
    // It spends a dollar every 4 ms, with a limit of two.
    let spender = iteration_fn(async |cx: IterationContext<u64>| {
        loop {
            cx.meter().add(cents(100));
            tokio::select! {
                () = sleep(ms(4)) => {}
                () = cx.cancelled() => return Ok(1),
            }
        }
    });
    let run = Loop::new(spender).until(never()).at_most(3).guard(Budget::cents(200));
    let report = run.run().await.unwrap();
    assert_eq!((report.reason(), report.usage()), (Some(&StopReason::BudgetExceeded), &cents(300)));
}

#[tokio::test(start_paused = true)]
async fn the_time_after_a_crossing_report_is_a_setting() {
    let agent = || {
        iteration_fn(async |cx: IterationContext<u64>| {
            cx.meter().add(cents(5));
            sleep(ms(80)).await;
            Ok(1)
        })
    };
    for (overrun, is_success) in [(0, false), (79, false), (80, true)] {
        let run = Loop::new(agent()).until(condition_fn(|_: &_, _| true)).at_most(3);
        let report = run.guard(Budget::cents(5)).overrun(ms(overrun)).grace(ms(0)).run().await.unwrap();
        assert_eq!(report.is_success(), is_success, "{overrun}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_check_is_not_cut_for_what_the_iteration_reported_with_its_end() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        sleep(ms(10)).await;
        cx.meter().add(cents(9));
        Ok(1)
    });
    let check = evaluator_fn(async |_: EvaluationContext<u64>| {
        sleep(ms(5_000)).await;
        Ok(Verdict::pass())
    });
    let run = Loop::new(agent).evaluate(check).until(evaluator_passed()).at_most(3).guard(Budget::cents(5));
    let report = run.run().await.unwrap();
    assert_eq!(report.reason(), None);
    assert_eq!(report.usage(), &cents(9));
}

#[tokio::test(start_paused = true)]
async fn a_judge_that_overspends_is_cut() {
    let check = evaluator_fn(async |cx: EvaluationContext<u64>| {
        sleep(ms(100)).await;
        cx.meter().add(cents(9));
        sleep(ms(5_000)).await;
        Ok(Verdict::pass())
    });
    let run = Loop::new(sleeper(ms(10))).evaluate(check).until(evaluator_passed()).at_most(3);
    let (took, report) = timed(run.guard(Budget::cents(5)).grace(ms(0)).run()).await;
    assert_eq!(took, ms(160));
    assert_eq!(report.unwrap().reason(), Some(&StopReason::BudgetExceeded));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_cuts_an_evaluation() {
    let check = evaluator_fn(async |_: EvaluationContext<u64>| std::future::pending().await);
    let run = Loop::new(sleeper(ms(10))).evaluate(check).until(evaluator_passed()).at_most_for(ms(300));
    let (took, report) = timed(run.grace(ms(20)).run()).await;
    let report = report.unwrap();
    assert_eq!(took, ms(320));
    assert_eq!(report.reason(), Some(&StopReason::TimeExceeded));
    assert_eq!(report.iterations(), 1);
    assert!(report.last_step().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_deadline_ends_a_wait_of_the_pace() {
    let run = Loop::new(sleeper(ms(10))).until(never()).at_most_for(ms(300)).pace(ms(1_000));
    let (took, report) = timed(run.run()).await;
    let report = report.unwrap();
    assert_eq!(took, ms(300));
    assert_eq!(report.reason(), Some(&StopReason::TimeExceeded));
    assert_eq!(report.iterations(), 1);
    assert_eq!(report.progress().working(), ms(10));
}

#[tokio::test(start_paused = true)]
async fn a_report_at_the_deadline_does_not_hide_it() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        sleep(ms(100)).await;
        cx.meter().add(cents(1));
        std::future::pending::<Result<u64, WorkError>>().await
    });
    let run = Loop::new(agent).until(never()).at_most_for(ms(100)).grace(ms(5));
    let (took, report) = timed(run.run()).await;
    assert_eq!(took, ms(105));
    assert_eq!(report.unwrap().reason(), Some(&StopReason::TimeExceeded));
}

/// Counts reports itself, so that the usage does not foretell where it ends.
#[derive(Default)]
struct OneReport(u32);

impl Guardrail for OneReport {
    fn name(&self) -> &str {
        "one_report"
    }
    fn check(&self, _: &Progress) -> Decision {
        Decision::Continue
    }
    fn ceiling(&self, _: &Progress) -> loop_core::Ceiling {
        if self.0 == 0 { loop_core::Ceiling::NONE } else { loop_core::Ceiling::tokens(0) }
    }
    fn observe(&mut self, event: &loop_core::Event) {
        self.0 += u32::from(matches!(event.kind, loop_core::EventKind::UsageReported { .. }));
    }
}

#[tokio::test(start_paused = true)]
async fn a_limit_that_no_sum_foresees_cuts_all_the_same() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        sleep(ms(10)).await;
        cx.meter().add(cents(1));
        std::future::pending::<Result<u64, WorkError>>().await
    });
    let run = Loop::new(agent).until(never()).at_most(3).guard(OneReport::default()).grace(ms(7));
    let (took, report) = timed(run.run()).await;
    assert_eq!(took, ms(17));
    assert_eq!(report.unwrap().reason(), Some(&StopReason::TokensExceeded));
}

#[tokio::test(start_paused = true)]
async fn late_usage_from_a_task_of_its_own_counts() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let steps = Arc::clone(&seen);
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        let meter = cx.meter();
        tokio::spawn(async move {
            sleep(ms(120)).await;
            meter.add(cents(2));
        });
        sleep(ms(50)).await;
        Ok(1)
    });
    let goal = condition_fn(move |step: &loop_core::Step<u64>, progress: &Progress| {
        steps.lock().unwrap().push((*step.usage(), *progress.usage()));
        false
    });
    let report = Loop::new(agent).until(goal).at_most(2).pace(ms(100)).run().await.unwrap();
    // The first report came during the wait, the second after the run's end.
    assert_eq!(report.usage(), &cents(2));
    let unknown = loop_core::Usage::unknown();
    assert_eq!(*seen.lock().unwrap(), [(unknown, unknown), (unknown, cents(2))]);
}

#[tokio::test(start_paused = true)]
async fn what_was_cancelled_before_its_start_does_nothing() {
    let token = CancellationToken::new();
    token.cancel();
    let agent = iteration_fn(async |_: IterationContext<u64>| -> Result<u64, WorkError> { panic!("it ran") });
    let report = Loop::new(agent).until(never()).at_most(3).cancel_on(token).run().await.unwrap();
    assert_eq!(report.reason(), Some(&StopReason::Cancelled));
    assert_eq!(report.iterations(), 0);
}

#[tokio::test(start_paused = true)]
async fn dropping_a_run_drops_its_work_at_once() {
    let (endless, dropped) = Endless::new();
    let run = Loop::new(endless).until(never()).at_most(3).run();
    let (took, timeout) = timed(tokio::time::timeout(ms(40), run)).await;
    assert!(timeout.is_err());
    assert!(is_set(&dropped));
    assert_eq!(took, ms(40));
}

#[tokio::test(start_paused = true)]
async fn work_that_reports_without_a_pause_is_cut_all_the_same() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        while !cx.is_cancelled() {
            cx.meter().add(cents(1));
            tokio::time::advance(ms(1)).await;
        }
        Ok(1)
    });
    let report = Loop::new(agent).until(never()).at_most(3).guard(Budget::cents(5)).run().await.unwrap();
    assert_eq!(report.reason(), Some(&StopReason::BudgetExceeded));
    assert!(report.usage().cost.is_some_and(|cost| cost.usd < loop_core::Usd::dollars(1)), "{report:?}");
}
