//! Patterns for names of variables.

use std::{ffi::OsStr, fmt, str::FromStr};

/// The name of a variable or a prefix of names: `GITHUB_TOKEN`, `NPM_*`, or `*` for all.
///
/// Names are case-sensitive, as in an environment.
///
/// ```
/// use loop_guardrails::policy::environment::NamePattern;
///
/// let pattern: NamePattern = "NPM_*".parse()?;
/// assert!(pattern.matches("NPM_TOKEN".as_ref()));
/// assert!(!pattern.matches("npm_token".as_ref()));
/// assert!("*_TOKEN".parse::<NamePattern>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NamePattern(String);

/// A text that is not a pattern for variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidNamePattern {
    /// The text is empty.
    #[error("the name of a variable must not be empty")]
    Empty,
    /// It contains a character that no name can have.
    #[error("the name of a variable must not contain `=` or a NUL character: write only the name")]
    Sign,
    /// It contains a `*` that is not the last character.
    #[error("a `*` may only be at the end of a name, as in `NPM_*`")]
    Star,
}

impl NamePattern {
    /// Returns whether the pattern matches this name.
    pub fn matches(&self, name: &OsStr) -> bool {
        matches(&self.0, name)
    }

    /// Returns the pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for NamePattern {
    type Err = InvalidNamePattern;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let beginning = text.strip_suffix('*').unwrap_or(text);
        if text.is_empty() {
            Err(InvalidNamePattern::Empty)
        } else if text.contains(['=', '\0']) {
            Err(InvalidNamePattern::Sign)
        } else if beginning.contains('*') {
            Err(InvalidNamePattern::Star)
        } else {
            Ok(Self(text.to_owned()))
        }
    }
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns whether `pattern`, which must be valid, matches this name.
pub(super) fn matches(pattern: &str, name: &OsStr) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.as_encoded_bytes().starts_with(beginning.as_bytes()),
        None => name == pattern,
    }
}
