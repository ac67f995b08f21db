//! Limits on a run.

use std::time::Duration;

use crate::{
    BoxError, Ending, Event, Halt, Progress, Question, SnapshotError, StopReason, Usage, Usd,
    snapshot::restore_nothing,
};

/// A guardrail's decision before an iteration.
///
/// Code that wraps guardrails must handle every decision, so this enum stays exhaustive: a wildcard could continue a
/// run that has to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Go on.
    Continue,
    /// Ask a person first.
    Ask(Question),
    /// End the run.
    Halt(Halt),
}

/// The remaining limits for the next work, or for the work in progress. `None` means no limit.
///
/// Each constructor limits one dimension; [`min`](Self::min) combines them.
///
/// # Default
/// [`NONE`](Self::NONE): no limit at all.
///
/// ```
/// use loop_core::{Ceiling, Usd};
/// let money = Ceiling::cost(Usd::dollars(2));
/// let tokens = Ceiling::tokens(5_000);
/// assert_eq!(money.min(tokens).cost, Some(Usd::dollars(2)));
/// assert!(Ceiling::tokens(0).is_exhausted());
/// assert!(!Ceiling::NONE.is_exhausted());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ceiling {
    /// Run time left.
    pub time: Option<Duration>,
    /// Money left.
    pub cost: Option<Usd>,
    /// Tokens left, read and written together.
    pub tokens: Option<u64>,
}

impl Ceiling {
    /// No limit at all.
    pub const NONE: Self = Self { time: None, cost: None, tokens: None };

    /// Leaves this much run time.
    pub const fn time(left: Duration) -> Self {
        Self { time: Some(left), ..Self::NONE }
    }

    /// Leaves this much money.
    pub const fn cost(left: Usd) -> Self {
        Self { cost: Some(left), ..Self::NONE }
    }

    /// Leaves this many tokens.
    pub const fn tokens(left: u64) -> Self {
        Self { tokens: Some(left), ..Self::NONE }
    }

    /// Returns the tighter limit in each dimension.
    #[must_use]
    pub fn min(mut self, other: Self) -> Self {
        self.tighten(&other);
        self
    }

    /// Takes the tighter limit in each dimension.
    #[inline]
    pub(crate) fn tighten(&mut self, other: &Self) {
        fn tighten<T: Ord + Copy>(limit: &mut Option<T>, other: Option<T>) {
            if let Some(other) = other {
                *limit = Some(limit.map_or(other, |limit| limit.min(other)));
            }
        }
        tighten(&mut self.time, other.time);
        tighten(&mut self.cost, other.cost);
        tighten(&mut self.tokens, other.tokens);
    }

    /// Returns whether nothing is left in at least one dimension.
    pub fn is_exhausted(&self) -> bool {
        self.time == Some(Duration::ZERO) || self.cost == Some(Usd::ZERO) || self.tokens == Some(0)
    }

    /// Returns the halt for the first exhausted dimension, in the order money, tokens, time.
    pub(crate) fn halt(&self) -> Halt {
        let reason = if self.cost == Some(Usd::ZERO) {
            StopReason::BudgetExceeded
        } else if self.tokens == Some(0) {
            StopReason::TokensExceeded
        } else {
            StopReason::TimeExceeded
        };
        Halt::new(reason, "")
    }

    /// Returns what remains after `usage`.
    #[must_use]
    pub fn after(self, usage: &Usage) -> Self {
        Self {
            time: self.time,
            cost: self.cost.map(|left| usage.cost.map_or(left, |cost| left.saturating_sub(cost.usd))),
            tokens: self.tokens.map(|left| left.saturating_sub(usage.tokens().unwrap_or(0))),
        }
    }
}

