//! A limit on tokens.
//!
//! Not every agent knows its cost: a subscription, a local model or a shared key has no price per call, but it has a
//! quota. If a loop uses up the quota overnight, its owner has no agent in the morning. Such agents do report tokens.

use loop_core::{Ceiling, Decision, Guardrail, Halt, Progress, SnapshotError, StopReason};

/// Limits the tokens of the whole run, input and output together.
///
/// Tokens from a provider's cache count as input. Unreported tokens do not count. The guardrail cuts an iteration that
/// crosses the limit. A limit of zero halts before the first iteration. If a person
/// [granted](Progress::granted) more when they resumed the run, the limit is that much higher.
///
/// ```
/// use loop_core::{IterationContext, Loop, StopReason, Usage, iteration_fn};
/// use loop_guardrails::{MaxTokens, after};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = iteration_fn(async |cx: IterationContext<()>| {
///     cx.meter().add(Usage::unknown().with_tokens(900, 100));
///     Ok(())
/// });
/// let report = Loop::new(agent).until(after(100)).at_most(100).guard(MaxTokens::new(5_000)).run().await?;
/// assert_eq!(report.reason(), Some(&StopReason::TokensExceeded));
/// assert_eq!(report.iterations(), 5);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxTokens(u64);

impl MaxTokens {
    /// Limits the run to `limit` tokens.
    pub const fn new(limit: u64) -> Self {
        Self(limit)
    }

    /// Returns the limit plus the tokens granted since.
    fn limit(self, progress: &Progress) -> u64 {
        self.0.saturating_add(progress.granted().map_or(0, |grant| grant.tokens))
    }
}

fn used(progress: &Progress) -> u64 {
    progress.usage().tokens().unwrap_or(0)
}

impl Guardrail for MaxTokens {
    fn name(&self) -> &str {
        "max_tokens"
    }
    fn check(&self, progress: &Progress) -> Decision {
        let (used, limit) = (used(progress), self.limit(progress));
        if used < limit {
            return Decision::Continue;
        }
        let is_partial = progress.uncounted_iterations() > 0 || progress.usage().are_tokens_partial;
        let at_least = if is_partial { "at least " } else { "" };
        let message = format!("{at_least}{used} tokens used; the limit is {limit}");
        Decision::Halt(Halt::new(StopReason::TokensExceeded, message))
    }
    fn ceiling(&self, progress: &Progress) -> Ceiling {
        Ceiling::tokens(self.limit(progress).saturating_sub(used(progress)))
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        Ok(String::new())
    }
}
