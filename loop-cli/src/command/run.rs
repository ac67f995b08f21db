//! `loop run`: run the loop that a manifest describes.

use std::{env, path::Path, process::ExitCode};

use anyhow::{Context, anyhow};
use loop_core::{Ending, StopReason};
use loop_telemetry::{Record, StateDir, TelemetryFile};

use super::{
    Failure, dry_run,
    setting::{block_on, dir, place, unless_signalled},
    subject::{self, Subject},
};
use crate::{
    args::RunArgs,
    ask,
    compose::Place,
    drive::{Audience, drive},
    exit,
    manifest::{Format, Plan, flags, nobody_to_ask},
    signals::Signals,
    view::{self, text},
};

pub(crate) fn exec(args: &RunArgs) -> Result<ExitCode, Failure> {
    let dir = dir(args.cwd.as_deref()).map_err(Failure::Usage)?;
    let subject = subject::of(args, &dir)?;
    if !subject.warnings.is_empty() && !args.quiet {
        view::say(&subject.warnings);
    }
    let place = place(dir).map_err(Failure::Usage)?;
    if args.dry_run {
        let format = subject.manifest.as_deref().and_then(Format::of);
        return block_on(unless_signalled(dry_run::exec(&subject.plan, &place, format)));
    }
    let telemetry = telemetry(args.telemetry.as_deref()).map_err(Failure::Usage)?;
    block_on(run(args, &subject, &place, &telemetry))
}

/// The file for the run's record, tried before anything is spent.
fn telemetry(path: Option<&Path>) -> anyhow::Result<TelemetryFile> {
    let path = match path {
        Some(path) => path.to_owned(),
        None => StateDir::from_env_with(|name| env::var_os(name))?.telemetry(),
    };
    let file = TelemetryFile::at(path);
    file.probe()?;
    Ok(file)
}

async fn run(
    args: &RunArgs,
    Subject { plan, manifest, .. }: &Subject,
    place: &Place,
    telemetry: &TelemetryFile,
) -> Result<ExitCode, Failure> {
    let signals = Signals::listen().context("signals cannot be listened for")?;
    let started = jiff::Timestamp::now();
    if !args.quiet {
        warn_of_late_limits(plan, place);
        // Who asks for it need not be told.
        if let Some(warning) = nobody_to_ask(plan).filter(|_| !args.non_interactive && !can_ask(args)) {
            view::warning(&warning);
        }
    }
    let audience = Audience { quiet: args.quiet, can_be_asked: can_ask(args), show_output: args.show_output };
    let ended = drive(plan, place, audience, signals).await?;
    let survivors = place.custody.end();
    let mut record = Record::of(&plan.name, &ended.ending, &ended.progress).run_id(place.custody.run());
    if let Some(manifest) = manifest {
        record = record.manifest(manifest);
    }
    let record = record.between(started, jiff::Timestamp::now());
    if let Err(error) = telemetry.append(&record) {
        view::warning(&format!("the run's record was not written: {:#}", anyhow!(error)));
    }
    warn_of_survivors(&survivors);
    if args.json {
        view::tell(&record.to_line());
    }
    if args.quiet && is_error(&ended.ending) {
        view::error(&anyhow!(text::printable(&ended.ending.halt.to_string())));
    }
    if !args.quiet {
        warn_of_lost_usage(place);
        view::say(&ended.table);
        let called = |path| if manifest.is_some() { path } else { flags::flag(path) };
        view::say(&view::summary(plan, &ended.ending, &ended.progress, telemetry.path(), called));
    }
    Ok(exit::of_run(&ended.ending, ended.signal))
}

/// Whether a run ended by a mistake, and not by a limit or a person: that is said even quietly.
fn is_error(ending: &Ending) -> bool {
    matches!(
        ending.reason(),
        StopReason::AgentUnavailable
            | StopReason::EvaluatorUnavailable
            | StopReason::PromptUndeliverable
            | StopReason::AttemptsExhausted
            | StopReason::Failed
    )
}

/// Whether a question of the run reaches somebody.
fn can_ask(args: &RunArgs) -> bool {
    !args.quiet && !args.non_interactive && ask::is_interactive()
}

/// A limit that a person counts on must not hold less than they think.
fn warn_of_late_limits(plan: &Plan, place: &Place) {
    let limited = plan.limits.max_cost.is_some() || plan.limits.max_tokens.is_some();
    if let Some(error) = place.usage.watch_error().filter(|_| limited) {
        view::warning(&format!(
            "usage is read only when a command ends, so a limit on it cannot cut one that runs: {error}"
        ));
    }
}

/// What lives on although the run is over is somebody's to end.
fn warn_of_survivors(survivors: &[u32]) {
    const SHOWN: usize = 10;
    if survivors.is_empty() {
        return;
    }
    let numbers: Vec<_> = survivors.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = match survivors.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    view::warning(&format!(
        "processes that the run left behind could not be ended: {}{more} (`ps -p {}` shows them)",
        numbers.join(", "),
        numbers.join(",")
    ));
}

/// What was reported and could not be read or understood is missing in every sum.
fn warn_of_lost_usage(place: &Place) {
    for note in place.notes.take() {
        view::warning(&format!("of the usage that the agent prints: {}", text::printable(&note)));
    }
    if let Some(error) = place.usage.last_read_error() {
        view::warning(&format!(
            "usage may be missing: the file that LOOP_USAGE_FILE names could not be read once: {error}"
        ));
    }
    if let Some(last) = place.usage.last_refusal() {
        let lines = text::count(place.usage.refused(), "line");
        view::warning(&format!(
            "{lines} in the file that LOOP_USAGE_FILE names did not count, the last being {}",
            text::printable(&last)
        ));
    }
}
