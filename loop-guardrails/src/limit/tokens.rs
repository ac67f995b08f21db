//! A limit on tokens.
//!
//! Not every agent knows what it costs: a subscription, a local model or a shared key has no price
//! for a call, and has a quota all the same. Whoever uses it up overnight has no agent in the morning.
//! Tokens are what such agents do report.

use loop_core::{Ceiling, Decision, Guardrail, Halt, Progress, StopReason};

/// At most so many tokens, read and written together, over the whole run.
///
/// Tokens that came from a provider's cache count as read. Tokens that nobody reports do not count. It
/// cuts an iteration that crosses it. A limit of zero halts before the first iteration.
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
    /// At most `limit` tokens.
    pub const fn new(limit: u64) -> Self {
        Self(limit)
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
        let used = used(progress);
        if used < self.0 {
            return Decision::Continue;
        }
        let at_least = if progress.uncounted_iterations() > 0 { "at least " } else { "" };
        let message = format!("{at_least}{used} tokens used; the limit is {}", self.0);
        Decision::Halt(Halt::new(StopReason::TokensExceeded, message))
    }
    fn ceiling(&self, progress: &Progress) -> Ceiling {
        Ceiling::tokens(self.0.saturating_sub(used(progress)))
    }
}
