//! Commands for the rules of tools and commands.

mod audit;
mod command_rules;
mod permissions;
mod safemode;
mod security;

pub(super) use self::{
    audit::AuditCommand, command_rules::RuleCommand, permissions::PermissionsCommand,
    safemode::SafeModeCommand, security::SecurityCommand,
};
