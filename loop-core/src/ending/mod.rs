//! How a run ends.

use std::{convert::Infallible, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

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

            /// Whether a halt for this reason is [blockable](Halt::blockable) unless it says
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

/// A reason to end the run before its goal is met, with a sentence for the person who reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Halt {
    /// The reason.
    pub reason: StopReason,
    /// Whether a person must look before the loop runs again: going on alone would repeat or worsen it.
    pub blockable: bool,
    /// A sentence that says what happened. May be empty.
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

/// The way in which a run ended.
///
/// Only a stop condition that holds makes a run end with [`GoalMet`](Self::GoalMet). Agents, evaluators and guardrails
/// can end a run with a [`Halt`], and no halt is a success, whatever its reason is called.
///
/// As JSON it is `{"halt":{"reason":"goal_met","blockable":false,"message":""}}`, with the reason of the halt in the place
/// of `goal_met`, and the name of the guardrail beside it, as `"guardrail"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
#[non_exhaustive]
pub enum Ending {
    /// The stop condition held.
    GoalMet {
        /// The conditions that decided, for people. May be empty.
        by: String,
    },
    /// The run stopped before that.
    Halted {
        /// The reason, in words, and whether a person must look first.
        halt: Halt,
        /// The guardrail that ended the run, if one did.
        guardrail: Option<String>,
    },
}

impl Ending {
    /// The [name](Self::name) of a met goal.
    pub const GOAL_MET: &str = "goal_met";

    /// The ending of a run that met its goal.
    pub fn goal_met(by: impl Into<String>) -> Self {
        Self::GoalMet { by: by.into() }
    }

    /// An ending that no guardrail called for.
    pub const fn halted(halt: Halt) -> Self {
        Self::Halted { halt, guardrail: None }
    }

    /// An ending that a guardrail of this name called for.
    pub fn halted_by(guardrail: impl Into<String>, halt: Halt) -> Self {
        Self::Halted { halt, guardrail: Some(guardrail.into()) }
    }

    /// The ending of a run that somebody cancelled.
    pub(crate) fn cancelled() -> Self {
        Self::halted(Halt::new(StopReason::Cancelled, ""))
    }

    /// Whether the goal was met.
    pub const fn is_success(&self) -> bool {
        matches!(self, Self::GoalMet { .. })
    }

    /// The reason why the run stopped before its goal was met. `None` if it was met.
    pub fn reason(&self) -> Option<&StopReason> {
        self.halt().map(|halt| &halt.reason)
    }

    /// The name of the ending in snake case: `goal_met`, or that of the [reason](StopReason).
    ///
    /// ```
    /// use loop_core::{Ending, Halt, StopReason};
    /// assert_eq!(Ending::goal_met("").name(), "goal_met");
    /// assert_eq!(Ending::halted(Halt::new(StopReason::Cancelled, "")).name(), "cancelled");
    /// ```
    pub fn name(&self) -> &str {
        self.reason().map_or(Self::GOAL_MET, StopReason::as_str)
    }

    /// A sentence that says what happened. May be empty.
    pub fn message(&self) -> &str {
        match self {
            Self::GoalMet { by } => by,
            Self::Halted { halt, .. } => &halt.message,
        }
    }

    /// The same, to be changed.
    pub const fn message_mut(&mut self) -> &mut String {
        match self {
            Self::GoalMet { by } => by,
            Self::Halted { halt, .. } => &mut halt.message,
        }
    }

    /// The halt. `None` if the goal was met.
    pub const fn halt(&self) -> Option<&Halt> {
        match self {
            Self::GoalMet { .. } => None,
            Self::Halted { halt, .. } => Some(halt),
        }
    }

    /// The guardrail that ended the run, if one did.
    pub fn guardrail(&self) -> Option<&str> {
        match self {
            Self::GoalMet { .. } => None,
            Self::Halted { guardrail, .. } => guardrail.as_deref(),
        }
    }

    /// Whether a person must look before the loop runs again.
    pub fn is_blockable(&self) -> bool {
        self.halt().is_some_and(|halt| halt.blockable)
    }
}

/// Its name and its message, as of a [`Halt`].
impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.message() {
            "" => f.write_str(self.name()),
            message => write!(f, "{}: {message}", self.name()),
        }
    }
}

