//! The commands of a session, one file each.
//!
//! A command is described once, in its [`About`]; help, completion and the guide's page are made of that. A
//! command has no way to a person but what it says: there is no editor in its reach. So a command that is repeated at
//! night asks nobody anything.

mod about;
mod attach;
mod audit;
mod clear;
mod context;
mod every;
mod exit;
mod file_tree;
mod files;
mod folder;
mod git;
mod help;
mod looping;
mod model;
#[cfg(test)]
mod page;
mod permissions;
mod read;
mod read_dir;
mod registry;
mod rename;
mod repeated;
mod run;
mod safemode;
mod schedule;
mod search;
mod security;
mod session;
mod status;
mod summarize;
mod tools;
mod write;

pub use self::{
    about::{About, Takes},
    looping::is_loop,
    registry::{Command, Commands},
    repeated::Repeated,
};

impl Commands {
    /// Returns the commands of `loop chat`.
    pub fn standard() -> Self {
        Self::none()
            .with(help::Help)
            .with(status::Status)
            .with(looping::Loop)
            .with(every::Every)
            .with(schedule::Schedule)
            .with(clear::Clear)
            .with(summarize::Summarize)
            .with(context::Context)
            .with(read::Read)
            .with(read_dir::ReadDir)
            .with(attach::Attach)
            .with(write::Write)
            .with(files::Files)
            .with(file_tree::FileTree)
            .with(search::Search)
            .with(run::Run)
            .with(git::Git)
            .with(model::Model)
            .with(tools::Tools)
            .with(safemode::SafeMode)
            .with(permissions::Permissions)
            .with(security::Security)
            .with(audit::Audit)
            .with(session::Session)
            .with(rename::Rename)
            .with(exit::Exit)
    }
}

impl Default for Commands {
    /// Returns the [standard commands](Self::standard).
    fn default() -> Self {
        Self::standard()
    }
}
