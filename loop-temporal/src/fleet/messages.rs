//! The messages between runs and their budget. Amounts are in billionths of a dollar.

use serde::{Deserialize, Serialize};

use super::Ledger;

/// The part of a run in a budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetShare {
    /// The id of the budget's workflow.
    pub fleet: String,
    /// The amount that an iteration reserves. It reserves more after one that needed more.
    pub reserve: u64,
}

/// A step with an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetStep {
    /// The number of the event with which the step began. It grows from step to step of a run.
    pub step: u64,
    /// The amount that the step wants to reserve, or has spent.
    pub amount: u64,
}

/// The signal of a run to its budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetNote {
    /// The id of the run.
    pub run: String,
    /// The step that is over, and what it spent.
    pub spent: Option<FleetStep>,
    /// The step that begins, and what it wants.
    pub wants: Option<FleetStep>,
    /// Whether the run is over.
    pub leaves: bool,
}

/// The signal of a budget to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetGrant {
    /// The step.
    pub step: u64,
    /// The reserved amount; `None` if the budget is used up.
    pub amount: Option<u64>,
}

/// The state of a budget: the input of its workflow, and the answer to a query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetState {
    /// The number of runs that have not left.
    pub runs: u64,
    /// The amounts.
    pub ledger: Ledger,
    /// The number of events after which the history begins anew.
    pub longest_history: u32,
}
