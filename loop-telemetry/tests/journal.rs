//! Journals in files: the kernel's laws hold with them, and a run survives or refuses problems with the files.

#![cfg(test)]

#[path = "journal/chain.rs"]
mod chain;
#[path = "journal/damage.rs"]
mod damage;
#[path = "journal/first_format.rs"]
mod first_format;
#[cfg(unix)]
#[path = "journal/full_disk.rs"]
mod full_disk;
#[cfg(unix)]
#[path = "journal/killed.rs"]
mod killed;
#[path = "journal/laws.rs"]
mod laws;
#[path = "journal/length.rs"]
mod length;
#[path = "journal/scenario.rs"]
mod scenario;
#[path = "journal/secrets.rs"]
mod secrets;
#[path = "journal/tampered.rs"]
mod tampered;
