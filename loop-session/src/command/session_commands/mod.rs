//! Commands for the session itself.

mod exit;
mod help;
mod record;
mod rename;
mod session;
mod status;

#[cfg(test)]
pub(super) use self::help::PREFIXES_AND_KEYS;
pub(super) use self::{
    exit::ExitCommand, help::HelpCommand, record::RecordCommand, rename::RenameCommand,
    session::SessionCommand, status::StatusCommand,
};
