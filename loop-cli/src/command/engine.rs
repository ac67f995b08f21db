//! Commands that the program of an engine carries out: `loop worker`, `loop submit`, and those with `--engine`.

use std::{
    ffi::{OsStr, OsString},
    io::ErrorKind,
    os::unix::process::CommandExt,
    process::{Command, ExitCode},
};

use anyhow::anyhow;

use super::Failure;
use crate::args::Engine;

/// The program, which is found on the PATH as git finds its subcommands.
const PROGRAM: &str = "loop-temporal";

/// Replaces this process by the program of the engine.
///
/// # Errors
/// The program is missing, or cannot be started.
pub(crate) fn exec<S: AsRef<OsStr>>(
    command: &str,
    words: impl IntoIterator<Item = S>,
) -> Result<ExitCode, Failure> {
    let error = Command::new(PROGRAM).arg(command).args(words).exec();
    Err(Failure::Setup(match error.kind() {
        ErrorKind::NotFound => anyhow!(
            "`loop {command}` needs the program {PROGRAM}, which is not on your PATH\n  build it in a checkout of loop, \
             with protoc installed: cargo install --locked --path {PROGRAM}"
        ),
        _ => anyhow!(error).context(format!("cannot start {PROGRAM}")),
    }))
}

/// Carries out a command about one run on the engine.
pub(crate) fn exec_run(
    Engine::Temporal: Engine,
    command: &str,
    run: Option<&str>,
    json: bool,
) -> Result<ExitCode, Failure> {
    let run = run.ok_or_else(|| {
        Failure::Usage(anyhow!("name the run: `loop runs --engine temporal` lists the runs of the engine"))
    })?;
    exec(command, [Some(run), json.then_some("--json")].into_iter().flatten())
}

/// Carries out a command whose words all belong to the program.
pub(crate) fn exec_passed(command: &str, words: &[OsString]) -> Result<ExitCode, Failure> {
    // These commands exist on an engine only, so its name may be there or not.
    let mut words = words.to_vec();
    if let Some(place) = words.windows(2).position(|pair| pair == ["--engine", "temporal"]) {
        words.drain(place..place + 2);
    }
    exec(command, words)
}
