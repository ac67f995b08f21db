//! A limit that several loops share.
//!
//! Eight loops with a limit of $10 each may spend $80, and eight with an eighth of it each stop although the others
//! have money left. A limit that each of them checks between its iterations does not hold either: all eight look, see
//! what is left, and spend it. So one budget counts the reports of all of them, and the report that uses it up
//! interrupts them all.

mod reservation;
mod shares;
#[cfg(feature = "tokio")]
mod time;

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

pub use self::reservation::{NotEnoughLeft, Reservation};
pub(crate) use self::shares::Shares;
#[cfg(feature = "tokio")]
pub(crate) use self::time::TimeShare;
use crate::{CancellationToken, Ceiling, Halt, Progress, RunTime, StopReason, Usage, Usd, bound::in_words};

/// A limit on cost, tokens or time for several loops together. Clones share it.
///
/// Loops become members with [`Loop::share`](crate::Loop::share).
///
/// - **Cost and tokens** count as soon as a member's work reports them, and **time** is the sum of the run times of all
///   members. Unreported usage does not count.
/// - When nothing is left, all members are interrupted at once, and none of them begins more work. They end as
///   [`SharedBudgetExceeded`](StopReason::SharedBudgetExceeded). They exceed the budget by at most the reports that were
///   already under way, and by what interrupted work reports until it ends. Work that ended together with the last
///   report keeps its output.
/// - A time limit needs the tokio driver: [`Loop::into_parts`](crate::Loop::into_parts) refuses a member with one.
/// - Loops within a member are covered by its membership: their usage counts once, even if they share the same budget.
/// - The history of a resumed member counts when it joins, once. A member that left in the same process and continues
///   is recognized by the number of its events, its run time and its usage, and its history does not count again. Two
///   histories that are equal in all of these, as on a clock of a simulation, count as one.
/// - To hold back what work will cost, [`reserve`](Self::reserve) it before the work begins.
///
/// ```
/// use loop_core::{Ceiling, Cost, IterationContext, Loop, SharedBudget, StopReason, Usage, Usd, iteration_fn, never};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), loop_core::BuildError> {
/// let budget = SharedBudget::new(Ceiling::cost(Usd::dollars(1)));
/// let worker = || {
///     let agent = iteration_fn(async |cx: IterationContext<()>| {
///         cx.meter().add(Usage::unknown().with_cost(Cost::known(Usd::micros(100_000))));
///         tokio::task::yield_now().await;
///         Ok(())
///     });
///     Loop::new(agent).until(never()).at_most(100).share(&budget)
/// };
/// let (first, second) = tokio::join!(worker().run(), worker().run());
/// assert_eq!(first?.reason(), Some(&StopReason::SharedBudgetExceeded));
/// assert_eq!(second?.reason(), Some(&StopReason::SharedBudgetExceeded));
/// // The report that was under way when the other loop used up the budget.
/// assert!(budget.spent().cost.is_some_and(|cost| cost.usd <= Usd::micros(1_100_000)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SharedBudget(Arc<Shared>);

struct Shared {
    limit: Ceiling,
    amounts: Mutex<Amounts>,
    /// Only tokio's driver counts time.
    #[cfg(feature = "tokio")]
    time: time::TimeAccount,
    /// Cancelled when nothing is left.
    exhausted: CancellationToken,
}

/// The usage that was counted, and the amounts that are held back.
#[derive(Default)]
struct Amounts {
    spent: Usage,
    reserved: Reserved,
    /// The members that have left and may continue, as they were then.
    departed: Vec<Departed>,
}

/// Money and tokens that are held back.
#[derive(Debug, Clone, Copy, Default)]
struct Reserved {
    cost: Usd,
    tokens: u64,
}

/// A member at the moment when it left. Its history ends like this if it continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Departed {
    events: u64,
    now: RunTime,
    usage: Usage,
}

impl Departed {
    fn of(progress: &Progress) -> Self {
        Self { events: progress.sequence, now: progress.now(), usage: *progress.usage() }
    }
}

impl SharedBudget {
    /// Creates a budget with these limits, of which nothing is used up. Use [`Ceiling::min`] to limit several
    /// dimensions.
    pub fn new(limit: Ceiling) -> Self {
        let budget = Self(Arc::new(Shared {
            limit,
            amounts: Mutex::default(),
            #[cfg(feature = "tokio")]
            time: time::TimeAccount::new(limit.time),
            exhausted: CancellationToken::new(),
        }));
        if limit.is_exhausted() {
            budget.0.exhausted.cancel();
        }
        budget
    }

