#![doc = include_str!("../README.md")]

mod host;
mod input;
mod log;
pub mod repeat;

#[cfg(test)]
mod cases;

pub use self::{
    host::{SessionHost, SessionOutput},
    input::{Input, word},
    log::SessionLog,
};
