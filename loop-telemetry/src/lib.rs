#![doc = include_str!("../README.md")]

mod file;
mod record;
mod state_dir;

pub use self::{
    file::{TelemetryError, TelemetryFile},
    record::{CostState, Draft, Record, Tokens},
    state_dir::{NoStateDir, StateDir},
};
