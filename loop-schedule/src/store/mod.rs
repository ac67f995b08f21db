//! Stores for jobs, so that they fire after a restart, and never twice.

mod checksum;
mod error;
mod file;
mod firing_lock;
mod job_store;
mod jobs;
mod memory;
mod private_file;
mod with_warnings;

pub use self::{
    error::StoreError,
    file::FileStore,
    firing_lock::{FiringLock, OpenSession},
    job_store::{ChangeListener, DropGuard, JobStore, JobsChange},
    jobs::{JobRecord, Jobs, StoreWarning},
    memory::MemoryStore,
    with_warnings::WithWarnings,
};
