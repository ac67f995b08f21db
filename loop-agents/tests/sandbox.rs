//! The boundary around a command: what it keeps in, what works inside, and what it refuses to promise.
#![cfg(target_os = "linux")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]
#![expect(clippy::unwrap_used, reason = "a helper of a test fails like a test")]

#[path = "sandbox/escapes.rs"]
mod escapes;
#[path = "sandbox/hosts.rs"]
mod hosts;
#[path = "sandbox/later_starts.rs"]
mod later_starts;
#[path = "sandbox/lesser_machines.rs"]
mod lesser_machines;
#[path = "sandbox/preparing.rs"]
mod preparing;
#[path = "sandbox/scene.rs"]
mod scene;
#[path = "sandbox/working.rs"]
mod working;
