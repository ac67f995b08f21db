//! A limit on money.
//!
//! An agent in a loop buys tokens all night, and the bill is the first thing that anybody hears of
//! it. A limit that is looked at only between iterations does not help: one iteration of an agent with
//! tools can cost more than the rest of the run. This one cuts an iteration that crosses it.

use loop_core::{Ceiling, Decision, Guardrail, Halt, Progress, RunCost, StopReason, Usd};

/// At most so much money, over the whole run.
///
/// It counts what was reported, for iterations and evaluations alike, while they run. **Cost that
/// nobody reports is unknown, and does not count**: that is why money alone cannot bound a loop. What
/// is spent over the limit before the cut is shown in the report. A limit of zero halts before the
/// first iteration. What was [granted](Progress::granted) when the run was resumed is added to it.
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
    /// At most `limit`.
    pub const fn new(limit: Usd) -> Self {
        Self(limit)
    }

    /// The limit, and what was added to it since.
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
}
