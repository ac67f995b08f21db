#![doc = include_str!("../README.md")]

mod cache;
mod capture;
mod codec;
mod diff;
mod digest;
mod disk;
mod error;
mod folder_copy;
mod ignore;
mod listing;
mod record;
mod restore;
mod sealed;
mod store;
mod tree;

pub use self::{
    capture::{Capture, CaptureOptions, Limit, Limits},
    diff::{Change, ChangeKind},
    digest::Digest,
    error::Error,
    folder_copy::FolderCopy,
    listing::ChangeSummary,
    record::{Snapshot, SnapshotId},
    restore::{KeptReason, RestorePlan, Restored},
    sealed::{Origin, PathFacts, Protection, Relocation, Renewed, SealedTree},
    store::{Collected, Store, StoredRun},
    tree::{Entry, EntryKind, LeftOut},
};
