//! A limit on money.
//!
//! An agent in a loop buys tokens all night, and nobody notices before the bill arrives. A limit that is checked only
//! between iterations does not help: one iteration of an agent with tools can cost more than the rest of the run. This
//! limit cuts an iteration that crosses it.

use loop_core::{Ceiling, Decision, Guardrail, Halt, Progress, RunCost, SnapshotError, StopReason, Usd};

/// Limits the cost of the whole run.
///
/// It counts the reported cost of iterations and evaluations while they run. **Unreported cost is unknown and does not
/// count**, so a limit on money alone cannot bound a loop. The report includes the cost over the limit that arises before the work is cut. A
/// limit of zero halts before the first iteration. If a person [granted](Progress::granted) more when they resumed the
/// run, the limit rises by that amount.
///
/// ```
/// use loop_core::{Cost, IterationContext, Loop, StopReason, Usage, Usd, iteration_fn};
/// use loop_guardrails::{MaxCost, after};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = iteration_fn(async |cx: IterationContext<()>| {
///     cx.meter().add(Usage::unknown().with_cost(Cost::known(Usd::micros(400_000))));
///     Ok(())
/// });
/// let report =
///     Loop::new(agent).until(after(100)).at_most(100).guard(MaxCost::new(Usd::dollars(1))).run().await?;
/// assert_eq!(report.reason(), Some(&StopReason::BudgetExceeded));
/// assert_eq!(report.iterations(), 3);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxCost(Usd);

impl MaxCost {
    /// Limits the cost to `limit`.
    pub const fn new(limit: Usd) -> Self {
        Self(limit)
    }

    /// Returns the limit plus the amount granted since.
    fn limit(self, progress: &Progress) -> Usd {
        self.0 + progress.granted().map_or(Usd::ZERO, |grant| grant.cost)
    }
}

fn spent(progress: &Progress) -> Usd {
    progress.usage().cost.map_or(Usd::ZERO, |cost| cost.usd)
}

impl Guardrail for MaxCost {
    fn name(&self) -> &str {
        "max_cost"
    }
    fn check(&self, progress: &Progress) -> Decision {
        let (spent, limit) = (spent(progress), self.limit(progress));
        if spent < limit {
            return Decision::Continue;
        }
        let message = match progress.cost() {
            RunCost::Unknown => format!("{spent} spent; the limit is {limit}"),
            cost => format!("{cost} spent; the limit is {limit}"),
        };
        Decision::Halt(Halt::new(StopReason::BudgetExceeded, message))
    }
    fn ceiling(&self, progress: &Progress) -> Ceiling {
        Ceiling::cost(self.limit(progress).saturating_sub(spent(progress)))
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        Ok(String::new())
    }
}
