//! A budget that any number of loops share is overshot by no more than the reports that were already under way: when it
//! is used up, every member is interrupted at once, reports once more at most until its interrupt, then only in its
//! grace time, and none begins another iteration.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::future::join_all;
use loop_core::{
    Ceiling, Cost, EvaluationContext, Evaluator, Iteration, IterationContext, Loop, Report, SharedBudget,
    StopReason, Usage, Usd, Verdict, WorkError, never,
};
use proptest::{collection::vec, prelude::*};
use tokio::time::{Instant, sleep};

use crate::scenario::{holds, locked, virtual_time};

const GRACE: Duration = Duration::from_millis(40);

/// One of the loops that share the budget. Each iteration reports these amounts, each after its delay.
#[derive(Debug, Clone)]
struct Member {
    reports: Vec<(Duration, u64)>,
    /// The amount that it reports after an interrupt.
    in_grace: u64,
    /// The number of loops around each iteration, within the member.
    depth: u64,
    is_evaluated: bool,
}

/// The spending of all members in order.
struct Log {
    limit: u64,
    spent: u64,
    /// The time of the report that used up the budget.
    crossed: Option<Instant>,
    /// For each member, the reports after that until its interrupt, and the time of the last one.
    further: Vec<(u32, Option<Instant>)>,
    in_grace: u64,
}

#[derive(Clone)]
struct Work {
    index: usize,
    member: Member,
    budget: SharedBudget,
    log: Arc<Mutex<Log>>,
    depth: u64,
}

fn nanos(nanos: u64) -> Usage {
    Usage::unknown().with_cost(Cost::known(Usd::nanos(nanos)))
}

impl Work {
    fn spend(&self, cx: &IterationContext<u64>, amount: u64) {
        let mut log = locked(&self.log);
        log.spent += amount;
        if log.crossed.is_some() {
            if cx.is_cancelled() {
                log.in_grace += amount;
            } else {
                let (count, last) = &mut log.further[self.index];
                (*count, *last) = (*count + 1, Some(Instant::now()));
            }
        } else if log.spent >= log.limit {
            log.crossed = Some(Instant::now());
        }
        drop(log);
        cx.meter().add(nanos(amount));
    }
}

#[loop_core::async_trait]
impl Iteration for Work {
    type Output = u64;

    async fn run(&mut self, cx: IterationContext<u64>) -> Result<u64, WorkError> {
        assert_eq!(locked(&self.log).crossed, None, "an iteration begins although the budget is used up");
        if self.depth > 0 {
            let inner = Self { depth: self.depth - 1, ..self.clone() };
            // It shares the budget as well, which must not count twice.
            let inner = Loop::new(inner).until(never()).at_most(2).share(&self.budget).grace(GRACE);
            return Ok(inner.run_within(&cx).await?.iterations());
        }
        let Log { limit, spent, .. } = *locked(&self.log);
        assert_eq!(cx.left().cost, Some(Usd::nanos(limit - spent)));
        for (delay, amount) in &self.member.reports {
            tokio::select! {
                biased;
                () = cx.cancelled() => {
                    self.spend(&cx, self.member.in_grace);
                    return Ok(0);
                }
                () = sleep(*delay) => {}
            }
            self.spend(&cx, *amount);
        }
        Ok(1)
    }
}

#[loop_core::async_trait]
impl Evaluator<u64> for Work {
    async fn evaluate(&mut self, _: EvaluationContext<u64>) -> Result<Verdict, WorkError> {
        assert_eq!(locked(&self.log).crossed, None, "an evaluation begins although the budget is used up");
        sleep(Duration::from_millis(3)).await;
        Ok(Verdict::fail())
    }
}

async fn run(work: Work) -> Report<u64> {
    let budget = work.budget.clone();
    let run = Loop::new(work.clone());
    if work.member.is_evaluated {
        return run
            .evaluate(work)
            .until(never())
            .at_most(4)
            .share(&budget)
            .grace(GRACE)
            .run()
            .await
            .expect("a run");
    }
    run.until(never()).at_most(4).share(&budget).grace(GRACE).run().await.expect("a run")
}

fn members() -> impl Strategy<Value = Vec<Member>> {
    let reports = vec(((1..70_u64).prop_map(Duration::from_millis), 0..9_u64), 1..5);
    let member =
        (reports, 0..9_u64, 0..3_u64, any::<bool>()).prop_map(|(reports, in_grace, depth, is_evaluated)| {
            Member { reports, in_grace, depth, is_evaluated }
        });
    vec(member, 1..12)
}

async fn is_overshot_by_what_was_under_way(members: Vec<Member>, limit: u64) {
    let budget = SharedBudget::new(Ceiling::cost(Usd::nanos(limit)));
    let further = vec![(0, None); members.len()];
    let largest: u64 = members.iter().map(most).sum();
    let log = Log { limit, spent: 0, crossed: None, further, in_grace: 0 };
    let log = Arc::new(Mutex::new(log));
    let works = members.into_iter().enumerate().map(|(index, member)| {
        let depth = member.depth;
        Work { index, member, budget: budget.clone(), log: Arc::clone(&log), depth }
    });
    let reports = join_all(works.map(run)).await;
    let ended = Instant::now();
    let log = locked(&log);
    let sum = reports.iter().fold(Usage::unknown(), |sum, report| sum + *report.usage());
    // Each report counts once, and none is lost.
    assert_eq!((budget.spent(), sum), (nanos(log.spent), nanos(log.spent)));
    let Some(crossed) = log.crossed else {
        assert!(reports.iter().all(|report| report.reason() == Some(&StopReason::MaxIterations)));
        return;
    };
    let ends = |report: &Report<u64>| match report.reason() {
        Some(StopReason::SharedBudgetExceeded) => report.ending().is_blockable(),
        Some(StopReason::MaxIterations) => report.iterations() == 4,
        _ => false,
    };
    assert!(reports.iter().all(ends), "{reports:?}");
    // The report of a member that was ready when another one used up the budget was under way.
    assert!(log.further.iter().all(|(count, last)| *count <= 1 && last.is_none_or(|last| last == crossed)));
    assert!(log.spent - log.in_grace <= limit + largest);
    assert!(ended <= crossed + GRACE, "a member was not interrupted at once");
}

/// Returns the largest report of a member.
fn most(member: &Member) -> u64 {
    member.reports.iter().map(|(_, amount)| *amount).max().unwrap_or(0)
}

#[test]
fn shared_budget() {
    holds((members(), 1..200_u64), |(members, limit)| {
        virtual_time(is_overshot_by_what_was_under_way(members, limit));
    });
}
