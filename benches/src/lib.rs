//! Distances between loop and the least that could do the same.
//!
//! A time in milliseconds says little on another machine. So everything is measured as a ratio against a
//! floor, in the same run and in turn with it. `cargo bench -p benches` prints one table of them.

pub mod command;
pub mod journal;
pub mod kernel;
pub mod memory;
pub mod pairs;
pub mod supervision;
pub mod table;
