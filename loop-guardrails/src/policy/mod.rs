//! The action policy: what one action may do.
//!
//! Run limits bound how much an agent does. They say nothing of what it does: within its first second it
//! may have printed a key into a log. So each action is judged by itself, by values that can be asked
//! without doing anything: [`environment`] says which variables a child sees, [`command`] which programs
//! run with which arguments, [`Permissions`] what may be done where, and [`SecretFiles`] what nobody
//! reads. [`ActionPolicy`] puts them together, out of what the user and the project [set](Settings).
//!
//! Two parts act, since what they promise cannot be had otherwise: a [`Workspace`](workspace::Workspace)
//! opens files itself, so that between the answer and the file nobody can put another one in its place;
//! and an [`Audit`](audit::Audit) keeps what was decided.

mod action;
pub mod audit;
pub mod command;
pub mod environment;
#[cfg(unix)]
mod executed;
mod fold;
mod instructions;
mod path;
mod permission;
mod ruling;
mod scope;
mod secret_files;
mod settings;
#[cfg(unix)]
pub mod workspace;

pub use self::{
    action::{ActionPolicy, DEFAULT_COMMAND_TIME},
    path::{LocalPath, OutsidePath},
    permission::{Permissions, UnknownVerb, Verb},
    ruling::{Denied, Origin, Placed, Ruling},
    secret_files::{FileName, InvalidFileName, SecretFiles},
    settings::{Ignored, Settings},
};
