//! The work that a run runs within: its limits, its meter and its interrupt.

use std::time::Duration;

use super::WorkHandle;
use crate::{Ceiling, Decision, Ending, Guardrail, Halt, Progress, StopReason, Usd};

/// The largest number of loops that run within each other, the outermost included. A loop that runs itself would
/// otherwise never end: each level may have several iterations.
pub const MAX_DEPTH: u8 = 8;

/// The work that a run runs within.
#[derive(Debug, Clone)]
pub(crate) struct Outer {
    pub(crate) handle: WorkHandle,
    /// The limits that the guardrails of the outer run leave for this work.
    pub(crate) left: Ceiling,
}

impl Outer {
    /// Returns whether another run may run within this work.
    pub(crate) fn has_room(&self) -> bool {
        self.handle.depth() + 1 < MAX_DEPTH
    }

    /// Returns the halt of the outer run that the end of a run within it causes. Returns `None` if the end is an
    /// ordinary result: the goal is met, or one of the run's own limits is reached.
    ///
    pub(crate) fn propagated(ending: &Ending, progress: &Progress) -> Option<Halt> {
        let halt = ending.halt()?;
        let propagates = match halt.reason {
            StopReason::Cancelled | StopReason::AgentUnavailable | StopReason::EvaluatorUnavailable => true,
            // The run could not be recorded, or a loop within it could not begin.
            StopReason::Failed => ending.guardrail().is_none(),
            _ => ending.guardrail() == Some(OuterLimits::NAME) || progress.was_unanswered(ending),
        };
        propagates.then(|| halt.clone())
    }
}

/// Limits a run to the limits that its outer run leaves.
#[derive(Debug)]
pub(crate) struct OuterLimits {
    left: Ceiling,
    /// The run's cost, tokens and time when it began or was resumed.
    cost: Usd,
    tokens: u64,
    time: Duration,
}

impl OuterLimits {
    pub(crate) const NAME: &str = "outer_loop";

    /// Leaves these limits from now on.
    pub(crate) fn new(left: Ceiling, progress: &Progress) -> Self {
        let (cost, tokens) = spent(progress);
        Self { left, cost, tokens, time: progress.elapsed() }
    }
}

fn spent(progress: &Progress) -> (Usd, u64) {
    let usage = progress.usage();
    (usage.cost.map_or(Usd::ZERO, |cost| cost.usd), usage.tokens().unwrap_or(0))
}

impl Guardrail for OuterLimits {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn check(&self, progress: &Progress) -> Decision {
        let left = self.ceiling(progress);
        if !left.is_exhausted() {
            return Decision::Continue;
        }
        let Halt { reason, .. } = left.halt();
        Decision::Halt(Halt::new(reason, "the limit of the loop around this one is reached"))
    }

    fn ceiling(&self, progress: &Progress) -> Ceiling {
        let (cost, tokens) = spent(progress);
        Ceiling {
            time: self
                .left
                .time
                .map(|left| left.saturating_sub(progress.elapsed().saturating_sub(self.time))),
            cost: self.left.cost.map(|left| left.saturating_sub(cost.saturating_sub(self.cost))),
            tokens: self.left.tokens.map(|left| left.saturating_sub(tokens.saturating_sub(self.tokens))),
        }
    }
}
