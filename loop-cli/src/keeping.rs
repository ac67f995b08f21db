//! What is kept of a run, and what is not: its journal, and the secrets that must not be in it.

use std::ffi::OsStr;

use anyhow::anyhow;
use loop_agents::shell::ShellOutput;
use loop_core::Grant;
use loop_guardrails::policy::environment::looks_secret;
use loop_telemetry::{FileJournal, Redactor};

use crate::{
    compose::{Composed, Place},
    manifest::Plan,
};

/// Where the events of a run come from and go to.
#[derive(Debug)]
pub(crate) enum Past {
    /// A new run of which nothing is kept.
    Unkept,
    /// A new run.
    New(FileJournal<ShellOutput>),
    /// A run that goes on, with what is added to it.
    Resumed(FileJournal<ShellOutput>, Option<Grant>),
}

impl Past {
    /// The loop with this past.
    pub(crate) fn give_to(self, composed: Composed) -> Composed {
        match self {
            Self::Unkept => composed,
            Self::New(journal) => composed.journal(journal),
            Self::Resumed(journal, None) => composed.resume_from(journal),
            Self::Resumed(journal, Some(grant)) => composed.resume_from(journal).grant(grant),
        }
    }
}

/// Knows the secrets that a run's agent could print: the values of variables that look like secrets, whether
/// it sees them or finds them somewhere else, and whatever has the shape of a key.
pub(crate) fn redactor(plan: &Plan, place: &Place) -> Redactor {
    let users = place.env.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()));
    let set = plan.agent.env.set.iter().map(|(name, value)| (OsStr::new(name), OsStr::new(value)));
    let secret = users.chain(set).filter(|(name, value)| looks_secret(name, value));
    Redactor::new(secret.map(|(_, value)| value.as_encoded_bytes())).shapes()
}

/// A run's journal could not be written to its end, although the run did end.
pub(crate) fn incomplete(why: &str) -> anyhow::Error {
    anyhow!("the run's journal lacks its end, so `loop resume` would do again what is not in it: {why}")
}
