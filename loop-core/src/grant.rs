//! Limits that a person adds to a run when resuming it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Usd, run_time::micros, usage::is_zero};

/// Additions to a run's limits and a note for its next prompt, from the person who resumes the run.
///
/// The run records it as an event, so that a later resume finds it. The limits of this crate and of `loop-guardrails`
/// include it. In your own guardrail, add [`Progress::granted`](crate::Progress::granted).
///
/// # Default
/// Nothing.
///
/// ```
/// use futures::StreamExt;
/// use loop_core::{Event, Grant, IterationContext, Loop, Update, iteration_fn, never};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), loop_core::BuildError> {
/// let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
/// let ten = || Loop::new(agent.clone()).until(never()).at_most(10);
/// let updates: Vec<Update<u64>> = ten().stream()?.collect().await;
/// let event = |update| if let Update::Event(event) = update { Some(event) } else { None };
/// let events: Vec<Event> = updates.into_iter().filter_map(event).collect();
///
/// let grant = Grant::default().with_iterations(5).with_note("look at the log");
/// let report = ten().resume(events, Some(10)).grant(grant).run().await?;
/// assert_eq!(report.iterations(), 15);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredGrant", into = "StoredGrant")]
#[non_exhaustive]
pub struct Grant {
    /// Iterations beyond the limit.
    pub iterations: u64,
    /// Money beyond the limit.
    pub cost: Usd,
    /// Tokens beyond the limit.
    pub tokens: u64,
    /// Run time beyond the limit. As JSON: whole microseconds.
    pub time: Duration,
    /// A note for the next prompt, like the guidance in an answer to a question.
    pub note: Option<String>,
}

impl Grant {
    /// Raises the limit on iterations by this many.
    #[must_use]
    pub const fn with_iterations(mut self, iterations: u64) -> Self {
        self.iterations = iterations;
        self
    }

    /// Raises the limits on cost by this much.
    #[must_use]
    pub const fn with_cost(mut self, cost: Usd) -> Self {
        self.cost = cost;
        self
    }

    /// Raises the limit on tokens by this many.
    #[must_use]
    pub const fn with_tokens(mut self, tokens: u64) -> Self {
        self.tokens = tokens;
        self
    }

    /// Raises the limit on run time by this much. The run records whole microseconds, rounded up.
    #[must_use]
    pub const fn with_time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// Sets a note for the next prompt.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Adds the limits of another grant; notes are not limits.
    pub(crate) fn add_limits(&mut self, other: &Self) {
        self.iterations = self.iterations.saturating_add(other.iterations);
        self.cost = self.cost + other.cost;
        self.tokens = self.tokens.saturating_add(other.tokens);
        self.time = self.time.saturating_add(other.time);
    }
}

/// The serialized form of a grant.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct StoredGrant {
    iterations: u64,
    /// Whole micro-dollars.
    cost: u64,
    /// The nano-dollars beyond them.
    #[serde(skip_serializing_if = "is_zero")]
    cost_nanos: u16,
    /// Journals of earlier versions have none.
    #[serde(skip_serializing_if = "crate::event::is_zero")]
    tokens: u64,
    #[serde(with = "micros")]
    time: Duration,
    note: Option<String>,
}

impl From<Grant> for StoredGrant {
    fn from(Grant { iterations, cost, tokens, time, note }: Grant) -> Self {
        let (cost, cost_nanos) = cost.to_parts();
        Self { iterations, cost, cost_nanos, tokens, time, note }
    }
}

impl From<StoredGrant> for Grant {
    fn from(stored: StoredGrant) -> Self {
        let StoredGrant { iterations, cost, cost_nanos, tokens, time, note } = stored;
        Self { iterations, cost: Usd::of_parts(cost, cost_nanos), tokens, time, note }
    }
}
