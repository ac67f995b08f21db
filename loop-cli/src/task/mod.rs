//! Reports on a task that two agents work on, for people and for programs.

mod outcome;
mod voice;

pub(crate) use self::{
    outcome::Outcome,
    voice::{Voice, counted},
};

/// The marker stored for a task, in place of the manifest's path.
pub(crate) const KEPT_AS: &str = "loop task";
