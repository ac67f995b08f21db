//! Errors of a model.

use std::{fmt, time::Duration};

use loop_core::{BoxError, Usage};

/// An error of a model, with the category that decides how to handle it.
#[derive(Debug, thiserror::Error)]
#[error("{model}: {kind}{}{message}", if message.is_empty() { "" } else { ": " })]
pub struct ModelError {
    model: String,
    kind: ModelErrorKind,
    message: String,
    /// Boxed, because it is as large as all the other fields together.
    usage: Option<Box<Usage>>,
    source: Option<BoxError>,
}

/// The category of an error, as far as it affects how to handle it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelErrorKind {
    /// There were too many requests, or the quota is exhausted.
    RateLimited {
        /// How long to wait before the next request, if the vendor reports it.
        reset: Option<Duration>,
    },
    /// There was no connection.
    Unreachable,
    /// The server failed, or is overloaded.
    ServerFailed,
    /// The reply ended before it was complete.
    CutOff,
    /// The server sent nothing for too long.
    Silent,
    /// The model's server on this machine ended, and starts again at the next request.
    ServerEnded {
        /// How long to wait before that.
        wait: Duration,
    },
    /// The model's server on this machine cannot be started.
    NotStarted,
    /// The key is missing or wrong, or lacks the permission.
    Unauthorized,
    /// The model does not exist, or the server has no such address.
    NotFound,
    /// The conversation is longer than the model's context.
    TooLong,
    /// The server refused the request for another reason.
    Refused,
    /// The response cannot be parsed.
    Unreadable,
    /// The response is larger than a reply may be.
    TooLarge,
}

impl ModelErrorKind {
    /// Returns whether the same request may succeed later.
    pub const fn is_passing(self) -> bool {
        matches!(
            self,
            Self::RateLimited { .. }
                | Self::Unreachable
                | Self::ServerFailed
                | Self::CutOff
                | Self::Silent
                | Self::ServerEnded { .. }
        )
    }

    /// Returns how long to wait before the same request may succeed, if that is known.
    pub(crate) const fn wait(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { reset } => *reset,
            Self::ServerEnded { wait } => Some(*wait),
            _ => None,
        }
    }

    /// Returns whether every further request fails until somebody changes something.
    pub(crate) const fn is_lasting(&self) -> bool {
        matches!(self, Self::Unauthorized | Self::NotFound | Self::NotStarted)
    }
}

impl fmt::Display for ModelErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RateLimited { reset: None } => "reached a rate limit",
            Self::RateLimited { reset: Some(reset) } => {
                return write!(f, "reached a rate limit, which ends in {reset:?}");
            }
            Self::Unreachable => "cannot be reached; check the address and that the server is running",
            Self::ServerFailed => "the server failed",
            Self::CutOff => "the reply broke off",
            Self::Silent => "the server sent nothing for too long",
            Self::ServerEnded { .. } => "its server on this machine ended; the next request starts it again",
            Self::NotStarted => "its server on this machine did not start; check its command in `[servers]`",
            Self::Unauthorized => "refused; check the API key",
            Self::NotFound => "not found; check the model's name and the address",
            Self::TooLong => "the conversation is too long for the model; begin a new one or shorten it",
            Self::Refused => "the request was refused",
            Self::Unreadable => "the reply cannot be read",
            Self::TooLarge => "the reply is too large",
        })
    }
}

impl ModelError {
    /// Creates an error of this model. `message` is the vendor's text; it may be empty.
    pub fn new(model: impl Into<String>, kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { model: model.into(), kind, message: message.into(), usage: None, source: None }
    }

    /// Adds the usage of the failed request: vendors charge for interrupted replies, too.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage).filter(|usage| !usage.is_unknown()).map(Box::new);
        self
    }

    /// Adds the cause.
    #[must_use]
    pub fn because(mut self, source: impl Into<BoxError>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Returns the category.
    pub const fn kind(&self) -> ModelErrorKind {
        self.kind
    }

    /// Returns the usage that the server reported before the failure.
    pub fn usage(&self) -> Usage {
        self.usage.as_deref().copied().unwrap_or_default()
    }

    /// Returns the vendor's message.
    pub fn message(&self) -> &str {
        &self.message
    }
}

#[cfg(test)]
mod tests {
    use loop_core::with_causes;

    use super::*;

    #[test]
    fn it_says_who_what_and_why() {
        let error = ModelError::new("gpt-x", ModelErrorKind::Unreachable, "").because("connection refused");
        assert_eq!(
            with_causes(&error),
            "gpt-x: cannot be reached; check the address and that the server is running: connection refused"
        );
        let reset = Some(Duration::from_secs(20));
        let error = ModelError::new("gpt-x", ModelErrorKind::RateLimited { reset }, "slow down");
        assert_eq!(error.to_string(), "gpt-x: reached a rate limit, which ends in 20s: slow down");
    }
}
