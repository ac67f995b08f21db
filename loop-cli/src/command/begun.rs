//! What a run was begun with, for who goes on with it.

use std::{collections::BTreeMap, path::Path};

use loop_manifest::task::TaskSpec;
use loop_session::repeat::{Repetition, Until};
use loop_telemetry::{REDACTED, RunInfo};

use super::{
    Failure, OrFail,
    every::KEPT_AS,
    subject::{self, Subject},
    usage,
};
use crate::task;

/// What a run was begun with.
pub(super) enum Begun {
    /// A loop with a check.
    Plan(Box<Subject>),
    /// Something repeated.
    Repetition(Box<Repetition>, Until),
    /// A task that is worked off.
    Task(Box<TaskSpec>),
}

impl Begun {
    /// Reads what is kept of it; see [`subject::of_run`].
    pub(super) fn of(info: &RunInfo, accepted: bool) -> Result<Self, Failure> {
        match &info.manifest {
            Some(kept) if kept.path == KEPT_AS => {
                let (repetition, until) = repetition(&kept.text)?;
                Ok(Self::Repetition(Box::new(repetition), until))
            }
            Some(text) if text.path == task::KEPT_AS => {
                let assignment = super::task::kept(&text.text)?;
                Ok(Self::Task(Box::new(assignment)))
            }
            _ => subject::of_run(info, accepted).map(|subject| Self::Plan(Box::new(subject))),
        }
    }

    /// What is odd about it, as text; empty if nothing is.
    pub(super) fn warnings(&self) -> &str {
        match self {
            Self::Plan(subject) => &subject.warnings,
            Self::Repetition(..) | Self::Task(_) => "",
        }
    }

    /// The whole path of its manifest, if it has one.
    pub(super) fn manifest(&self) -> Option<&Path> {
        match self {
            Self::Plan(subject) => subject.manifest.as_deref(),
            Self::Repetition(..) | Self::Task(_) => None,
        }
    }

    /// The variables that it sets for what it runs.
    pub(super) fn set(&self) -> &BTreeMap<String, String> {
        const NONE: &BTreeMap<String, String> = &BTreeMap::new();
        match self {
            Self::Plan(subject) => &subject.plan.agent.env.set,
            Self::Repetition(..) | Self::Task(_) => NONE,
        }
    }
}

/// What is kept of a repetition, and when it ends.
pub(super) fn repetition(text: &str) -> Result<(Repetition, Until), Failure> {
    if text.contains(REDACTED) {
        return Err(usage!("what is kept of the command lacks a secret that stood in it: begin a new run"));
    }
    let repetition: Repetition =
        serde_json::from_str(text).or_usage(|| "what is kept of the command cannot be read")?;
    let until = repetition.until().or_usage(|| "--until")?;
    Ok((repetition, until))
}