/// A limit on a run. It sees the progress and decides to continue, to ask a person, or to halt.
///
/// # Contract
/// - Pure: the answers depend only on the progress and the observed events. A restored guardrail therefore decides as
///   the live one did, and a run can be replayed.
/// - The machine calls [`check`](Self::check) on all guardrails before every iteration. A halt takes precedence over
///   any question. If several guardrails halt, the ending names the first in the given order.
/// - [`ceiling`](Self::ceiling) applies while work runs. When a dimension is exhausted, the driver interrupts the work
///   and the run halts, for the reason that `check` then returns, or else for the exhausted dimension. No iteration
///   begins then either, and an evaluation that had already begun does not begin again. The first evaluation of a step
///   always happens, so that the goal is checked before the limits, unless a reader, an observer or the journal delayed
///   the run past its deadline.
/// - State is a fold too: [`observe`](Self::observe) sees every event once, live and on restore. A run can be restored
///   from a [`Snapshot`](crate::Snapshot) only if all its guardrails implement [`snapshot`](Self::snapshot).
///
/// ```
/// use loop_core::{Decision, Guardrail, Halt, Progress, StopReason};
///
/// /// Stops a run whose work tree has not changed for three steps.
/// struct NothingMoves;
///
/// impl Guardrail for NothingMoves {
///     fn name(&self) -> &str {
///         "nothing_moves"
///     }
///     fn check(&self, progress: &Progress) -> Decision {
///         match progress.unchanged("work_tree") {
///             Some(steps) if steps >= 3 => {
///                 Decision::Halt(Halt::new(StopReason::Stagnated, "no file changed in 3 steps"))
///             }
///             _ => Decision::Continue,
///         }
///     }
/// }
/// ```
pub trait Guardrail: Send {
    /// A short name in snake case, for reports.
    fn name(&self) -> &str;

    /// Decides whether the next iteration may begin.
    fn check(&self, progress: &Progress) -> Decision;

    /// Returns the remaining limits, so that the driver can cut running work. Default: no limit.
    fn ceiling(&self, _progress: &Progress) -> Ceiling {
        Ceiling::NONE
    }

    /// Sees every event after the fold into the progress. Default: does nothing.
    fn observe(&mut self, _event: &Event) {}

    /// Handles the resumption of a run with this ending, after [`observe`](Self::observe) has seen the event. A
    /// guardrail that ended the run should reset its counts here, or it would end the run again at once. Default: does
    /// nothing.
    fn reopened(&mut self, _ending: &Ending) {}

    /// Returns the state that [`observe`](Self::observe) has built up, as a text that [`restore`](Self::restore) reads.
    /// A part without state of its own returns an empty text.
    ///
    /// # Errors
    /// By default, [`SnapshotError`]: the part has no snapshot, and neither has a run with it.
    fn snapshot(&self) -> Result<String, SnapshotError> {
        Err(SnapshotError::missing(self.name()))
    }

    /// Restores the state in a text of [`snapshot`](Self::snapshot). The part is new, and sees only later events.
    ///
    /// # Errors
    /// Returns an error if the text is damaged. By default, accepts only an empty text.
    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        restore_nothing(state)
    }
}

impl<G: Guardrail + ?Sized> Guardrail for Box<G> {
    fn name(&self) -> &str {
        (**self).name()
    }
    fn check(&self, progress: &Progress) -> Decision {
        (**self).check(progress)
    }
    fn ceiling(&self, progress: &Progress) -> Ceiling {
        (**self).ceiling(progress)
    }
    fn observe(&mut self, event: &Event) {
        (**self).observe(event);
    }
    fn reopened(&mut self, ending: &Ending) {
        (**self).reopened(ending);
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        (**self).snapshot()
    }
    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        (**self).restore(state)
    }
}

/// Creates a guardrail from a name and a function.
///
/// ```
/// use loop_core::{Decision, Halt, StopReason, guardrail_fn};
/// let quiet = guardrail_fn("no_failures", |progress| match progress.consecutive_failures() {
///     0 => Decision::Continue,
///     _ => Decision::Halt(Halt::new(StopReason::ConsecutiveFailures, "a step failed")),
/// });
/// ```
pub fn guardrail_fn<F>(name: impl Into<String>, check: F) -> GuardrailFn<F>
where
    F: Fn(&Progress) -> Decision + Send,
{
    GuardrailFn { name: name.into(), check }
}

/// The guardrail that [`guardrail_fn`] returns.
#[derive(Debug, Clone)]
pub struct GuardrailFn<F> {
    name: String,
    check: F,
}

impl<F: Fn(&Progress) -> Decision + Send> Guardrail for GuardrailFn<F> {
    fn name(&self) -> &str {
        &self.name
    }
    fn check(&self, progress: &Progress) -> Decision {
        (self.check)(progress)
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        Ok(String::new())
    }
}

const _: fn(&dyn Guardrail) = |_| {};
