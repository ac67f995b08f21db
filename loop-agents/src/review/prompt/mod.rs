//! The agents' prompts. Their texts are in separate files.

#[cfg(test)]
mod echo;
mod executor;
mod page_template;
mod reviewer;

pub(super) use self::{
    executor::ExecutorPrompt,
    reviewer::{CheckResult, ReviewerPrompt},
};

/// Working instructions for an executing model, for its system prompt.
pub const EXECUTOR: &str = include_str!("texts/executor.md");

/// Working instructions for a reviewing model, for its system prompt.
pub const REVIEWER: &str = include_str!("texts/reviewer.md");

/// The number of bytes of a task to include. A longer task loses its middle.
pub const MAX_TASK_BYTES: usize = 64 * 1024;
/// The number of bytes of an agent's or a check's words to include.
const SAID_BYTES: usize = 8 * 1024;
