//! The budgets that a run shares with others.

use std::mem;

use crate::{Progress, SharedBudget, work::WorkHandle};

/// The budgets that a run shares with others.
#[derive(Debug)]
pub(crate) struct Shares {
    /// Those of which the run is a member.
    pub(crate) own: Vec<SharedBudget>,
    /// Those of the runs around it.
    inherited: Vec<SharedBudget>,
    has_joined: bool,
}

impl Shares {
    /// Returns the shares of a run with these budgets within this work. A budget that a run around it shares already
    /// is not counted twice.
    pub(crate) fn new(mut budgets: Vec<SharedBudget>, outer: Option<&WorkHandle>) -> Self {
        let inherited: Vec<SharedBudget> =
            outer.map_or_else(Vec::new, |outer| outer.budgets().cloned().collect());
        budgets.retain(|budget| !inherited.iter().any(|known| known.is_same(budget)));
        Self { own: budgets, inherited, has_joined: false }
    }

    /// Returns all budgets that can end the run.
    pub(crate) fn all(&self) -> impl Iterator<Item = &SharedBudget> {
        self.own.iter().chain(&self.inherited)
    }

    /// Counts the history of the run.
    pub(crate) fn join(&mut self, progress: &Progress) {
        self.has_joined = true;
        self.own.iter().for_each(|budget| budget.join(progress));
    }

    /// Notes where the history of the run ends.
    pub(crate) fn leave(&mut self, progress: &Progress) {
        if mem::take(&mut self.has_joined) {
            self.own.iter().for_each(|budget| budget.leave(progress));
        }
    }
}
