//! Which changes of files a person is shown before tools make them.

use std::{fmt, str::FromStr};

/// Which changes of files a person is shown, and asked about, before tools make them. This matters only while a person
/// waits: [`Ruling::needs_approval`](super::Ruling::needs_approval) is about files that always need a yes.
///
/// # Default
/// [`Ask`](Self::Ask).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WriteApproval {
    /// None.
    Never,
    /// The first one of a session. A yes holds for the rest of it.
    Session,
    /// Every one, until the person allows them for the session.
    #[default]
    Ask,
}

impl WriteApproval {
    /// All values, the strictest first.
    pub const ALL: [Self; 3] = [Self::Ask, Self::Session, Self::Never];

    /// Returns the word for it in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Session => "session",
            Self::Ask => "ask",
        }
    }
}

impl fmt::Display for WriteApproval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that is not a [`WriteApproval`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` does not say when to ask about writes: write ask, session or never")]
pub struct UnknownWriteApproval(pub String);

impl FromStr for WriteApproval {
    type Err = UnknownWriteApproval;

    fn from_str(text: &str) -> Result<Self, UnknownWriteApproval> {
        let found = Self::ALL.into_iter().find(|value| value.as_str() == text);
        found.ok_or_else(|| UnknownWriteApproval(text.to_owned()))
    }
}
