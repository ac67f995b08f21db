#![doc = include_str!("../README.md")]

mod approval;
mod command;
mod error;
mod host;
mod input;
pub mod jobs;
mod log;
pub mod policy;
pub mod repeat;
mod session;

#[cfg(test)]
mod cases;

pub use self::{
    approval::{Approvals, Question},
    command::{About, Command, Commands, Repeated, Takes, is_loop},
    error::{InputError, OpenError, UnknownCommand},
    host::{SessionHost, SessionOutput, Work, WorkView},
    input::{Input, word},
    log::SessionLog,
    session::{Session, overfull},
};
