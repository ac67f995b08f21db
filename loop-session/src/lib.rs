#![doc = include_str!("../README.md")]

mod agreed_scripts;
mod approval;
mod approval_channel;
mod command;
pub mod doctor;
mod error;
pub mod fires;
mod host;
pub mod jobs;
pub mod knowledge;
pub mod overview;
mod pdf_pages;
pub mod policy;
pub mod repeat;
pub mod replay;
mod session;
pub mod skills;
mod start_dialogue;
pub mod stored_sessions;
mod transcript_writer;
mod user_input;

#[cfg(test)]
mod test_cases;

pub use self::{
    agreed_scripts::{AgreedScript, AgreedScripts, AgreedScriptsError},
    approval::ApprovalQuestion,
    approval_channel::ApprovalChannel,
    command::{ArgumentKind, Command, CommandGroup, CommandInfo, Commands, RepeatEffect, is_loop},
    error::{InputError, OpenError, UnknownCommand},
    host::{Activity, ActivityView, ExchangePart, SessionHost, SessionOutput},
    session::{OwnCommand, OwnCommandOutput, Session, StartModel, overflow_warning},
    start_dialogue::{SessionStart, StartDialogue},
    transcript_writer::TranscriptWriter,
    user_input::{UserInput, split_word},
};