/// An ending in JSON.
#[derive(Serialize, Deserialize)]
struct Written {
    halt: WrittenHalt,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    guardrail: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct WrittenHalt {
    reason: String,
    blockable: bool,
    #[serde(default)]
    message: String,
}

impl From<Ending> for Written {
    fn from(ending: Ending) -> Self {
        let (reason, blockable) = (ending.name().to_owned(), ending.is_blockable());
        match ending {
            Ending::GoalMet { by: message } => {
                Self { halt: WrittenHalt { reason, blockable, message }, guardrail: None }
            }
            Ending::Halted { halt, guardrail } => {
                Self { halt: WrittenHalt { reason, blockable, message: halt.message }, guardrail }
            }
        }
    }
}

impl From<Written> for Ending {
    fn from(Written { halt: WrittenHalt { reason, blockable, message }, guardrail }: Written) -> Self {
        // A guardrail cannot meet a goal: older versions let one write so.
        match reason == Self::GOAL_MET && guardrail.is_none() {
            true => Self::GoalMet { by: message },
            false => Self::Halted { halt: Halt { reason: reason.into(), blockable, message }, guardrail },
        }
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
    fn a_person_must_look_at_what_a_loop_alone_would_repeat() {
        let blockable = |name: &str| StopReason::from(name.to_owned()).is_blockable();
        for name in ["max_iterations", "time_exceeded", "budget_exceeded", "hitl_checkpoint"] {
            assert!(blockable(name), "{name}");
        }
        assert!(!blockable("declined") && !blockable("cancelled") && !blockable("of_my_own"));
        assert!(!Ending::goal_met("").is_blockable());
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

    #[test]
    fn no_halt_is_a_success() {
        let goal_met = StopReason::from("goal_met".to_owned());
        let forged = Ending::halted(Halt::new(goal_met, "I am done"));
        assert!(!forged.is_success());
        let json = serde_json::to_string(&forged).unwrap();
        assert_eq!(serde_json::from_str::<Ending>(&json).unwrap(), forged);
        let by_guardrail =
            r#"{"halt":{"reason":"goal_met","blockable":false,"message":""},"guardrail":"mine"}"#;
        assert!(!serde_json::from_str::<Ending>(by_guardrail).unwrap().is_success());
    }

    #[test]
    fn a_halt_is_said_as_its_reason_and_what_happened() {
        let spent = Halt::new(StopReason::BudgetExceeded, "$2.00 of $2.00 are spent");
        assert_eq!(spent.to_string(), "budget_exceeded: $2.00 of $2.00 are spent");
        assert_eq!(Ending::halted(spent).to_string(), "budget_exceeded: $2.00 of $2.00 are spent");
        assert_eq!(Halt::new(StopReason::custom("of_my_own"), "").to_string(), "of_my_own");
        assert_eq!(format!("{:>10}|", StopReason::Declined), "  declined|");
    }

    #[test]
    fn an_ending_survives_json() {
        let json = r#"{"halt":{"reason":"goal_met","blockable":false,"message":""}}"#;
        let ending = serde_json::from_str::<Ending>(json).unwrap();
        assert_eq!(ending, Ending::goal_met(""));
        assert_eq!(serde_json::to_string(&ending).unwrap(), json);
        for name in ["prompt_undeliverable", "of_my_own"] {
            let ending = Ending::halted_by("mine", Halt::new(name.to_owned().into(), "so"));
            let json = serde_json::to_string(&ending).unwrap();
            assert_eq!(serde_json::from_str::<Ending>(&json).unwrap(), ending);
        }
    }
}
