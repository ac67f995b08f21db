//! Runs this program again for a single task, because counting or weighing from outside needs a separate process.

use std::{
    env,
    io::{self, Write},
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::{journal, kernel, many_loops, memory};

/// The first argument of such a process.
const AGAIN: &str = "again";

/// Returns the command that runs this program for a task; [`serve`] lists the tasks.
pub(crate) fn command(what: &str) -> Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.args([AGAIN, what]);
    Ok(command)
}

/// Runs a task, if these arguments name one.
///
/// # Errors
/// If the task did not do the measured work.
pub fn serve(words: &[String]) -> Result<bool> {
    let [first, what, rest @ ..] = words else { return Ok(false) };
    if first != AGAIN {
        return Ok(false);
    }
    let [argument, more @ ..] = rest else { bail!("nothing is said of {what}") };
    if what == "weigh" {
        let code = argument.parse().with_context(|| format!("`{argument}` is no exit code"))?;
        let [program, arguments @ ..] = more else { bail!("nothing is there to weigh") };
        let mut command = Command::new(program);
        let peak = memory::peak_kib_of_child(command.args(arguments).stdout(Stdio::null()), code)?;
        writeln!(io::stdout(), "{peak}")?;
        return Ok(true);
    }
    let count = argument.parse().with_context(|| format!("`{argument}` is no count"))?;
    match what.as_str() {
        "kernel" => kernel::kernel(count)?,
        "bare" => kernel::bare(count)?,
        "resume" => journal::resume(Path::new(more.first().context("of which run?")?), count)?,
        "kernel-loops" => many_loops::together(count, kernel::kernel_loop)?,
        "bare-loops" => many_loops::together(count, kernel::bare_loop)?,
        _ => bail!("what is {what}?"),
    };
    Ok(true)
}
