//! The error of iterations and evaluations, and how the run records it.

use std::{error::Error, fmt, time::Duration};

use crate::{BoxError, Halt, event::WorkResult};

/// The reason why an iteration has no output, or an evaluation no verdict.
///
/// `?` makes any error a failed step, and a [`Halt`] the end of the run:
///
/// ```
/// use loop_core::{IterationContext, iteration_fn};
/// let reader = iteration_fn(async |_: IterationContext<String>| Ok(std::fs::read_to_string("notes.md")?));
/// ```
///
/// Like `anyhow::Error`, it therefore does not implement [`Error`] itself: see
/// `docs/decisions/loop-core/any-error-fails-a-step.md`. For errors that are not [`Error`]s, such as texts, use
/// [`failed`](Self::failed).
///
/// It stays exhaustive: code that wraps other work has to pass on every kind.
#[derive(Debug)]
pub enum WorkError {
    /// The step failed, and the loop continues. The run records the error's text and those of its causes.
    Failed(BoxError),
    /// The work has to be deferred, because of a rate limit, for example. The run retries the same work later, and no
    /// iteration is used up.
    Later {
        /// How long to wait before the next try.
        after: Duration,
    },
    /// The run has to end, without any further evaluation.
    Halt(Halt),
}

impl WorkError {
    /// Creates a failed step from any error or text.
    pub fn failed(source: impl Into<BoxError>) -> Self {
        Self::Failed(source.into())
    }
}

impl fmt::Display for WorkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(source) => source.fmt(f),
            Self::Later { after } => write!(f, "has to wait for {after:?}"),
            Self::Halt(halt) => halt.fmt(f),
        }
    }
}

/// A failed step.
impl<E: Error + Send + Sync + 'static> From<E> for WorkError {
    fn from(error: E) -> Self {
        Self::failed(error)
    }
}

/// For functions whose error is any error: tests, for example.
impl From<WorkError> for BoxError {
    fn from(error: WorkError) -> Self {
        match error {
            WorkError::Failed(source) => source,
            other => other.to_string().into(),
        }
    }
}

impl From<WorkError> for Box<dyn Error> {
    fn from(error: WorkError) -> Self {
        BoxError::from(error)
    }
}

impl From<Halt> for WorkError {
    fn from(halt: Halt) -> Self {
        Self::Halt(halt)
    }
}

/// The error as data, for the machine.
impl<T> From<WorkError> for WorkResult<T> {
    fn from(error: WorkError) -> Self {
        match error {
            WorkError::Failed(source) => Self::Failed(with_causes(&*source).into()),
            WorkError::Later { after } => Self::Later { after },
            WorkError::Halt(halt) => Self::Halted(halt),
        }
    }
}

/// Formats an error and its causes as one line, for a message that replaces the error. Leaves out a cause that the
/// preceding text already contains.
///
/// ```
/// let error = std::io::Error::other("no such model");
/// assert_eq!(loop_core::with_causes(&error), "no such model");
/// ```
pub fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.ends_with(&said) {
            text.push_str(": ");
            text.push_str(&said);
        }
        cause = error.source();
    }
    text
}

impl<T> WorkResult<T> {
    /// Separates the value from the result.
    pub(crate) fn split(self) -> (Option<T>, WorkResult<()>) {
        match self {
            Self::Done(value) => (Some(value), WorkResult::Done(())),
            Self::Failed(message) => (None, WorkResult::Failed(message)),
            Self::Later { after } => (None, WorkResult::Later { after }),
            Self::Halted(halt) => (None, WorkResult::Halted(halt)),
        }
    }
}

/// The result of work that ran in this process.
impl<T> From<Result<T, WorkError>> for WorkResult<T> {
    fn from(result: Result<T, WorkError>) -> Self {
        result.map_or_else(Self::from, Self::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StopReason;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Layer {
        text: &'static str,
        source: Option<BoxError>,
    }

    fn recorded(texts: &[&'static str]) -> String {
        let layer = |source: Option<BoxError>, text: &&'static str| -> Option<BoxError> {
            Some(Box::new(Layer { text, source }))
        };
        let error = texts.iter().rev().fold(None, layer).expect("a text");
        match WorkResult::<()>::from(WorkError::failed(error)) {
            WorkResult::Failed(message) => message.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_failure_is_recorded_with_its_causes_and_none_twice() {
        assert_eq!(recorded(&["it broke"]), "it broke");
        assert_eq!(recorded(&["no reply", "cannot read", "timed out"]), "no reply: cannot read: timed out");
        assert_eq!(recorded(&["no reply: timed out", "timed out"]), "no reply: timed out");
    }

    #[test]
    fn an_error_says_what_went_wrong() {
        assert_eq!(WorkError::failed("no reply").to_string(), "no reply");
        let later = WorkError::Later { after: Duration::from_secs(90) };
        assert_eq!(later.to_string(), "has to wait for 90s");
        let halt = Halt::new(StopReason::AgentUnavailable, "not installed");
        assert_eq!(WorkError::from(halt).to_string(), "agent_unavailable: not installed");
    }
}