    /// Returns the limits.
    pub fn limit(&self) -> Ceiling {
        self.0.limit
    }

    /// Returns the usage that was counted so far.
    pub fn spent(&self) -> Usage {
        self.amounts().spent
    }

    /// Returns what is neither spent nor reserved.
    pub fn left(&self) -> Ceiling {
        #[cfg(feature = "tokio")]
        let time = self.0.time.left();
        #[cfg(not(feature = "tokio"))]
        let time = self.0.limit.time;
        Ceiling { time, ..self.left_of(&self.amounts()) }
    }

    /// Returns whether the budget limits time, which only tokio's driver counts.
    pub(crate) fn has_time_limit(&self) -> bool {
        self.0.limit.time.is_some()
    }

    /// Returns whether nothing is left in at least one dimension. Reservations are not spent yet, so they do not count.
    pub fn is_exhausted(&self) -> bool {
        self.0.exhausted.is_cancelled()
    }

    fn amounts(&self) -> MutexGuard<'_, Amounts> {
        // Nothing that panics runs under this lock.
        self.0.amounts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the money and the tokens that are left.
    fn left_of(&self, amounts: &Amounts) -> Ceiling {
        let Amounts { spent, reserved, .. } = amounts;
        let Ceiling { cost, tokens, .. } = self.0.limit.after(spent);
        Ceiling {
            time: None,
            cost: cost.map(|left| left.saturating_sub(reserved.cost)),
            tokens: tokens.map(|left| left.saturating_sub(reserved.tokens)),
        }
    }

    /// Returns the money and the tokens that are left.
    pub(crate) fn left_to_spend(&self) -> Ceiling {
        self.left_of(&self.amounts())
    }

    /// Counts usage, and wakes all members if nothing is left.
    pub(crate) fn count(&self, usage: Usage) {
        let mut amounts = self.amounts();
        amounts.spent += usage;
        let Ceiling { cost, tokens, .. } = self.0.limit.after(&amounts.spent);
        // Waking runs code of executors, which may ask for the amounts.
        drop(amounts);
        if (Ceiling { time: None, cost, tokens }).is_exhausted() && !self.is_exhausted() {
            self.0.exhausted.cancel();
        }
    }

    /// Counts the history of a run that becomes a member, unless it is a member that had left.
    pub(crate) fn join(&self, progress: &Progress) {
        let returning = Departed::of(progress);
        if returning.events == 0 {
            return;
        }
        let mut amounts = self.amounts();
        if let Some(known) = amounts.departed.iter().position(|departed| *departed == returning) {
            amounts.departed.swap_remove(known);
            return;
        }
        drop(amounts);
        if !returning.usage.is_unknown() {
            self.count(returning.usage);
        }
        #[cfg(feature = "tokio")]
        if self.0.time.add(progress.elapsed()) {
            self.0.exhausted.cancel();
        }
    }

    /// Notes the state in which a member leaves.
    pub(crate) fn leave(&self, progress: &Progress) {
        let departed = Departed::of(progress);
        // Without a history, there is nothing to count twice.
        if departed.events > 0 {
            self.amounts().departed.push(departed);
        }
    }

    /// Returns the token that is cancelled when nothing is left.
    pub(crate) fn exhausted(&self) -> &CancellationToken {
        &self.0.exhausted
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the halt of members whose budget is used up.
    pub(crate) fn halt(&self) -> Halt {
        let Self(shared) = self;
        let spent = self.spent();
        let left = shared.limit.after(&spent);
        let message = match shared.limit {
            Ceiling { cost: Some(limit), .. } if left.cost == Some(Usd::ZERO) => {
                let spent = spent.cost.map_or(Usd::ZERO, |cost| cost.usd);
                format!("the loops that share a budget of {limit} have spent {spent}")
            }
            Ceiling { tokens: Some(limit), .. } if left.tokens == Some(0) => {
                let spent = spent.tokens().unwrap_or(0);
                format!("the loops that share a budget of {limit} tokens have used {spent}")
            }
            Ceiling { time: Some(limit), .. } => {
                format!("the loops that share a budget of {} have used it up", in_words(limit))
            }
            _ => "the loops that share a budget have used it up".to_owned(),
        };
        Halt::new(StopReason::SharedBudgetExceeded, message)
    }
}

impl fmt::Debug for SharedBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (limit, spent) = (self.limit(), self.spent());
        f.debug_struct("SharedBudget").field("limit", &limit).field("spent", &spent).finish_non_exhaustive()
    }
}
