//! Eight loops share a budget of $10.
//!
//! The report that uses it up interrupts all of them at once. If each request reserves what it may cost, they never
//! spend more than that.
//!
//! Run it with `cargo run -p loop-core --example shared_budget`.
#![expect(clippy::print_stdout, reason = "an example shows what came of it")]

use std::time::Duration;

use futures::future::try_join_all;
use loop_core::{
    BuildError, Ceiling, Cost, Halt, IterationContext, Loop, Report, SharedBudget, StopReason, Usage, Usd,
    WorkError, iteration_fn, never,
};

const LIMIT: Usd = Usd::dollars(10);

/// The cost of a request is known when its answer is there.
const fn price() -> Usage {
    Usage::unknown().with_cost(Cost::known(Usd::micros(340_000)))
}

/// Replaces a request to a model.
async fn request() -> Usage {
    tokio::time::sleep(Duration::from_secs(5)).await;
    price()
}

/// Sends a request in each iteration. With `reserves`, it begins only those that the budget can pay.
async fn worker(budget: SharedBudget, reserves: bool) -> Result<Report<()>, BuildError> {
    let agent = iteration_fn(move |cx: IterationContext<()>| async move {
        if reserves {
            let mut reservation = cx.reserve(price()).map_err(Halt::from)?;
            reservation.settle(request().await);
        } else {
            cx.meter().add(request().await);
        }
        Ok::<_, WorkError>(())
    });
    Loop::new(agent).until(never()).at_most(100).share(&budget).grace(Duration::ZERO).run().await
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
pub(crate) async fn main() -> Result<(), BuildError> {
    for reserves in [false, true] {
        let budget = SharedBudget::new(Ceiling::cost(LIMIT));
        let reports = try_join_all((0..8).map(|_| worker(budget.clone(), reserves))).await?;
        let spent = budget.spent().cost.map_or(Usd::ZERO, |cost| cost.usd);
        println!("spent {spent} of {LIMIT}: {}", reports[0].ending());

        let all = |report: &Report<()>| report.reason() == Some(&StopReason::SharedBudgetExceeded);
        assert!(reports.iter().all(all));
        let counted = reports.iter().fold(Usage::unknown(), |sum, report| sum + *report.usage());
        assert_eq!(counted, budget.spent());
        // Without reservations, the answers that were under way arrived together with the one that crossed the limit.
        let most = if reserves { LIMIT } else { LIMIT + Usd::micros(8 * 340_000) };
        assert!(spent <= most);
    }
    Ok(())
}
