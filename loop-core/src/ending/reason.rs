//! Why a run stopped before its goal was met.

use std::{convert::Infallible, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::Ending;

/// Declares [`StopReason`] with the text and the default of each reason in one place.
macro_rules! stop_reasons {
    ($($(#[$doc:meta])* $variant:ident = $text:literal, blockable: $blockable:literal;)*) => {
        /// The reason why a run stopped before its goal was met. A met goal is no such reason: see [`Ending`].
        ///
        /// As text (and in JSON) a reason is its name in snake case. Guardrails and agents of your own have
        /// [`custom`](Self::custom) reasons.
        ///
        /// ```
        /// use loop_core::StopReason;
        /// assert_eq!(StopReason::BudgetExceeded.to_string(), "budget_exceeded");
        /// assert_eq!("budget_exceeded".parse(), Ok(StopReason::BudgetExceeded));
        /// assert_eq!(StopReason::custom("diverged").as_str(), "diverged");
        /// ```
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(into = "String", from = "String")]
        #[non_exhaustive]
        pub enum StopReason {
            $($(#[$doc])* $variant,)*
            /// A reason of the user's own. Made by [`StopReason::custom`].
            Custom(CustomReason),
        }

        impl StopReason {
            /// The names that custom reasons cannot have.
            const RESERVED: &[&str] = &[Ending::GOAL_MET, $($text,)*];

            /// The reason's name in snake case.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Custom(reason) => &reason.0,
                }
            }

            /// Whether a halt for this reason is [blockable](crate::Halt::blockable) unless it says
            /// otherwise. Custom reasons are not.
            pub const fn is_blockable(&self) -> bool {
                match self {
                    $(Self::$variant => $blockable,)*
                    Self::Custom(_) => false,
                }
            }
        }

        impl From<&str> for Parsed {
            fn from(name: &str) -> Self {
                Self(match name {
                    $($text => StopReason::$variant,)*
                    other => StopReason::custom(other),
                })
            }
        }
    };
}

stop_reasons! {
    /// As many iterations as allowed were used up.
    MaxIterations = "max_iterations", blockable: true;
    /// The money is spent.
    BudgetExceeded = "budget_exceeded", blockable: true;
    /// The tokens are spent.
    TokensExceeded = "tokens_exceeded", blockable: true;
    /// What a limit counts was not reported.
    Unmetered = "unmetered", blockable: true;
    /// The time is over.
    TimeExceeded = "time_exceeded", blockable: true;
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

/// The name of a reason that is none of the kernel's. Only [`StopReason::custom`] makes one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CustomReason(Box<str>);

/// A reason that was read.
struct Parsed(StopReason);

impl StopReason {
    /// A reason of your own, with a name in snake case. It is never one of the kernel's, and is not printed as one: a
    /// name whose first word the kernel has already, `goal_met` among them, gets `custom_` before it.
    ///
    /// ```
    /// use loop_core::StopReason;
    /// assert_eq!(StopReason::custom("goal_met").as_str(), "custom_goal_met");
    /// ```
    pub fn custom(name: impl Into<String>) -> Self {
        let name = name.into();
        let mut words = name.split(|char: char| !char.is_alphanumeric() && char != '_');
        let first = words.find(|word| !word.is_empty()).unwrap_or_default();
        let name = if Self::RESERVED.contains(&first) { format!("custom_{name}") } else { name };
        Self::Custom(CustomReason(name.into()))
    }
}

impl From<String> for StopReason {
    /// Reads a name. One that the kernel does not have is a [`custom`](Self::custom) reason.
    fn from(name: String) -> Self {
        Parsed::from(name.as_str()).0
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
        Ok(Parsed::from(name).0)
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_reason() {
        let spent = StopReason::from(String::from("budget_exceeded"));
        assert!(matches!(spent, StopReason::BudgetExceeded) && spent.is_blockable());
        assert!(matches!(StopReason::custom("of_my_own"), StopReason::Custom(_)));
        assert_ne!(StopReason::custom("of_my_own"), StopReason::custom("of_another"));
    }

    #[test]
    fn no_custom_reason_has_a_name_of_the_kernels() {
        for name in StopReason::RESERVED {
            let custom = StopReason::custom(*name);
            assert!(matches!(custom, StopReason::Custom(_)) && !custom.is_blockable());
            assert_eq!(custom.as_str(), format!("custom_{name}"));
            assert_eq!(custom.as_str().parse(), Ok(custom));
        }
    }
}
