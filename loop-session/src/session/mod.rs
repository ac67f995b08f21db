//! A session: carries out lines.
//!
//! `state.rs` defines the parts of a session. Each other file adds one kind of work.

mod chunks;
mod conversation_changes;
mod files;
mod folder_changes;
mod lessons;
mod models;
mod no_model;
mod own_commands;
mod policy;
mod recording;
mod resume;
mod retrieval;
mod run_line;
mod skill_requests;
mod skill_scripts;
mod skills;
mod snapshots;
mod state;
mod statistics;
mod steps;
mod summary;
mod system_prompt;
mod tool_calls;
mod tools;
mod turn;
mod turn_durations;

pub(crate) use self::{
    chunks::ChunkOptions,
    folder_changes::FolderChanges,
    statistics::{at_least, money},
    summary::UNKNOWN_WINDOW,
};
pub use self::{
    own_commands::{OwnCommand, OwnCommandOutput},
    state::{Session, StartModel},
    summary::overflow_warning,
};
