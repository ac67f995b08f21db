//! Transcripts as they are on the disk, and as they are exported.

#![cfg(test)]

mod damage;
mod fountain;
mod laws;
mod markdown;
mod store;
mod world;
