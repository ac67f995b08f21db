//! Sorts the failures of an agent's command: faults that the evaluator can still judge, and errors that end the run.

use std::io;

use loop_core::{Halt, StopReason, WorkError, with_causes};

use super::PromptUndeliverable;
use crate::process::{CutReason, ProcessError, ProcessOutput};

/// The note for an agent that reports its usage in two places.
pub(super) const TWICE: &str = "it counts in addition to the lines in the usage file or log: usage that both report \
                                counts twice";

/// The note for an agent that ended by itself without reporting its usage, although its output should have.
pub(super) const SILENT: &str = "the agent ended without reporting any usage, so all sums lack it";

/// Returns the faults of an agent's command. The evaluator still judges the work.
pub(super) fn faults(role: &str, finished: &ProcessOutput) -> impl Iterator<Item = String> {
    let own = match finished.cut {
        None if finished.exit.success() => None,
        None => Some(format!("the {role} {}", finished.exit.with_reason(&finished.stderr))),
        // Many agents hang after their work is done.
        Some(cut @ (CutReason::TimeLimit(_) | CutReason::SilenceLimit(_))) => {
            Some(format!("the {role} was ended {cut}"))
        }
        Some(CutReason::Requested) => None,
    };
    let left = (!finished.survivors.is_empty())
        .then(|| format!("processes that it left behind could not be ended: {:?}", finished.survivors));
    own.into_iter().chain(left)
}

pub(super) fn unavailable(role: &str, why: &str) -> Halt {
    Halt::new(StopReason::AgentUnavailable, format!("the {role} could not be run: {why}"))
}

/// Converts the error of a command that did not start or that we lost. `takes_prompt` is true if the prompt is part of
/// the line that may be too long.
pub(super) fn not_run(role: &str, error: ProcessError, takes_prompt: bool) -> WorkError {
    match error {
        ProcessError::TooLong { line_bytes, environment_bytes } if takes_prompt => {
            Halt::from(PromptUndeliverable::NoRoom { line_bytes, environment_bytes }).into()
        }
        // Starting another command beside a process that we cannot end would be dangerous.
        error @ ProcessError::Undying { .. } => Halt::new(StopReason::Failed, error.to_string()).into(),
        error if error.is_lasting() => unavailable(role, &with_causes(&error)).into(),
        error => WorkError::failed(error),
    }
}

pub(super) fn no_usage_file(error: &io::Error) -> Halt {
    Halt::new(StopReason::Failed, format!("cannot create the file for the agent's usage: {error}"))
}

impl From<PromptUndeliverable> for Halt {
    /// Ends the run, because the next prompt would hardly be shorter.
    fn from(error: PromptUndeliverable) -> Self {
        Self::new(StopReason::PromptUndeliverable, error.to_string())
    }
}
