//! Compares loop with the least that could do the same.
//!
//! A time in milliseconds means little on another machine. So we measure everything as a ratio to a floor, in the same
//! run and alternating with it. `cargo bench -p benches` prints one table of them; `README.md` explains how to read it.

pub mod assay;
pub mod command;
pub mod drop_many_loops;
pub mod instructions;
pub mod journal;
pub mod kernel;
pub mod knowledge;
pub mod many_loops;
pub mod memory;
pub mod pairs;
pub mod plan;
mod recall;
pub mod remote;
pub mod results;
pub mod sandbox;
pub mod schedule;
pub mod sealed;
pub mod session;
pub mod snapshots;
pub mod stopwatch;
pub mod subprocess;
pub mod supervision;
mod table;

pub use self::table::{Growth, Row, Table};
