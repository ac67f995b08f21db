//! Limits on a run.

use std::time::Duration;

use crate::{Ending, Event, Halt, Progress, Question, StopReason, Usage, Usd};

/// What a guardrail says before an iteration.
///
/// Code that wraps guardrails must handle every decision, so this enum stays exhaustive: a wildcard could let a run go on
/// that has to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Go on.
    Continue,
    /// Ask a person first.
    Ask(Question),
    /// End the run.
    Halt(Halt),
}

/// What a guardrail leaves to the work that is about to run, or runs. `None` is no limit.
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

    /// This much run time is left.
    pub const fn time(left: Duration) -> Self {
        Self { time: Some(left), ..Self::NONE }
    }

    /// This much money is left.
    pub const fn cost(left: Usd) -> Self {
        Self { cost: Some(left), ..Self::NONE }
    }

    /// So many tokens are left.
    pub const fn tokens(left: u64) -> Self {
        Self { tokens: Some(left), ..Self::NONE }
    }

    /// The tighter of both, in each dimension.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        fn tighter<T: Ord + Copy>(a: Option<T>, b: Option<T>) -> Option<T> {
            match (a, b) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            }
        }
        Self {
            time: tighter(self.time, other.time),
            cost: tighter(self.cost, other.cost),
            tokens: tighter(self.tokens, other.tokens),
        }
    }

    /// Whether nothing is left of something.
    pub fn is_exhausted(&self) -> bool {
        self.time == Some(Duration::ZERO) || self.cost == Some(Usd::ZERO) || self.tokens == Some(0)
    }

    /// The halt that belongs to what ran out first: money, tokens, then time.
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

    /// What is left of it after `usage`.
    #[must_use]
    pub fn after(self, usage: &Usage) -> Self {
        Self {
            time: self.time,
            cost: self.cost.map(|left| usage.cost.map_or(left, |cost| left.saturating_sub(cost.usd))),
            tokens: self.tokens.map(|left| left.saturating_sub(usage.tokens().unwrap_or(0))),
        }
    }
}

/// A limit on a run: it sees progress and says go on, ask a person, or halt.
///
/// # Contract
/// - Pure: the answers depend on the progress and on the events observed, on nothing else. Then a
///   restored guardrail decides as the live one did, and a run can be replayed.
/// - [`check`](Self::check) is asked before every iteration. All guardrails are asked; a halt goes
///   before any question, and among halts the first guardrail in the order given is named.
/// - [`ceiling`](Self::ceiling) binds while work runs: when nothing is left of something, the work
///   is interrupted and the run halts, for the reason that `check` then gives, or else for the one
///   that belongs to what ran out. Nor does an iteration begin then, and an evaluation that was begun before is not
///   begun again. The first evaluation of a step always happens: the goal has the last word.
/// - State is a fold too: [`observe`](Self::observe) sees every event once, live and on restore.
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

    /// Says whether the next iteration may begin.
    fn check(&self, progress: &Progress) -> Decision;

    /// What is left, so that work can be cut while it runs. Default: no limit.
    fn ceiling(&self, _progress: &Progress) -> Ceiling {
        Ceiling::NONE
    }

    /// Sees every event, after it was folded into the progress. Default: nothing.
    fn observe(&mut self, _event: &Event) {}

    /// A person takes up a run that had ended so, after [`observe`](Self::observe) has seen that event. A guardrail
    /// that ended the run begins to count anew here, or it would end the run again at once. Default: nothing.
    fn reopened(&mut self, _ending: &Ending) {}
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
}

/// A guardrail from a name and a function.
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

/// See [`guardrail_fn`].
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
}

const _: fn(&dyn Guardrail) = |_| {};
