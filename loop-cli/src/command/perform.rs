//! A run that is ready: run to its end, recorded, and told of.

use std::{env, path::Path, process::ExitCode};

use anyhow::{Context, anyhow};
use jiff::Timestamp;
use loop_core::{Ending, StopReason};
use loop_telemetry::{Record, RunStore, StateDir, TelemetryFile};

use super::{Failure, subject::Subject};
use crate::{
    args::OutputArgs,
    ask,
    compose::Place,
    drive::{Audience, Ended, drive},
    exit,
    keeping::{self, Past},
    manifest::{Plan, flags, nobody_to_ask},
    signals::Signals,
    view::{self, text},
};

/// A run that is ready to begin, or to go on.
pub(super) struct Ready<'a> {
    pub(super) subject: &'a Subject,
    pub(super) place: &'a Place,
    pub(super) output: &'a OutputArgs,
    pub(super) telemetry: &'a TelemetryFile,
    /// Where it is listed, if it is.
    pub(super) store: Option<&'a RunStore>,
    /// When it began.
    pub(super) started: Timestamp,
}

/// The file for the run's record, tried before anything is spent.
pub(super) fn telemetry(path: Option<&Path>) -> anyhow::Result<TelemetryFile> {
    let path = match path {
        Some(path) => path.to_owned(),
        None => StateDir::from_env_with(|name| env::var_os(name))?.telemetry(),
    };
    let file = TelemetryFile::at(path);
    file.probe()?;
    Ok(file)
}

impl Ready<'_> {
    /// Runs it.
    pub(super) async fn perform(&self, past: Past) -> Result<ExitCode, Failure> {
        let Self { subject, place, output, .. } = *self;
        let signals = Signals::listen().context("signals cannot be listened for")?;
        let can_be_asked = can_ask(output);
        if !output.quiet {
            warn_of_late_limits(&subject.plan, place);
            // Who asks for it need not be told.
            let needless = output.non_interactive || can_be_asked;
            if let Some(warning) = nobody_to_ask(&subject.plan).filter(|_| !needless) {
                view::warning(&warning);
            }
        }
        let audience = Audience { quiet: output.quiet, can_be_asked, show_output: output.show_output };
        let ended = drive(&subject.plan, place, audience, past, signals).await?;
        let survivors = place.custody.end();
        let record = self.record(&ended);
        warn_of_survivors(&survivors);
        if output.json {
            view::tell(&record.to_line());
        }
        self.tell(&ended);
        Ok(exit::of_run(&ended.ending, ended.signal))
    }

    /// Makes the run's record, and puts it where records go.
    fn record(&self, ended: &Ended) -> Record {
        let name = &self.subject.plan.name;
        let mut record = Record::of(name, &ended.ending, &ended.progress).run_id(self.place.custody.run());
        if let Some(manifest) = &self.subject.manifest {
            record = record.manifest(manifest);
        }
        let record = record.between(self.started, Timestamp::now());
        if let Err(error) = self.telemetry.append(&record) {
            view::warning(&format!("the run's record was not written: {:#}", anyhow!(error)));
        }
        if let Some(Err(error)) = self.store.map(|store| store.note_end(&record)) {
            view::warning(&format!("the run's end is not in the list of runs: {:#}", anyhow!(error)));
        }
        record
    }

    /// Tells people how it went.
    fn tell(&self, ended: &Ended) {
        let Self { subject, place, output, .. } = self;
        if output.quiet && is_error(&ended.ending) {
            view::error(&anyhow!(text::printable(&ended.ending.halt.to_string())));
        }
        if output.quiet {
            return;
        }
        // A run that ended because its journal failed says so itself.
        if let Some(why) =
            ended.unrecorded.as_deref().filter(|_| ended.ending.reason() != &StopReason::Failed)
        {
            view::warning(&keeping::incomplete(why).to_string());
        }
        warn_of_lost_usage(place);
        view::say(&ended.table);
        let called = |path| if subject.is_of_flags() { flags::flag(path) } else { path };
        view::say(&view::summary(
            &subject.plan,
            &ended.ending,
            &ended.progress,
            self.telemetry.path(),
            called,
        ));
        if let Some(how) = self.store.and_then(|_| view::resuming(&ended.ending, place.custody.run())) {
            view::say(&how);
        }
    }
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
fn can_ask(args: &OutputArgs) -> bool {
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
