//! Where commands run, and what runs them.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, anyhow};
use loop_agents::{
    process::{Custody, Job},
    usage::UsageFile,
};
use rustix::process::{Resource, getrlimit};

use super::Failure;
use crate::{compose::Place, exit, keeping, signals::Signals, view::Notes};
use loop_manifest::{Paint, settings::Settings};

/// Where the agent and the evaluator run.
pub(super) fn dir(cwd: Option<&Path>) -> anyhow::Result<PathBuf> {
    dir_of("--cwd", cwd)
}

/// The same, as this flag names it.
pub(super) fn dir_of(flag: &str, named: Option<&Path>) -> anyhow::Result<PathBuf> {
    let dir = match named {
        Some(dir) => fs::canonicalize(dir).with_context(|| format!("{flag} {}", dir.display()))?,
        None => env::current_dir().context("the current folder cannot be used")?,
    };
    if !dir.is_dir() {
        return Err(anyhow!("{flag} {} is not a folder", dir.display()));
    }
    Ok(dir)
}

/// The settings that hold in this folder, named as the user would name it, so that messages do.
pub(super) fn settings(dir: &Path) -> Result<Settings, Failure> {
    keeping::settings(dir, |name| env::var_os(name))
        .map_err(|findings| Failure::Manifest(findings.render(Paint::Coloured)))
}

/// The folder, and what the agent and the evaluator of this run find there.
pub(super) fn place(dir: PathBuf, run: String) -> anyhow::Result<Place> {
    enough_files()?;
    // For the secrets in its addresses, which are not to be recorded. Not every run needs settings; what is wrong with
    // them is told where they are needed.
    let _ = keeping::settings(&dir, |name| env::var_os(name));
    let usage = UsageFile::create().with_context(|| {
        let tmp = env::temp_dir();
        format!(
            "the file for the agent's usage cannot be made in {} (set TMPDIR to another folder)",
            tmp.display()
        )
    })?;
    let custody = custody(run).context("the processes of the run cannot be looked after")?;
    let (env, notes, job) = (env::vars_os().collect(), Notes::default(), Job::new());
    Ok(Place { dir, executed: None, env, usage, notes, job, custody })
}

/// A name for a new run. Names sort by time.
pub(super) fn new_run() -> String {
    crate::clock::new_id().to_string()
}

/// A custody for the run with this name. Nothing that a command starts outlives the command, or this process.
pub(super) fn custody(run: String) -> io::Result<Custody> {
    if cfg!(target_os = "linux") {
        // This very program, also if another one was installed in its place meanwhile.
        Ok(Custody::adopting(run)?.guarded_by("/proc/self/exe")?.in_control_group())
    } else {
        Ok(Custody::new(run))
    }
}

/// With fewer open files than this the runtime and a command's pipes do not fit.
const LEAST_FILES: u64 = 32;

fn enough_files() -> anyhow::Result<()> {
    let limit = getrlimit(Resource::Nofile).current;
    match limit.filter(|limit| *limit < LEAST_FILES) {
        Some(limit) => Err(anyhow!(
            "only {limit} open files are allowed here, and a run needs {LEAST_FILES} (`ulimit -n {LEAST_FILES}` allows them)"
        )),
        None => Ok(()),
    }
}

/// Runs `work` to its end, on this thread.
pub(super) fn block_on(work: impl Future<Output = Result<ExitCode, Failure>>) -> Result<ExitCode, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("the asynchronous runtime could not be started")?;
    let done = runtime.block_on(work);
    // A thread that still waits for a person's answer must not hold up the exit.
    runtime.shutdown_background();
    done
}

/// Runs `work` until a signal comes, which ends it and the commands that it has started: they have
/// sessions of their own and would not hear it.
pub(super) async fn unless_signalled(
    work: impl Future<Output = Result<(), Failure>>,
) -> Result<ExitCode, Failure> {
    let mut signals = Signals::listen().context("signals cannot be listened for")?;
    tokio::select! {
        done = work => done.map(|()| ExitCode::from(exit::OK)),
        signal = signals.next() => Ok(ExitCode::from(exit::of_signal(signal))),
    }
}
