//! Stores for jobs, so that they fire after a restart, and never twice.

mod checksum;
mod error;
mod file;
mod firing;
mod jobs;
mod loaded;
mod memory;
mod plain;
mod shared;

pub use self::{
    error::StoreError,
    file::FileStore,
    firing::FiringRight,
    jobs::{Jobs, Record, StoreWarning},
    loaded::Loaded,
    memory::MemoryStore,
    shared::{Change, Held, JobStore, Tell},
};
