//! How hard a model is to think.

use std::{fmt, str::FromStr};

use genai::chat::ReasoningEffort;

/// How hard a model is to think before it answers, where its vendor lets one say so.
///
/// ```
/// use loop_agents::chat::Effort;
/// assert_eq!("high".parse(), Ok(Effort::High));
/// assert!("very".parse::<Effort>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Effort {
    /// As little as there is.
    Minimal,
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

/// A word that is no [`Effort`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no effort: write minimal, low, medium or high")]
pub struct UnknownEffort(String);

impl Effort {
    /// All of them, the least first.
    pub const ALL: [Self; 4] = [Self::Minimal, Self::Low, Self::Medium, Self::High];

    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// As the request says it. No `From`: the interface of this crate names no type of genai.
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
