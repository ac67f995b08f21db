//! Commands for the session itself.

mod cost;
mod exit;
mod help;
mod overview;
mod record;
mod rename;
mod replay;
mod session;
mod status;
mod verbose;

#[cfg(test)]
pub(super) use self::help::PREFIXES_AND_KEYS;
pub(super) use self::{
    cost::CostCommand,
    exit::ExitCommand,
    help::HelpCommand,
    overview::{HintCommand, WorkspaceCommand},
    record::RecordCommand,
    rename::RenameCommand,
    replay::ReplayCommand,
    session::SessionCommand,
    status::StatusCommand,
    verbose::VerboseCommand,
};
