//! What the kernel costs in instructions, which no other load on the machine can change.
//!
//! Valgrind counts those of this program, run again to do one thing. Two lengths are counted, so that what stands
//! around the loops falls out. Its own harnesses for Rust need a program installed beside it, of the same version;
//! this needs valgrind, and where there is none the row says so.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{
    again,
    table::{Row, Table},
};

const WHAT: &str = "kernel / bare loop: instructions an iteration";
const SHORT: u64 = 1_000;
const LONG: u64 = 3_000;

/// Measures it; without valgrind the row says why not.
///
/// # Errors
/// If valgrind ends in another way than it should.
pub fn measure(table: &mut Table) -> Result<()> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        table.add(Row::skipped(WHAT, "valgrind cannot be run"));
        return Ok(());
    }
    let kernel = an_iteration("kernel")?;
    let bare = an_iteration("bare")?;
    table.add(Row::single(WHAT, kernel / bare).note(format!("{kernel:.0} over {bare:.0}")));
    Ok(())
}

fn an_iteration(what: &str) -> Result<f64> {
    let difference = counted(what, LONG)?.checked_sub(counted(what, SHORT)?);
    Ok(difference.context("a longer run took less")? as f64 / (LONG - SHORT) as f64)
}

/// The instructions of a run of this program.
fn counted(what: &str, iterations: u64) -> Result<u64> {
    let mut valgrind = Command::new("valgrind");
    let counted = again::command(what)?;
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(counted.get_program());
    let ran = valgrind.args(counted.get_args()).arg(iterations.to_string()).output().context("valgrind")?;
    let said = String::from_utf8_lossy(&ran.stderr);
    ensure!(ran.status.success(), "valgrind ended with {}: {said}", ran.status);
    let collected = said.lines().find_map(|line| line.split_once("Collected :"));
    collected.and_then(|(_, count)| count.trim().parse().ok()).context("valgrind counted nothing")
}
