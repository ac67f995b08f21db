//! Tools, in real folders, with real commands.
#![cfg(feature = "tools")]
#![expect(clippy::unwrap_used, reason = "a test whose world cannot be made has failed")]

#[path = "tools/adversary/mod.rs"]
mod adversary;
#[path = "tools/cases.rs"]
mod cases;
#[path = "tools/commands.rs"]
mod commands;
#[cfg(all(feature = "sandbox", target_os = "linux"))]
#[path = "tools/confined.rs"]
mod confined;
#[cfg(all(feature = "sandbox", target_os = "linux"))]
#[path = "tools/confinement.rs"]
mod confinement;
#[path = "tools/files.rs"]
mod files;
#[path = "tools/repositories.rs"]
mod repositories;
#[path = "tools/scenario.rs"]
mod scenario;
#[path = "tools/toolbox.rs"]
mod toolbox;
