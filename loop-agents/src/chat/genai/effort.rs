//! The reasoning effort of a model.

use std::{fmt, str::FromStr};

use genai::chat::ReasoningEffort;

/// How hard a model should think before it answers, if its vendor supports that setting.
///
/// ```
/// use loop_agents::chat::Effort;
/// assert_eq!("high".parse(), Ok(Effort::High));
/// assert!("very".parse::<Effort>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Effort {
    /// The least that the vendor offers.
    Minimal,
    /// Low effort.
    Low,
    /// Medium effort.
    Medium,
    /// High effort.
    High,
}

/// A word that names no [`Effort`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a reasoning effort: write minimal, low, medium or high")]
pub struct UnknownEffort(String);

impl Effort {
    /// All efforts in ascending order.
    pub const ALL: [Self; 4] = [Self::Minimal, Self::Low, Self::Medium, Self::High];

    /// Returns the name, as users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// Converts it for a request. There is no `From`, because the public interface of this crate names no type of
    /// `genai`.
    pub(super) const fn asked(self) -> ReasoningEffort {
        match self {
            Self::Minimal => ReasoningEffort::Minimal,
            Self::Low => ReasoningEffort::Low,
            Self::Medium => ReasoningEffort::Medium,
            Self::High => ReasoningEffort::High,
        }
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Effort {
    type Err = UnknownEffort;

    fn from_str(text: &str) -> Result<Self, UnknownEffort> {
        Self::ALL
            .into_iter()
            .find(|effort| effort.name() == text)
            .ok_or_else(|| UnknownEffort(text.to_owned()))
    }
}
