//! The validations that a step asks for.

use std::fmt;

use regex::Regex;

const KINDS: &str =
    "command, file_exists, file_not_exists, regex, contains, not_contains, no_errors or custom";

/// A validation of a step: what has to hold once the step is done.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum StepValidation {
    /// This command exits with 0, under the policy of the tools.
    Command(String),
    /// This path exists in the workspace.
    FileExists(String),
    /// This path does not exist in the workspace.
    FileNotExists(String),
    /// The last reply matches this expression.
    Regex(Regex),
    /// The last reply contains this text.
    Contains(String),
    /// The last reply does not contain this text.
    NotContains(String),
    /// No call of the step failed or was refused.
    NoErrors,
    /// A command of this name in the user's settings exits with 0.
    Custom(String),
}

impl StepValidation {
    /// Reads `KIND ARGUMENT`. Case does not matter in the kind. The error reads after the annotation.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (kind, argument) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let (kind, argument) = (kind.to_ascii_lowercase(), argument.trim());
        let own = || argument.to_owned();
        let validation = match &*kind {
            "no_errors" if argument.is_empty() => return Ok(Self::NoErrors),
            "no_errors" => return Err("takes no argument".to_owned()),
            "command" => Self::Command(own()),
            "file_exists" => Self::FileExists(own()),
            "file_not_exists" => Self::FileNotExists(own()),
            "regex" => Self::Regex(
                Regex::new(argument)
                    .map_err(|error| format!("has an expression that is not valid: {error}"))?,
            ),
            "contains" => Self::Contains(own()),
            "not_contains" => Self::NotContains(own()),
            "custom" => Self::Custom(own()),
            _ => return Err(format!("has an unknown kind: write {KINDS}")),
        };
        if argument.is_empty() {
            return Err(format!("needs an argument: `[validate: {kind} …]`"));
        }
        Ok(validation)
    }

    /// Judges the last reply of the step; `None` if this validation is about something else.
    pub fn on_reply(&self, reply: &str) -> Option<bool> {
        match self {
            Self::Regex(expression) => Some(expression.is_match(reply)),
            Self::Contains(text) => Some(reply.contains(text)),
            Self::NotContains(text) => Some(!reply.contains(text)),
            _ => None,
        }
    }
}

impl PartialEq for StepValidation {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for StepValidation {}

impl fmt::Display for StepValidation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(line) => write!(f, "command {line}"),
            Self::FileExists(path) => write!(f, "file_exists {path}"),
            Self::FileNotExists(path) => write!(f, "file_not_exists {path}"),
            Self::Regex(expression) => write!(f, "regex {expression}"),
            Self::Contains(text) => write!(f, "contains {text}"),
            Self::NotContains(text) => write!(f, "not_contains {text}"),
            Self::NoErrors => f.write_str("no_errors"),
            Self::Custom(name) => write!(f, "custom {name}"),
        }
    }
}
