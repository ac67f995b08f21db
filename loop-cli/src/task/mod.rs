//! Reports on a task that two agents work on, for people and for programs.

mod outcome;
mod voice;

pub(crate) use self::{
    outcome::Outcome,
    voice::{Voice, counted},
};

/// The name under which a run keeps its task, where other runs have the path of their manifest.
pub(crate) const KEPT_AS: &str = "loop task";
