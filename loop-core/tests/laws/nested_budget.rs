//! A limit of an outer loop holds for the loops within it: after the report that reaches the limit, work reports once
//! more at most until it is interrupted, then only in its grace time, and no loop begins another iteration.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use loop_core::{
    Ceiling, Cost, DEFAULT_OVERRUN, Decision, Guardrail, Iteration, IterationContext, Loop, Progress,
    StopReason, Usage, Usd, WorkError, never,
};
use proptest::{collection::vec, prelude::*};
use tokio::time::{Instant, sleep};

use crate::scenario::{holds, locked, virtual_time};

/// Each iteration reports these amounts, each after its delay. After an interrupt, it reports once more.
#[derive(Clone)]
struct Spender {
    reports: Arc<[(Duration, u64)]>,
    in_grace: u64,
    log: Arc<Mutex<Log>>,
    /// The number of loops around it that are still to be begun, and the iterations of each.
    depth: u64,
    tries: u64,
    /// Each loop also spends a little itself, before the loop within it begins.
    is_working: bool,
}

/// The spending in order.
struct Log {
    limit: u64,
    spent: u64,
    /// The time of the report that reached the limit.
    crossed: Option<Instant>,
    /// The reports after it, until the interrupt.
    further: u32,
    last: Instant,
}

const GRACE: Duration = Duration::from_millis(40);

impl Spender {
    fn spend(&self, cx: &IterationContext<u64>, nanos: u64) {
        let mut log = locked(&self.log);
        log.spent += nanos;
        log.last = Instant::now();
        match log.crossed {
            Some(_) if !cx.is_cancelled() => log.further += 1,
            None if log.spent >= log.limit => log.crossed = Some(log.last),
            _ => {}
        }
        drop(log);
        cx.meter().add(Usage::unknown().with_cost(Cost::known(Usd::nanos(nanos))));
    }
}

#[loop_core::async_trait]
impl Iteration for Spender {
    type Output = u64;

    async fn run(&mut self, cx: IterationContext<u64>) -> Result<u64, WorkError> {
        assert_eq!(locked(&self.log).crossed, None, "an iteration begins beyond the limit");
        if self.depth > 0 {
            if self.is_working {
                self.spend(&cx, 1);
            }
            let inner = Self { depth: self.depth - 1, ..self.clone() };
            let inner = Loop::new(inner).until(never()).at_most(self.tries).grace(GRACE);
            let report = inner.run_within(&cx).await?;
            assert_eq!(report.reason(), Some(&StopReason::MaxIterations));
            return Ok(report.iterations());
        }
        let left = cx.left().cost.expect("the outer limit").as_nanos();
        let Log { limit, spent, .. } = *locked(&self.log);
        assert_eq!(left + spent, limit);
        for (delay, nanos) in &*self.reports.clone() {
            tokio::select! {
                biased;
                () = cx.cancelled() => {
                    self.spend(&cx, self.in_grace);
                    return Ok(0);
                }
                () = sleep(*delay) => {}
            }
            self.spend(&cx, *nanos);
        }
        Ok(1)
    }
}

pub(crate) struct MaxNanos(pub(crate) u64);

impl Guardrail for MaxNanos {
    fn name(&self) -> &str {
        "max_nanos"
    }
    fn check(&self, _: &Progress) -> Decision {
        Decision::Continue
    }
    fn ceiling(&self, progress: &Progress) -> Ceiling {
        let spent = progress.usage().cost.map_or(0, |cost| cost.usd.as_nanos());
        Ceiling::cost(Usd::nanos(self.0.saturating_sub(spent)))
    }
}

#[test]
fn nested_budget() {
    // Work that reports several times without a pause reports once.
    let reports = vec(((1..70_u64).prop_map(Duration::from_millis), 0..9_u64), 1..5);
    let cases = (reports, 0..4_u64, 1..4_u64, 1..60_u64, 0..9_u64, any::<bool>());
    holds(cases, |(reports, depth, tries, limit, in_grace, is_working)| {
        virtual_time(async {
            let start = Instant::now();
            let log = Log { limit, spent: 0, crossed: None, further: 0, last: start };
            let log = Arc::new(Mutex::new(log));
            let spender = Spender {
                reports: reports.into(),
                in_grace,
                log: Arc::clone(&log),
                depth,
                tries,
                is_working,
            };
            let run = Loop::new(spender).until(never()).at_most(4).guard(MaxNanos(limit)).grace(GRACE);
            let report = run.run().await.expect("a run");
            let log = locked(&log);
            assert_eq!(report.usage().cost.map_or(0, |cost| cost.usd.as_nanos()), log.spent);
            let Some(crossed) = log.crossed else {
                assert_eq!(report.reason(), Some(&StopReason::MaxIterations));
                return;
            };
            // A limit that is reached in the last allowed iteration is not the first one that ends the run.
            if report.iterations() < 4 {
                assert_eq!(report.reason(), Some(&StopReason::BudgetExceeded));
                assert_eq!(report.ending().guardrail(), Some("max_nanos"));
            }
            assert!(log.further <= 1, "{} reports after the limit was reached", log.further);
            assert!(log.last <= crossed + DEFAULT_OVERRUN + GRACE);
        });
    });
}
