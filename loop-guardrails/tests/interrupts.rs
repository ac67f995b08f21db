//! Limits bind while work runs, not only between iterations.

use loop_core::{
    BuildError, Cost, Guardrail, IterationContext, Loop, Report, StopReason, Usage, Usd, WorkError,
    iteration_fn,
};
use loop_guardrails::{MaxCost, MaxTokens, SpendingRate, after};

/// Runs an agent that spends a quarter of a dollar and 100 tokens per second and never ends by itself.
async fn spend_under(guardrail: impl Guardrail + 'static) -> Result<Report<()>, BuildError> {
    let agent = iteration_fn(async |cx: IterationContext<()>| {
        while !cx.is_cancelled() {
            cx.meter().add(Usage::unknown().with_tokens(60, 40).with_cost(Cost::known(Usd::micros(250_000))));
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        }
        Err(WorkError::failed("interrupted"))
    });
    Loop::new(agent).until(after(1)).at_most(1).guard(guardrail).run().await
}

#[tokio::test(start_paused = true)]
async fn money_cuts_an_iteration() -> Result<(), BuildError> {
    let report = spend_under(MaxCost::new(Usd::dollars(1))).await?;
    assert_eq!(report.reason(), Some(&StopReason::BudgetExceeded));
    assert_eq!(report.ending().guardrail(), Some("max_cost"));
    assert_eq!(report.usage().cost, Some(Cost::known(Usd::dollars(1))));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn tokens_cut_an_iteration() -> Result<(), BuildError> {
    let report = spend_under(MaxTokens::new(1_000)).await?;
    assert_eq!(report.reason(), Some(&StopReason::TokensExceeded));
    assert_eq!(report.usage().tokens(), Some(1_000));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn spending_too_fast_cuts_an_iteration() -> Result<(), BuildError> {
    let report = spend_under(SpendingRate::per_hour(Usd::dollars(1))).await?;
    assert_eq!(report.reason(), Some(&StopReason::BudgetExceeded));
    assert_eq!(report.ending().guardrail(), Some(SpendingRate::NAME));
    assert_eq!(report.usage().cost, Some(Cost::known(Usd::dollars(1))));
    Ok(())
}

/// A quarter of a dollar per second is exactly 900 dollars per hour.
#[tokio::test(start_paused = true)]
async fn spending_within_the_rate_goes_on_for_hours() -> Result<(), BuildError> {
    let rate = SpendingRate::per_hour(Usd::dollars(920));
    let agent = iteration_fn(async |cx: IterationContext<()>| {
        for _ in 0..3 * 3_600 {
            cx.meter().add(Usage::unknown().with_cost(Cost::known(Usd::micros(250_000))));
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        }
        Ok(())
    });
    let report = Loop::new(agent).until(after(1)).at_most(1).guard(rate).run().await?;
    assert_eq!(report.reason(), None);
    assert_eq!(report.usage().cost, Some(Cost::known(Usd::dollars(2_700))));
    Ok(())
}
