//! The endings of a run.

mod halt;
mod reason;
mod stored;

use std::fmt;

use serde::{Deserialize, Serialize};

use self::stored::StoredEnding;
pub use self::{
    halt::Halt,
    reason::{CustomReason, StopReason},
};

/// The ending of a run.
///
/// A run ends with [`GoalMet`](Self::GoalMet) only if a stop condition holds. Agents, evaluators and guardrails can end
/// a run with a [`Halt`]. A halt is never a success, whatever its reason is called.
///
/// As JSON it is `{"halt":{"reason":"goal_met","blockable":false,"message":""}}`. A halted run has the halt's reason in
/// place of `goal_met`, and the name of the guardrail beside it, as `"guardrail"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredEnding", into = "StoredEnding")]
#[non_exhaustive]
pub enum Ending {
    /// The stop condition held.
    GoalMet {
        /// The conditions that decided, for people. May be empty.
        by: String,
    },
    /// The run stopped before that.
    Halted {
        /// The reason, with a sentence, and whether a person must look first.
        halt: Halt,
        /// The guardrail that ended the run, if one did.
        guardrail: Option<String>,
    },
}

impl Ending {
    /// The [name](Self::name) of a met goal.
    pub const GOAL_MET: &str = "goal_met";

    /// Creates the ending of a run that met its goal.
    pub fn goal_met(by: impl Into<String>) -> Self {
        Self::GoalMet { by: by.into() }
    }

    /// Creates an ending without a guardrail.
    pub const fn halted(halt: Halt) -> Self {
        Self::Halted { halt, guardrail: None }
    }

    /// Creates an ending that the guardrail with this name caused.
    pub fn halted_by(guardrail: impl Into<String>, halt: Halt) -> Self {
        Self::Halted { halt, guardrail: Some(guardrail.into()) }
    }

    /// Creates the ending of a cancelled run.
    pub(crate) fn cancelled() -> Self {
        Self::halted(Halt::new(StopReason::Cancelled, ""))
    }

    /// Returns whether the goal was met.
    pub const fn is_success(&self) -> bool {
        matches!(self, Self::GoalMet { .. })
    }

    /// Returns the reason why the run stopped before its goal was met; `None` if the goal was met.
    pub fn reason(&self) -> Option<&StopReason> {
        self.halt().map(|halt| &halt.reason)
    }

    /// Returns the name of the ending in snake case: `goal_met`, or the [reason](StopReason)'s name.
    ///
    /// ```
    /// use loop_core::{Ending, Halt, StopReason};
    /// assert_eq!(Ending::goal_met("").name(), "goal_met");
    /// assert_eq!(Ending::halted(Halt::new(StopReason::Cancelled, "")).name(), "cancelled");
    /// ```
    pub fn name(&self) -> &str {
        self.reason().map_or(Self::GOAL_MET, StopReason::as_str)
    }

    /// Returns a sentence that describes what happened. May be empty.
    pub fn message(&self) -> &str {
        match self {
            Self::GoalMet { by } => by,
            Self::Halted { halt, .. } => &halt.message,
        }
    }

    /// Returns the message for changing it.
    pub const fn message_mut(&mut self) -> &mut String {
        match self {
            Self::GoalMet { by } => by,
            Self::Halted { halt, .. } => &mut halt.message,
        }
    }

    /// Returns the halt; `None` if the goal was met.
    pub const fn halt(&self) -> Option<&Halt> {
        match self {
            Self::GoalMet { .. } => None,
            Self::Halted { halt, .. } => Some(halt),
        }
    }

    /// Returns the guardrail that ended the run, if one did.
    pub fn guardrail(&self) -> Option<&str> {
        match self {
            Self::GoalMet { .. } => None,
            Self::Halted { guardrail, .. } => guardrail.as_deref(),
        }
    }

    /// Returns whether a person must look before the loop runs again.
    pub fn is_blockable(&self) -> bool {
        self.halt().is_some_and(|halt| halt.blockable)
    }
}

/// Formats its name and its message, like a [`Halt`].
impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.message() {
            "" => f.write_str(self.name()),
            message => write!(f, "{}: {message}", self.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_that_a_new_run_would_repeat_needs_a_person() {
        let blockable = |name: &str| StopReason::from(name.to_owned()).is_blockable();
        for name in ["max_iterations", "time_exceeded", "budget_exceeded", "hitl_checkpoint"] {
            assert!(blockable(name), "{name}");
        }
        assert!(!blockable("declined") && !blockable("cancelled") && !blockable("of_my_own"));
        assert!(!Ending::goal_met("").is_blockable());
    }

    #[test]
    fn a_halt_is_shown_as_its_reason_and_its_message() {
        let spent = Halt::new(StopReason::BudgetExceeded, "$2.00 of $2.00 are spent");
        assert_eq!(spent.to_string(), "budget_exceeded: $2.00 of $2.00 are spent");
        assert_eq!(Ending::halted(spent).to_string(), "budget_exceeded: $2.00 of $2.00 are spent");
        assert_eq!(Halt::new(StopReason::custom("of_my_own"), "").to_string(), "of_my_own");
        assert_eq!(format!("{:>10}|", StopReason::Declined), "  declined|");
    }
}
