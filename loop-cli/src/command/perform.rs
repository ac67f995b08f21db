//! Runs a planned loop to its end, and reports it.

use std::process::ExitCode;

use std::sync::Arc;

use anyhow::anyhow;
use loop_agents::process::Stream;
use loop_core::{Ending, StopReason};

use super::{Failure, ready::Ready, subject::Subject};
use crate::{
    args::OutputArgs,
    ask::{self, Declining, Terminal},
    drive::{Audience, Ended},
    exit,
    keeping::{self, Past},
    logging::OutputLogs,
    view::{self, Lines, Output, Screen, text},
};
use loop_manifest::{AgentOutput, ExecutionContext, OutputSink, Plan, PlannedLoop, flag, nobody_to_ask};

/// Runs the loop.
pub(super) async fn perform(
    ready: &Ready<'_>,
    subject: &Subject,
    past: Past<AgentOutput>,
) -> Result<ExitCode, Failure> {
    let Ready { place, output, .. } = *ready;
    let can_be_asked = can_ask(output);
    if !output.quiet {
        warn_of_late_limits(&subject.plan, place);
        // Users who chose this mode need no warning about it.
        let needless = output.non_interactive || can_be_asked;
        if let Some(warning) = nobody_to_ask(&subject.plan).filter(|_| !needless) {
            view::warning(&warning);
        }
    }
    let audience = Audience { quiet: output.quiet, can_be_asked, show_output: output.show_output };
    let (screen, declining) = (Screen::new(&subject.plan.limits, audience), Declining::default());
    let composed = composed(ready, &subject.plan, audience, (&screen, &declining))?;
    let ended = ready.run(composed, subject.plan.limits.max_time, past, &screen, declining).await?;
    tell(ready, subject, &ended);
    ready.tell_of_logs();
    Ok(exit::of_ended(&ended))
}

/// Builds the loop of a plan, with its observers.
fn composed(
    ready: &Ready<'_>,
    plan: &Plan,
    Audience { quiet, can_be_asked, show_output }: Audience,
    (screen, declining): (&Screen, &Declining),
) -> Result<PlannedLoop, Failure> {
    let logs = ready.logs.clone();
    let is_shown = show_output || screen.is_live();
    let mut place = ready.place.clone();
    if is_shown || logs.is_some() {
        let screen = screen.clone();
        place = place.on_output(move || {
            let shown = is_shown.then(|| Output::new(screen.clone(), show_output));
            Arc::new(Printed { shown, logs: logs.clone() })
        });
    }
    if !quiet {
        let screen = screen.clone();
        place = place.on_usage_note(move |note| screen.usage_note(note));
    }
    let mut composed = plan.compose(&place)?;
    let max_iterations = plan.limits.max_iterations.get();
    if !quiet {
        composed = composed.observe(Lines::new(screen.clone(), max_iterations));
    }
    if can_be_asked {
        composed = composed.on_ask(Terminal::new(screen.clone(), declining.clone(), max_iterations));
    }
    Ok(composed)
}

/// Shows and stores the output of one agent or check.
pub(super) struct Printed {
    pub(super) shown: Option<Output>,
    pub(super) logs: Option<OutputLogs>,
}

impl OutputSink for Printed {
    fn text(&self, bytes: &[u8]) {
        if let Some(shown) = &self.shown {
            shown.feed(bytes);
        }
    }

    fn raw(&self, stream: Stream, bytes: &[u8]) {
        if let Some(logs) = &self.logs {
            logs.write(stream, bytes);
        }
    }
}

/// Reports the result to people.
fn tell(ready: &Ready<'_>, subject: &Subject, ended: &Ended) {
    let Ready { place, output, .. } = ready;
    if output.quiet && is_error(&ended.ending) {
        view::error(&anyhow!(text::printable(&ended.ending.to_string())));
    }
    if output.quiet {
        return;
    }
    // A run that ended because its journal failed already reports that itself.
    if let Some(why) =
        ended.unrecorded.as_deref().filter(|_| ended.ending.reason() != Some(&StopReason::Failed))
    {
        view::warning(&keeping::incomplete(why).to_string());
    }
    warn_of_lost_usage(place);
    view::say(&ended.table.render());
    let called = |path| if subject.is_of_flags() { flag(path) } else { path };
    let (telemetry, is_kept) = (ready.telemetry.path(), ready.store.is_some());
    view::say(&view::summary(&subject.plan, ended, telemetry, is_kept, called));
    if let Some(how) = ready.store.and_then(|_| view::resuming(&ended.ending, place.custody().run())) {
        view::say(&how);
    }
}

/// Returns whether a run ended by an error, rather than by a limit or a person. Errors are reported even in quiet mode.
fn is_error(ending: &Ending) -> bool {
    matches!(
        ending.reason(),
        Some(StopReason::AgentUnavailable)
            | Some(StopReason::EvaluatorUnavailable)
            | Some(StopReason::PromptUndeliverable)
            | Some(StopReason::AttemptsExhausted)
            | Some(StopReason::Failed)
    )
}

/// Returns whether somebody can answer a question of the run.
fn can_ask(args: &OutputArgs) -> bool {
    !args.quiet && !args.non_interactive && ask::is_interactive()
}

/// Warns about limits that take effect later than a person may expect.
fn warn_of_late_limits(plan: &Plan, place: &ExecutionContext) {
    let limited = plan.limits.max_cost.is_some() || plan.limits.max_tokens.is_some();
    if let Some(error) = place.usage_file().watch_error().filter(|_| limited) {
        view::warning(&format!(
            "usage is read only when a command ends, so a limit on it cannot cut one that runs: {error}"
        ));
    }
}

/// Warns about lost usage reports: every sum lacks them.
fn warn_of_lost_usage(place: &ExecutionContext) {
    if let Some(error) = place.usage_file().last_read_error() {
        view::warning(&format!(
            "usage may be missing: the file that LOOP_USAGE_FILE names could not be read once: {error}"
        ));
    }
    if let Some(last) = place.usage_file().last_refusal() {
        let lines = text::count(place.usage_file().refused(), "line");
        view::warning(&format!(
            "{lines} in the file that LOOP_USAGE_FILE names did not count, the last being {}",
            text::printable(&last)
        ));
    }
}
