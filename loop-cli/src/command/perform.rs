//! A loop with a plan, run to its end, and told of.

use std::process::ExitCode;

use anyhow::anyhow;
use loop_core::{Ending, StopReason};

use super::{Failure, ready::Ready, subject::Subject};
use crate::{
    args::OutputArgs,
    ask::{self, Declining},
    compose::{self, Place, Watchers, Worker},
    drive::{Audience, Ended},
    exit,
    keeping::{self, Past},
    view::{self, Screen, text},
};
use loop_manifest::{Plan, flag, nobody_to_ask};

/// Runs it.
pub(super) async fn perform<W: Worker>(
    ready: &Ready<'_>,
    subject: &Subject,
    agent: W,
    past: Past<W::Output>,
) -> Result<ExitCode, Failure> {
    let Ready { place, output, ref logs, .. } = *ready;
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
    let (screen, declining) = (Screen::new(&subject.plan.limits, audience), Declining::default());
    let watchers = Watchers { audience, logs: logs.as_ref(), screen: &screen, declining: &declining };
    let composed = compose::watched(agent, &subject.plan, place, &watchers).map_err(Failure::Usage)?;
    let ended = ready.run(composed, subject.plan.limits.max_time, past, &screen, declining).await?;
    tell(ready, subject, &ended);
    ready.tell_of_logs();
    Ok(exit::of_ended(&ended))
}

/// Tells people how it went.
fn tell(ready: &Ready<'_>, subject: &Subject, ended: &Ended) {
    let Ready { place, output, .. } = ready;
    if output.quiet && is_error(&ended.ending) {
        view::error(&anyhow!(text::printable(&ended.ending.to_string())));
    }
    if output.quiet {
        return;
    }
    // A run that ended because its journal failed says so itself.
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
    if let Some(how) = ready.store.and_then(|_| view::resuming(&ended.ending, place.custody.run())) {
        view::say(&how);
    }
}

/// Whether a run ended by a mistake, and not by a limit or a person: that is said even quietly.
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

/// What was reported and could not be read or understood is missing in every sum.
fn warn_of_lost_usage(place: &Place) {
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
