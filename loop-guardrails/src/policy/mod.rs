//! The action policy: what one action may do.
//!
//! Run limits bound how much an agent does. They say nothing of what it does: within its first second it
//! may have printed a key into a log. So each action is judged by itself, by values that can be asked
//! without doing anything: [`environment`] says which variables a child sees, [`command`] which programs
//! a shell command starts.

pub mod command;
pub mod environment;
