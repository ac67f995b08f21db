//! The reasons why a run stops before its goal is met.

use std::{convert::Infallible, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::Ending;

/// Declares [`StopReason`], with the text and the default of each reason in one place.
macro_rules! stop_reasons {
    ($($(#[$doc:meta])* $variant:ident = $text:literal, blockable: $blockable:literal;)*) => {
        /// The reason why a run stopped before its goal was met. A met goal is not such a reason: see [`Ending`].
        ///
        /// As text and in JSON, a reason is its name in snake case. Your own guardrails and agents have
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
            /// Your own reason, created by [`StopReason::custom`].
            Custom(CustomReason),
        }

        impl StopReason {
            /// The names that custom reasons cannot have.
            const RESERVED: &[&str] = &[Ending::GOAL_MET, $($text,)*];

            /// Returns the reason's name in snake case.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Custom(reason) => &reason.0,
                }
            }

            /// Returns whether a halt for this reason is [blockable](crate::Halt::blockable) by default. Custom reasons
            /// are not.
            pub const fn is_blockable(&self) -> bool {
                match self {
                    $(Self::$variant => $blockable,)*
                    Self::Custom(_) => false,
                }
            }
        }

        impl From<&str> for ParsedReason {
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
    /// The allowed number of iterations is used up.
    MaxIterations = "max_iterations", blockable: true;
    /// The cost limit is reached.
    BudgetExceeded = "budget_exceeded", blockable: true;
    /// The token limit is reached.
    TokensExceeded = "tokens_exceeded", blockable: true;
    /// The budget that this loop shares with others is used up.
    SharedBudgetExceeded = "shared_budget_exceeded", blockable: true;
    /// Usage that a limit counts was not reported.
    Unmetered = "unmetered", blockable: true;
    /// The time limit is reached.
    TimeExceeded = "time_exceeded", blockable: true;
    /// A person had to answer a question, and nobody was there.
    HitlCheckpoint = "hitl_checkpoint", blockable: true;
    /// A person answered no.
    Declined = "declined", blockable: false;
    /// The work no longer changes anything.
    Stagnated = "stagnated", blockable: true;
    /// Too many steps in a row failed.
    ConsecutiveFailures = "consecutive_failures", blockable: true;
    /// The agent could not be started.
    AgentUnavailable = "agent_unavailable", blockable: true;
    /// The evaluator could not be started.
    EvaluatorUnavailable = "evaluator_unavailable", blockable: true;
    /// The agent could not receive its prompt.
    PromptUndeliverable = "prompt_undeliverable", blockable: true;
    /// One iteration began too often without an end.
    AttemptsExhausted = "attempts_exhausted", blockable: true;
    /// A file changed that the agent must not change.
    ProtectedPathChanged = "protected_path_changed", blockable: true;
    /// Somebody cancelled the run.
    Cancelled = "cancelled", blockable: false;
    /// Something else went wrong.
    Failed = "failed", blockable: true;
}

/// The name of a custom reason. Only [`StopReason::custom`] creates one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CustomReason(Box<str>);

/// A reason that was read from text.
struct ParsedReason(StopReason);

impl StopReason {
    /// Creates your own reason, with a name in snake case. It never equals or prints like a built-in reason: if
    /// the name's first word is a built-in name, such as `goal_met`, it gets the prefix `custom_`.
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
    /// Parses a name. A name that is not built in becomes a [`custom`](Self::custom) reason.
    fn from(name: String) -> Self {
        ParsedReason::from(name.as_str()).0
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
        Ok(ParsedReason::from(name).0)
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
    fn no_custom_reason_has_a_built_in_name() {
        for name in StopReason::RESERVED {
            let custom = StopReason::custom(*name);
            assert!(matches!(custom, StopReason::Custom(_)) && !custom.is_blockable());
            assert_eq!(custom.as_str(), format!("custom_{name}"));
            assert_eq!(custom.as_str().parse(), Ok(custom));
        }
    }
}
