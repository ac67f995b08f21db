//! Journals in files: the laws of the kernel hold through them, and what goes wrong with files is survived or
//! refused.

#![cfg(test)]

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
#[path = "journal/meddled.rs"]
mod meddled;
#[path = "journal/secrets.rs"]
mod secrets;
#[path = "journal/world.rs"]
mod world;
