//! The action policy decides about single actions.
//!
//! Run limits bound how much an agent does, but not which actions it takes: within its first second it may print a key
//! into a log. So the policy judges each action separately, with values that answer without acting: [`environment`]
//! decides which variables a child sees, [`command`] which programs run with which arguments, [`Permissions`] which
//! actions are allowed where, and [`SecretFiles`] which files nobody reads. [`ActionPolicy`] combines them from the
//! [settings](PolicySettings) of the user and the project.
//!
//! Two parts act, because they could not keep their promises otherwise: a [`Workspace`](workspace::Workspace) opens
//! files itself, so that nobody can replace the file between the check and the access; and an [`Audit`](audit::Audit)
//! records the decisions.

mod action;
pub mod audit;
mod case_folding;
pub mod command;
mod confinement;
pub mod environment;
#[cfg(unix)]
mod executed;
mod folders_above;
mod instructions;
mod local_path;
mod permission;
mod read_scope;
mod ruling;
mod secret_files;
mod settings;
mod startup_files;
#[cfg(unix)]
pub mod workspace;
mod write_approval;

pub use self::{
    action::{ActionPolicy, DEFAULT_COMMAND_TIME},
    confinement::{CommandNetwork, SandboxMode, UnknownConfinement},
    instructions::NEEDS_PERSON,
    local_path::{LocalPath, OutsidePath},
    permission::{Permissions, UnknownVerb, Verb},
    ruling::{DeniedAction, Origin, Ruling, WithOrigin},
    secret_files::{FileName, InvalidFileName, SecretFiles},
    settings::{IgnoredSetting, PolicySettings},
    write_approval::{UnknownWriteApproval, WriteApproval},
};
