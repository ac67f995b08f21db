//! How commands of tools are confined by the operating system.
//!
//! The policy only states what a person wants. `loop-agents` enforces it.

use std::{fmt, str::FromStr};

/// Whether the commands of tools run in a sandbox that the kernel enforces.
///
/// # Default
/// [`Auto`](Self::Auto).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SandboxMode {
    /// No: they run with all rights of the user, under the rules for commands alone.
    Off,
    /// As far as this machine can enforce it.
    #[default]
    Auto,
    /// Yes, and a command that cannot be confined completely is refused.
    Require,
}

/// Which commands of tools may use the network.
///
/// # Default
/// [`Approved`](Self::Approved).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CommandNetwork {
    /// All commands.
    All,
    /// Commands that a person allows: with an answer, with `--allow`, or in the settings.
    #[default]
    Approved,
    /// No command.
    None,
}

/// A word that names no [`SandboxMode`] or no [`CommandNetwork`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is not a value: write {expected}")]
pub struct UnknownConfinement {
    word: String,
    expected: &'static str,
}

macro_rules! words {
    ($kind:ident, $expected:literal, $($variant:ident = $word:literal),*) => {
        impl $kind {
            /// All values, the strictest first.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Returns the word for it in settings.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }

        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $kind {
            type Err = UnknownConfinement;

            fn from_str(text: &str) -> Result<Self, UnknownConfinement> {
                let found = Self::ALL.iter().find(|value| value.as_str() == text).copied();
                found.ok_or_else(|| UnknownConfinement { word: text.to_owned(), expected: $expected })
            }
        }
    };
}

words!(SandboxMode, "require, auto or off", Require = "require", Auto = "auto", Off = "off");
words!(CommandNetwork, "none, approved or all", None = "none", Approved = "approved", All = "all");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_read_as_it_is_written_and_the_strictest_is_the_greatest() {
        assert!(SandboxMode::ALL.iter().all(|mode| mode.as_str().parse() == Ok(*mode)));
        assert!(CommandNetwork::ALL.iter().all(|network| network.as_str().parse() == Ok(*network)));
        assert!(
            SandboxMode::ALL.is_sorted_by(|a, b| a > b) && CommandNetwork::ALL.is_sorted_by(|a, b| a > b)
        );
        let error = "yes".parse::<SandboxMode>().expect_err("not a mode");
        assert_eq!(error.to_string(), "`yes` is not a value: write require, auto or off");
    }
}
