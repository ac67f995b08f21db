//! Snapshots of a run's folder: the captures while it runs, and what people do with them later.
//!
//! | what | where |
//! | --- | --- |
//! | the store of a folder, with the rules of its run | `folder.rs` |
//! | captures before the first iteration and after each | `iteration.rs` |
//! | restores | `restore.rs` |
//! | branches and patches | `apply.rs` |
//! | the size of a store, and what it drops | `upkeep.rs` |
//! | the words of `loop diff` | `request.rs` |

mod apply;
mod error;
mod folder;
mod iteration;
mod request;
mod restore;
mod upkeep;

pub use self::{
    apply::{ApplyError, GIT_VARIABLES, Handover},
    error::SnapshotError,
    folder::{Captured, FolderSnapshots},
    iteration::WithSnapshots,
    request::DiffRequest,
    restore::{AfterHalt, PlannedRestore, best_iteration, state},
};
