//! The stored specification of a run, for commands that continue or inspect it.

use std::path::Path;

use loop_manifest::task::TaskSpec;
use loop_session::repeat::{Repetition, RepetitionCondition};
use loop_telemetry::{REDACTED, RunInfo};

use super::run_spec::{self, RunSpec};
use crate::command::{Failure, OrFail, every::STORED_AS, usage};
use crate::task;

/// The specification with which a run began.
pub(crate) enum StoredSpec {
    /// A loop with a check.
    Plan(Box<RunSpec>),
    /// A repetition.
    Repetition(Box<Repetition>, RepetitionCondition),
    /// A task.
    Task(Box<TaskSpec>),
}

impl StoredSpec {
    /// Reads the stored specification; see [`run_spec::of_run`].
    pub(crate) fn of(info: &RunInfo, accepted: bool) -> Result<Self, Failure> {
        match &info.manifest {
            Some(kept) if kept.path == STORED_AS => {
                let (repetition, until) = repetition(&kept.text)?;
                Ok(Self::Repetition(Box::new(repetition), until))
            }
            Some(text) if text.path == task::STORED_AS => {
                let spec = crate::command::task::stored_spec(&text.text)?;
                Ok(Self::Task(Box::new(spec)))
            }
            _ => run_spec::of_run(info, accepted).map(|spec| Self::Plan(Box::new(spec))),
        }
    }

    /// Returns the warnings as text; empty if there are none.
    pub(crate) fn warnings(&self) -> &str {
        match self {
            Self::Plan(spec) => &spec.warnings,
            Self::Repetition(..) | Self::Task(_) => "",
        }
    }

    /// Returns the absolute path of the manifest, if there is one.
    pub(crate) fn manifest(&self) -> Option<&Path> {
        match self {
            Self::Plan(spec) => spec.manifest.as_deref(),
            Self::Repetition(..) | Self::Task(_) => None,
        }
    }

    /// Returns the values that the run has by name, such as the variables set for its processes.
    pub(crate) fn named_values(&self) -> Vec<(&str, &str)> {
        match self {
            Self::Plan(spec) => spec.plan.named_values().collect(),
            Self::Repetition(..) | Self::Task(_) => Vec::new(),
        }
    }
}

/// Parses a stored repetition, and builds its stop condition.
pub(crate) fn repetition(text: &str) -> Result<(Repetition, RepetitionCondition), Failure> {
    if text.contains(REDACTED) {
        return Err(usage!("the stored command lacks a secret that was in it: start a new run"));
    }
    let repetition: Repetition = serde_json::from_str(text).or_usage(|| "cannot read the stored command")?;
    let until = repetition.until().or_usage(|| "--until")?;
    Ok((repetition, until))
}
