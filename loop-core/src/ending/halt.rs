//! A reason with a sentence.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::StopReason;

/// A reason to end the run before its goal is met, with a sentence for the person who reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Halt {
    /// The reason.
    pub reason: StopReason,
    /// Whether a person must look before the loop runs again, because running again alone would repeat or worsen it.
    pub blockable: bool,
    /// A sentence that describes what happened. May be empty.
    #[serde(default)]
    pub message: String,
}

impl Halt {
    /// Creates a halt that is blockable if its reason is.
    pub fn new(reason: StopReason, message: impl Into<String>) -> Self {
        Self { blockable: reason.is_blockable(), reason, message: message.into() }
    }

    /// Sets whether a person must look before the loop runs again.
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
