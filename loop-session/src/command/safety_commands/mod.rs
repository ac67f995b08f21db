//! Commands for the rules of tools and commands.

mod audit;
mod permissions;
mod safemode;
mod security;

pub(super) use self::{
    audit::AuditCommand, permissions::PermissionsCommand, safemode::SafeModeCommand,
    security::SecurityCommand,
};
