//! This program once more, to do one thing: what is counted or weighed from outside has a process of its own.

use std::{env, process::Command};

use anyhow::{Result, bail};

use crate::{kernel, loops};

/// The first argument of such a process.
const AGAIN: &str = "again";

/// This program, to do that so often; see [`serve`].
pub(crate) fn command(what: &str, count: u64) -> Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.args([AGAIN, what]).arg(count.to_string());
    Ok(command)
}

/// Does one thing, if these arguments say so.
///
/// # Errors
/// If it did not do what is to be measured.
pub fn serve(words: &[String]) -> Result<bool> {
    let [first, what, count] = words else { return Ok(false) };
    if first != AGAIN {
        return Ok(false);
    }
    let count = count.parse()?;
    match what.as_str() {
        "kernel" => kernel::kernel(count)?,
        "bare" => kernel::bare(count)?,
        "kernel-loops" => loops::together(count, kernel::kernel_loop)?,
        "bare-loops" => loops::together(count, kernel::bare_loop)?,
        _ => bail!("what is {what}?"),
    };
    Ok(true)
}
