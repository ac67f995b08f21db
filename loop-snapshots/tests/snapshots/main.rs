//! Captures, comparisons and restores of real folders.

#![expect(clippy::unwrap_used, reason = "a test whose folder cannot be made has failed")]

mod captures;
mod faults;
mod folder_copies;
mod generated;
mod ignores;
mod repositories;
mod restores;
mod sealed;
mod sizes;
mod tree;
