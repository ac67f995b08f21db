//! The action policy against real files.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test whose world cannot be made has failed")]

#[path = "policy/beneath.rs"]
mod beneath;
#[path = "policy/cases.rs"]
mod cases;
#[path = "policy/content.rs"]
mod content;
#[path = "policy/files.rs"]
mod files;
#[path = "policy/followed.rs"]
mod followed;
#[path = "policy/pathspecs.rs"]
mod pathspecs;
#[cfg(target_os = "linux")]
#[path = "policy/race.rs"]
mod race;
