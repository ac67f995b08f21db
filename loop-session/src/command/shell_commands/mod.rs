//! Commands that run programs.

mod git;
mod run;

pub(super) use self::{git::GitCommand, run::RunCommand};
