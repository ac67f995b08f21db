//! A session: what is done with a line.
//!
//! `state.rs` has the parts of a session. Each other file adds one kind of work to it.

mod act;
mod calls;
mod changes;
mod files;
mod models;
mod no_model;
mod pace;
mod policy;
mod resume;
mod state;
mod statistics;
mod summary;
mod system;
mod tools;
mod turn;

pub use self::{state::Session, summary::overfull};
