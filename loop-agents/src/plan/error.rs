//! Errors of plans.

use super::document::MAX_STEPS;

/// A text that is no plan, or that asks for something unknown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The text has no steps.
    #[error("the plan has no steps: write each as a line such as `- [ ] Add a test`")]
    NoSteps,
    /// The text has too many steps.
    #[error("the plan has {0} steps, and at most {MAX_STEPS} are allowed: divide the task")]
    TooManySteps(usize),
    /// A step has a validation that cannot be made.
    #[error("line {line} of the plan: `[validate: {text}]` {problem}")]
    Validation {
        /// The line, from 1.
        line: usize,
        /// The kind and the argument, as written.
        text: String,
        /// The problem, which reads after the annotation.
        problem: String,
    },
}
