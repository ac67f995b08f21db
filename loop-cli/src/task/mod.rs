//! Reports on a task that two agents work on, for people and for programs.

mod finished_task;
mod task_reporter;

pub(crate) use self::{finished_task::FinishedTask, task_reporter::TaskReporter};

/// The marker stored for a task, in place of the manifest's path.
pub(crate) const STORED_AS: &str = "loop task";
