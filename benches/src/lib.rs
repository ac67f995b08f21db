//! Distances between loop and the least that could do the same.
//!
//! A time in milliseconds says little on another machine. So everything is measured as a ratio against a
//! floor, in the same run and in turn with it. `cargo bench -p benches` prints one table of them; `README.md` says
//! how to read it.

pub mod again;
pub mod command;
pub mod dropping;
pub mod instructions;
pub mod journal;
pub mod kernel;
pub mod loops;
pub mod memory;
pub mod pairs;
pub mod results;
pub mod schedule;
pub mod stopwatch;
pub mod supervision;
mod table;

pub use self::table::{Growth, Row, Table};
