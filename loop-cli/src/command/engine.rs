//! Commands that the program of an engine carries out: `loop worker`, `loop submit`, and those with `--engine`.

use std::{
    ffi::{OsStr, OsString},
    io::ErrorKind,
    os::unix::process::CommandExt,
    process::{Command, ExitCode},
};

use anyhow::anyhow;

use super::Failure;
use crate::args::{Engine, GrantArgs};

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
    exec(command, [Some(named(run)?), json.then_some("--json")].into_iter().flatten())
}

/// Carries out `loop resume` on the engine.
pub(crate) fn exec_resume(
    Engine::Temporal: Engine,
    run: Option<&str>,
    grant: &GrantArgs,
) -> Result<ExitCode, Failure> {
    let more = |count: u64| Some(count.to_string()).filter(|_| count > 0);
    let values = [
        ("--add-iterations", more(grant.add_iterations)),
        ("--add-cost", grant.add_cost.map(|cost| cost.as_f64().to_string())),
        ("--add-tokens", more(grant.add_tokens)),
        ("--add-seconds", grant.add_seconds.map(|time| time.as_secs_f64().to_string())),
        ("--note", grant.note.clone()),
    ];
    let mut words = vec![named(run)?.to_owned()];
    for (flag, value) in values.into_iter().filter_map(|(flag, value)| Some((flag, value?))) {
        words.extend([flag.to_owned(), value]);
    }
    exec("resume", words)
}

fn named(run: Option<&str>) -> Result<&str, Failure> {
    run.ok_or_else(|| {
        Failure::Usage(anyhow!("name the run: `loop runs --engine temporal` lists the runs of the engine"))
    })
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
