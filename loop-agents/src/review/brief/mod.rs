//! What the agents are told. The words stand in files of their own.

mod executing;
mod page;
mod reviewing;

pub(super) use self::{
    executing::Executing,
    reviewing::{Checked, Reviewing},
};

/// What an executing model is told of how to work, for its system prompt.
pub const EXECUTOR: &str = include_str!("prompts/executor.md");

/// What a reviewing model is told of how to work, for its system prompt.
pub const REVIEWER: &str = include_str!("prompts/reviewer.md");

/// How much of a task is told. Of a longer one its middle is left out.
pub const MAX_TASK_BYTES: usize = 64 * 1024;
/// How much is told of what an agent or a check said.
const SAID_BYTES: usize = 8 * 1024;
