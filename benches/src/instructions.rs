//! Measures the cost of the kernel in instructions, which other load on the machine cannot change.
//!
//! Valgrind counts the instructions of this program, run again for a single task. We count two lengths, so that the
//! code around the loops cancels out. Valgrind's harnesses for Rust need a separately installed program of the same
//! version. This module needs only valgrind, and without it the row says so.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{
    subprocess,
    table::{Row, Table},
};

const WHAT: &str = "kernel / bare loop: instructions an iteration";
const SHORT: u64 = 1_000;
const LONG: u64 = 3_000;

/// Runs the measurement. Without valgrind, the row says why not.
///
/// # Errors
/// If valgrind fails.
pub fn measure(table: &mut Table) -> Result<()> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        table.add(Row::skipped(WHAT, "valgrind cannot be run"));
        return Ok(());
    }
    let kernel = instructions_per_iteration("kernel")?;
    let bare = instructions_per_iteration("bare")?;
    table.add(Row::single(WHAT, kernel / bare).at_most(3.0).note(format!("{kernel:.0} over {bare:.0}")));
    Ok(())
}

fn instructions_per_iteration(what: &str) -> Result<f64> {
    let difference = counted(what, LONG)?.checked_sub(counted(what, SHORT)?);
    Ok(difference.context("a longer run took less")? as f64 / (LONG - SHORT) as f64)
}

/// Returns the number of instructions of a run of this program.
fn counted(what: &str, iterations: u64) -> Result<u64> {
    let mut valgrind = Command::new("valgrind");
    let counted = subprocess::command(what)?;
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(counted.get_program());
    let ran = valgrind.args(counted.get_args()).arg(iterations.to_string()).output().context("valgrind")?;
    let errors = String::from_utf8_lossy(&ran.stderr);
    ensure!(ran.status.success(), "valgrind ended with {}: {errors}", ran.status);
    let collected = errors.lines().find_map(|line| line.split_once("Collected :"));
    collected.and_then(|(_, count)| count.trim().parse().ok()).context("valgrind counted nothing")
}
