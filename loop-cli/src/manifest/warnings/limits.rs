//! Limits that cannot bind, and that somebody may count on.

use super::super::{
    diagnostics::Diagnostic,
    field::{At, FlagOrWhole},
    raw::{RawGuardrails, RawManifest},
};

pub(super) fn of(raw: &RawManifest) -> Vec<Diagnostic> {
    let limits = &raw.guardrails;
    let found = [idle_allowance(limits), late_checkpoint(limits), late_failures(limits), idle_time(raw)];
    found.into_iter().flatten().collect()
}

fn idle_allowance(limits: &RawGuardrails) -> Option<Diagnostic> {
    let allowed = limits.allow_unmetered.written().filter(|at| at.value)?;
    if limits.max_cost_usd.written().is_some() || limits.max_tokens.written().is_some() {
        return None;
    }
    let finding = Diagnostic::warning("`guardrails.allow_unmetered` does nothing here");
    let finding = finding.at(allowed.span.clone(), "there is no limit on cost or tokens to accept");
    Some(finding.help("remove it, or set `max_cost_usd` or `max_tokens`"))
}

/// The last iteration is not asked about: the run is over then.
fn late_checkpoint(limits: &RawGuardrails) -> Option<Diagnostic> {
    let (most, every) = (limits.max_iterations.written()?, limits.hitl_checkpoint.written()?);
    let count = match every.value {
        FlagOrWhole::Flag(false) => return None,
        FlagOrWhole::Flag(true) => 1,
        FlagOrWhole::Whole(count) => count,
    };
    let finding = never_binds(every, count, most, "nobody is asked: the run is over before that")?;
    Some(finding.help("raise the number of iterations, or lower or remove this"))
}

fn late_failures(limits: &RawGuardrails) -> Option<Diagnostic> {
    let (most, failures) = (limits.max_iterations.written()?, limits.max_consecutive_failures.written()?);
    let finding = never_binds(failures, failures.value, most, "there are not enough iterations for this")?;
    Some(finding.help("raise the number of iterations, or lower or remove this"))
}

/// The finding about `limit`, which would bind after `count` iterations, if there are no more than that.
fn never_binds<T>(limit: &At<T>, count: i128, most: &At<i128>, label: &str) -> Option<Diagnostic> {
    // A number below 1 is reported as wrong.
    if count < most.value || most.value < 1 {
        return None;
    }
    let plural = if most.value == 1 { "" } else { "s" };
    let finding = Diagnostic::warning(format!("`{}` does nothing here", limit.key));
    let finding = finding.at(limit.span.clone(), label);
    Some(finding.at(most.span.clone(), format!("at most {} iteration{plural}", most.value)))
}

/// Delays alone can use up the time before the iterations are used up.
fn idle_time(raw: &RawManifest) -> Option<Diagnostic> {
    let (time, delay) = (raw.guardrails.max_seconds.written()?, raw.pace.every_seconds.written()?);
    let most = raw.guardrails.max_iterations.written()?;
    let waits = delay.value * (most.value as f64 - 1.0);
    // Numbers below these are reported as wrong.
    if waits < time.value || time.value <= 0.0 || waits <= 0.0 {
        return None;
    }
    let title = match begun_within(time.value, delay.value) {
        1 => "the time ends before a second iteration can begin".to_owned(),
        count => format!("the time ends after {count} of {} iterations at the latest", most.value),
    };
    let finding = Diagnostic::warning(title).at(time.span.clone(), "the waits count, too");
    let finding = finding.at(delay.span.clone(), "as long as this after every iteration");
    Some(finding.help(format!("raise `{}`, or make the delay shorter", time.key)))
}

/// How many iterations can have begun when the time is over, each of which takes a moment.
fn begun_within(time: f64, delay: f64) -> u64 {
    // A float that is too large becomes the largest number.
    (time / delay).ceil() as u64
}
