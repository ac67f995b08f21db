//! `loop run`: run the loop that a manifest describes.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::{Context, anyhow};
use loop_core::{CancellationToken, Ending, Event, Halt, Progress, StopReason};
use loop_telemetry::{Record, StateDir, TelemetryFile};

use super::{Failure, dry_run, load};
use crate::{
    args::RunArgs,
    ask::{self, Declining, Terminal},
    compose::{self, Place},
    exit,
    manifest::Plan,
    signals::{Signal, Signals},
    view::{self, Lines},
};

pub(crate) fn exec(args: &RunArgs) -> Result<ExitCode, Failure> {
    let (plan, warnings) = load(&args.manifest)?;
    if !warnings.is_empty() && !args.quiet {
        view::say(&warnings);
    }
    let place = place(args.cwd.as_deref()).map_err(Failure::Usage)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("the asynchronous runtime could not be started")?;
    let done = if args.dry_run {
        runtime.block_on(dry_run::exec(&plan, &place))
    } else {
        let telemetry = telemetry(args.telemetry.as_deref()).map_err(Failure::Usage)?;
        runtime.block_on(run(args, &plan, &place, &telemetry))
    };
    // A thread that still waits for a person's answer must not hold up the exit.
    runtime.shutdown_background();
    done
}

/// Where the agent and the evaluator run, and with which variables.
fn place(cwd: Option<&Path>) -> anyhow::Result<Place> {
    let dir = match cwd {
        Some(dir) => fs::canonicalize(dir).with_context(|| format!("--cwd {}", dir.display()))?,
        None => env::current_dir().context("the current folder cannot be used")?,
    };
    if !dir.is_dir() {
        return Err(anyhow!("--cwd {} is not a folder", dir.display()));
    }
    Ok(Place { dir, env: env::vars_os().collect() })
}

/// The file for the run's record, tried before anything is spent.
fn telemetry(path: Option<&Path>) -> anyhow::Result<TelemetryFile> {
    let path = match path {
        Some(path) => path.to_owned(),
        None => StateDir::from_env_with(|name| env::var_os(name))?.telemetry(),
    };
    let file = TelemetryFile::open(path);
    file.probe()?;
    Ok(file)
}

async fn run(
    args: &RunArgs,
    plan: &Plan,
    place: &Place,
    telemetry: &TelemetryFile,
) -> Result<ExitCode, Failure> {
    let signals = Signals::listen().context("signals cannot be listened for")?;
    let started = jiff::Timestamp::now();
    let ended = drive(args, plan, place, signals).await?;
    let record = Record::of(&plan.name, &ended.ending, &ended.progress)
        .manifest(absolute(&args.manifest))
        .run_id(uuid::Uuid::now_v7().to_string())
        .between(started, jiff::Timestamp::now());
    if let Err(error) = telemetry.append(&record) {
        view::warning(&format!("the run's record was not written: {:#}", anyhow!(error)));
    }
    if args.json {
        view::tell(&record.to_line());
    }
    if !args.quiet {
        view::say(&view::summary(&plan.name, &ended.ending, &ended.progress, telemetry.path()));
    }
    Ok(exit::of_run(&ended.ending, ended.signal))
}

/// A run that is over.
struct Ended {
    ending: Ending,
    progress: Progress,
    /// The first signal that asked for its end.
    signal: Option<Signal>,
}

/// Runs the loop to its end. The first signal cancels it; the second one drops it, and with it
/// everything that it started.
async fn drive(args: &RunArgs, plan: &Plan, place: &Place, mut signals: Signals) -> Result<Ended, Failure> {
    let cancel = CancellationToken::new();
    let declining = Declining::default();
    let max_iterations = plan.limits.max_iterations.get();
    // A copy of the run's progress that is still there when the run itself has been dropped.
    let seen = Arc::new(Mutex::new(Progress::default()));
    let fold = Arc::clone(&seen);
    let mut loop_ = compose::compose(plan, place)
        .map_err(Failure::Internal)?
        .cancel_on(cancel.clone())
        .observe(move |event: &Event, _: &Progress| {
            fold.lock().unwrap_or_else(PoisonError::into_inner).apply(event);
        });
    if !args.quiet {
        loop_ = loop_.observe(Lines::new(max_iterations));
    }
    if !args.quiet && !args.non_interactive && ask::is_interactive() {
        loop_ = loop_.on_ask(Terminal::new(declining.clone(), max_iterations));
    }
    let mut run = Box::pin(loop_.run());
    let mut first = None;
    let report = loop {
        tokio::select! {
            report = &mut run => break Some(report.context("the loop could not be built")?),
            signal = signals.next() => {
                if signal == Signal::Interrupt && declining.decline() {
                    continue;
                }
                if first.is_some() {
                    break None;
                }
                first = Some(signal);
                cancel.cancel();
            }
        }
    };
    drop(run);
    Ok(match report {
        Some(report) => {
            Ended { ending: report.ending().clone(), progress: report.progress().clone(), signal: first }
        }
        None => {
            let halt = Halt::new(StopReason::Cancelled, "killed by a second signal");
            let progress = seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
            Ended { ending: Ending { halt, guardrail: None }, progress, signal: first }
        }
    })
}

/// The manifest's path, for whoever reads the record elsewhere.
fn absolute(path: &Path) -> PathBuf {
    fs::canonicalize(path)
        .or_else(|_: io::Error| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}
