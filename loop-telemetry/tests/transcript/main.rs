//! Transcripts on disk and in exports.

#![cfg(test)]

mod damage;
mod fountain;
mod laws;
mod markdown;
mod scenario;
mod store;
