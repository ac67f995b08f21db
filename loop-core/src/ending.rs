//! How a run ends.

use std::{convert::Infallible, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// Declares [`StopReason`] with the text and the default of each reason in one place.
macro_rules! stop_reasons {
    ($($(#[$doc:meta])* $variant:ident = $text:literal, blockable: $blockable:literal;)*) => {
        /// Why a run stopped.
        ///
        /// As text (and in JSON) a reason is its name in snake case; any other text is a
        /// [`Custom`](Self::Custom) reason, for guardrails and agents of your own.
        ///
        /// ```
        /// use loop_core::StopReason;
        /// assert_eq!(StopReason::GoalMet.to_string(), "goal_met");
        /// assert_eq!(StopReason::from("budget_exceeded"), StopReason::BudgetExceeded);
        /// assert_eq!(StopReason::from("my_reason").as_str(), "my_reason");
        /// ```
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(into = "String", from = "String")]
        #[non_exhaustive]
        pub enum StopReason {
            $($(#[$doc])* $variant,)*
            /// A name of the user's own.
            Custom(CustomReason),
        }

        impl StopReason {
            /// The reason's name in snake case.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Custom(reason) => &reason.0,
                }
            }

            /// Whether a halt for this reason is [blockable](Halt::blockable) unless it says
            /// otherwise. Custom reasons are not.
            pub const fn is_blockable(&self) -> bool {
                match self {
                    $(Self::$variant => $blockable,)*
                    Self::Custom(_) => false,
                }
            }
        }

        impl From<&str> for StopReason {
            fn from(name: &str) -> Self {
                match name {
                    $($text => Self::$variant,)*
                    other => Self::Custom(CustomReason(other.into())),
                }
            }
        }
    };
}

stop_reasons! {
    /// The stop condition holds.
    GoalMet = "goal_met", blockable: false;
    /// As many iterations as allowed were used up.
    MaxIterations = "max_iterations", blockable: false;
    /// The money is spent.
    BudgetExceeded = "budget_exceeded", blockable: true;
    /// The tokens are spent.
    TokensExceeded = "tokens_exceeded", blockable: true;
    /// What a limit counts was not reported.
    Unmetered = "unmetered", blockable: true;
    /// The time is over.
    TimeExceeded = "time_exceeded", blockable: false;
    /// A person had to be asked, and nobody was there.
    HitlCheckpoint = "hitl_checkpoint", blockable: true;
    /// A person was asked, and said no.
    Declined = "declined", blockable: false;
    /// Nothing changes any more.
    Stagnated = "stagnated", blockable: true;
    /// Too many steps in a row failed.
    ConsecutiveFailures = "consecutive_failures", blockable: true;
    /// The agent could not be started.
    AgentUnavailable = "agent_unavailable", blockable: true;
    /// The evaluator could not be started.
    EvaluatorUnavailable = "evaluator_unavailable", blockable: true;
    /// The prompt could not be handed to the agent.
    PromptUndeliverable = "prompt_undeliverable", blockable: true;
    /// One iteration was begun too often without coming to its end.
    AttemptsExhausted = "attempts_exhausted", blockable: true;
    /// A file that the agent must not change was changed.
    ProtectedPathChanged = "protected_path_changed", blockable: true;
    /// Somebody cancelled the run.
    Cancelled = "cancelled", blockable: false;
    /// Something else went wrong.
    Failed = "failed", blockable: true;
}

/// The name of a reason that is none of the kernel's. Only [`StopReason::from`] makes one, so that no
/// custom reason has the name of another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CustomReason(Box<str>);

impl From<String> for StopReason {
    fn from(name: String) -> Self {
        Self::from(name.as_str())
    }
}

impl From<StopReason> for String {
    fn from(reason: StopReason) -> Self {
        reason.as_str().to_owned()
    }
}

impl FromStr for StopReason {
    type Err = Infallible;
    fn from_str(name: &str) -> Result<Self, Infallible> {
        Ok(Self::from(name))
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A reason to end the run, with a sentence for the person who reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Halt {
    /// Why.
    pub reason: StopReason,
    /// Whether a person must look before the loop runs again: going on alone would repeat or worsen it.
    pub blockable: bool,
    /// What happened, for people. May be empty.
    #[serde(default)]
    pub message: String,
}

impl Halt {
    /// A halt that is blockable if its reason is.
    pub fn new(reason: StopReason, message: impl Into<String>) -> Self {
        Self { blockable: reason.is_blockable(), reason, message: message.into() }
    }

    /// Says whether a person must look before the loop runs again.
    #[must_use]
    pub fn blockable(mut self, blockable: bool) -> Self {
        self.blockable = blockable;
        self
    }
}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.message.as_str() {
            "" => self.reason.fmt(f),
            message => write!(f, "{}: {message}", self.reason),
        }
    }
}

/// How a run ended: the halt, and who called for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// Why, in words, and whether a person must look first.
    pub halt: Halt,
    /// The guardrail that ended the run, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guardrail: Option<String>,
}

impl Ending {
    /// An ending that no guardrail called for.
    pub(crate) fn plain(reason: StopReason) -> Self {
        Self { halt: Halt::new(reason, ""), guardrail: None }
    }

    /// Why the run stopped.
    pub const fn reason(&self) -> &StopReason {
        &self.halt.reason
    }

    /// Whether the goal was met.
    pub fn is_success(&self) -> bool {
        self.halt.reason == StopReason::GoalMet
    }

    /// Whether a person must look before the loop runs again.
    pub const fn is_blockable(&self) -> bool {
        self.halt.blockable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_reason() {
        let spent = StopReason::from(String::from("budget_exceeded"));
        assert!(matches!(spent, StopReason::BudgetExceeded) && spent.is_blockable());
        assert!(matches!(StopReason::from("of_my_own"), StopReason::Custom(_)));
        assert_ne!(StopReason::from("of_my_own"), StopReason::from("of_another"));
    }

    #[test]
    fn a_halt_is_said_as_its_reason_and_what_happened() {
        let spent = Halt::new(StopReason::BudgetExceeded, "$2.00 of $2.00 are spent");
        assert_eq!(spent.to_string(), "budget_exceeded: $2.00 of $2.00 are spent");
        assert_eq!(Halt::new(StopReason::from("of_my_own"), "").to_string(), "of_my_own");
        assert_eq!(format!("{:>10}|", StopReason::GoalMet), "  goal_met|");
    }

    #[test]
    fn a_reason_survives_json() {
        for name in ["goal_met", "prompt_undeliverable", "of_my_own"] {
            let reason = StopReason::from(name);
            let json = serde_json::to_string(&reason).unwrap();
            assert_eq!(json, format!("{name:?}"));
            assert_eq!(serde_json::from_str::<StopReason>(&json).unwrap(), reason);
        }
    }
}
