//! This program once more, to do one thing: what is counted or weighed from outside has a process of its own.

use std::{
    env,
    io::{self, Write},
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::{journal, kernel, loops, memory};

/// The first argument of such a process.
const AGAIN: &str = "again";

/// This program, to do that; [`serve`] lists what.
pub(crate) fn command(what: &str) -> Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.args([AGAIN, what]);
    Ok(command)
}

/// Does one thing, if these arguments say so.
///
/// # Errors
/// If it did not do what is to be measured.
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
        "kernel-loops" => loops::together(count, kernel::kernel_loop)?,
        "bare-loops" => loops::together(count, kernel::bare_loop)?,
        _ => bail!("what is {what}?"),
    };
    Ok(true)
}
