//! Amounts that are held back for work that has begun.

use std::fmt;

use super::{Reserved, SharedBudget};
use crate::{Ceiling, Halt, Meter, StopReason, Usage, Usd};

impl SharedBudget {
    /// Holds back the cost and the tokens that some work will use, so that nothing else can reserve them. Dimensions
    /// that the estimate or the budget does not have are not reserved.
    ///
    /// For work outside of loops. In an iteration or an evaluation, use `cx.reserve`: then
    /// [`settle`](Reservation::settle) reports the usage of the work to its run as well.
    ///
    /// ```
    /// use loop_core::{Ceiling, SharedBudget, Usage};
    /// let budget = SharedBudget::new(Ceiling::tokens(1_000));
    /// let mut request = budget.reserve(Usage::unknown().with_tokens(600, 200))?;
    /// assert_eq!(budget.left().tokens, Some(200));
    /// assert!(budget.reserve(Usage::unknown().with_tokens(300, 0)).is_err());
    /// // The answer was shorter.
    /// request.settle(Usage::unknown().with_tokens(600, 50));
    /// drop(request);
    /// assert_eq!(budget.left().tokens, Some(350));
    /// # Ok::<(), loop_core::NotEnoughLeft>(())
    /// ```
    ///
    /// # Errors
    /// If less than that is left, or nothing at all is left. Nothing is reserved then.
    pub fn reserve(&self, estimate: Usage) -> Result<Reservation, NotEnoughLeft> {
        Reservation::of([self.clone()], None, estimate)
    }

    fn hold(&self, estimate: Usage) -> Result<(), NotEnoughLeft> {
        let wanted = Reserved::of(&estimate);
        let mut amounts = self.amounts();
        let left = self.left_of(&amounts);
        let has = |left: Option<u64>, wanted: u64| left.is_none_or(|left| left >= wanted);
        if self.is_exhausted()
            || !has(left.cost.map(Usd::as_nanos), wanted.cost.as_nanos())
            || !has(left.tokens, wanted.tokens)
        {
            return Err(NotEnoughLeft { wanted: estimate, left });
        }
        let held = &mut amounts.reserved;
        (held.cost, held.tokens) = (held.cost + wanted.cost, held.tokens.saturating_add(wanted.tokens));
        Ok(())
    }

    fn give_back(&self, returned: Reserved) {
        let held = &mut self.amounts().reserved;
        held.cost = held.cost.saturating_sub(returned.cost);
        held.tokens = held.tokens.saturating_sub(returned.tokens);
    }
}

impl Reserved {
    fn of(usage: &Usage) -> Self {
        Self { cost: usage.cost.map_or(Usd::ZERO, |cost| cost.usd), tokens: usage.tokens().unwrap_or(0) }
    }
}

/// An amount of a [`SharedBudget`] that is held back for some work. Dropping it gives back what the work has not used.
#[must_use = "dropping it gives back what is reserved"]
pub struct Reservation {
    budgets: Vec<SharedBudget>,
    /// Where the work reports its usage, if it is a part of a run.
    meter: Option<Meter>,
    held: Reserved,
}

impl Reservation {
    /// Reserves the estimate in each of the budgets, or in none of them.
    pub(crate) fn of(
        budgets: impl IntoIterator<Item = SharedBudget>,
        meter: Option<Meter>,
        estimate: Usage,
    ) -> Result<Self, NotEnoughLeft> {
        let held = Reserved::of(&estimate);
        // Dropped if one of the budgets has too little left, which gives back what the others have reserved.
        let mut reservation = Self { budgets: Vec::new(), meter, held };
        for budget in budgets {
            budget.hold(estimate)?;
            reservation.budgets.push(budget);
        }
        Ok(reservation)
    }

    /// Counts usage of the work, and reduces the reservation by it. You can call this several times. Usage beyond the
    /// reservation counts too.
    ///
    /// If the reservation is a context's, this reports the usage to the run: do not report it to the meter as well.
    pub fn settle(&mut self, usage: Usage) {
        // Count first: nobody else may reserve the amount in between.
        match &self.meter {
            Some(meter) => meter.add(usage),
            None => self.budgets.iter().for_each(|budget| budget.count(usage)),
        }
        let used = Reserved::of(&usage);
        let returned =
            Reserved { cost: self.held.cost.min(used.cost), tokens: self.held.tokens.min(used.tokens) };
        self.give_back(returned);
    }

    fn give_back(&mut self, returned: Reserved) {
        self.held.cost = self.held.cost.saturating_sub(returned.cost);
        self.held.tokens = self.held.tokens.saturating_sub(returned.tokens);
        self.budgets.iter().for_each(|budget| budget.give_back(returned));
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.give_back(self.held);
    }
}

impl fmt::Debug for Reservation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reservation").field("held", &self.held).finish_non_exhaustive()
    }
}

/// The error for a reservation of more than a [`SharedBudget`] has left.
///
/// As an error, it fails the step. To end the run instead, convert it into a [`Halt`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the shared budget has {} left, and the work needs {}: begin it after other work has ended, or raise the budget", Amount::left(.left), Amount::of(.wanted))]
pub struct NotEnoughLeft {
    wanted: Usage,
    left: Ceiling,
}

impl NotEnoughLeft {
    /// Returns what was left, without what was reserved before.
    pub const fn left(&self) -> Ceiling {
        self.left
    }
}

impl From<NotEnoughLeft> for Halt {
    fn from(error: NotEnoughLeft) -> Self {
        Self::new(StopReason::SharedBudgetExceeded, error.to_string())
    }
}

/// Money and tokens as text.
struct Amount {
    cost: Option<Usd>,
    tokens: Option<u64>,
}

impl Amount {
    const fn left(left: &Ceiling) -> Self {
        Self { cost: left.cost, tokens: left.tokens }
    }

    fn of(usage: &Usage) -> Self {
        Self { cost: usage.cost.map(|cost| cost.usd), tokens: usage.tokens() }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.cost, self.tokens) {
            (Some(cost), Some(tokens)) => write!(f, "{cost} and {tokens} tokens"),
            (Some(cost), None) => cost.fmt(f),
            (None, Some(tokens)) => write!(f, "{tokens} tokens"),
            (None, None) => f.write_str("nothing"),
        }
    }
}
