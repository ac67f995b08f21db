//! Warns about limits that cannot bind although somebody may rely on them.

use super::super::{
    diagnostic::{Diagnostic, Label},
    field::{FieldValue, FlagOrWhole},
    keys::flag,
    raw::RawGuardrails,
    raw_pace::RawPace,
};

/// Returns the warnings about limits. `manifest` is the text of the manifest without the command line.
///
/// A flag such as `--max 1` makes limits of the manifest useless for one run. The manifest is still right, so only
/// limits that are useless without the flags count.
pub(super) fn of(limits: &RawGuardrails, pace: &RawPace, manifest: &str) -> Vec<Diagnostic> {
    let found = [
        idle_allowance(limits),
        late_checkpoint(limits),
        late_failures(limits),
        idle_rate(limits),
        idle_backoff(limits, pace),
    ];
    let is_of_manifest = |label: &Label| label.span.start < manifest.len();
    let is_overruled = |finding: &Diagnostic| {
        finding.marks.split_first().is_some_and(|(limit, others)| {
            is_of_manifest(limit) && others.iter().any(|other| !is_of_manifest(other))
        })
    };
    found.into_iter().flatten().filter(|finding| !is_overruled(finding)).collect()
}

fn idle_allowance(limits: &RawGuardrails) -> Option<Diagnostic> {
    let allowed = limits.allow_unmetered.written().filter(|at| at.value)?;
    let money = [&limits.max_cost_usd, &limits.max_usd_per_hour];
    if money.into_iter().any(|limit| limit.written().is_some()) || limits.max_tokens.written().is_some() {
        return None;
    }
    let finding = Diagnostic::warning(format!("`{}` does nothing here", allowed.key));
    let finding = finding.at(allowed.span.clone(), "there is no limit on cost or tokens to accept");
    Some(finding.help(match flag::key(allowed.key) {
        Some(_) => "remove it, or set `--max-cost`",
        None => "remove it, or set `max_cost_usd` or `max_tokens`",
    }))
}

/// Warns about a checkpoint at the last iteration: the run is over then, so nobody is asked.
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

/// Warns about an hourly cost limit that the limit on the whole run makes unreachable.
fn idle_rate(limits: &RawGuardrails) -> Option<Diagnostic> {
    let (rate, most) = (limits.max_usd_per_hour.written()?, limits.max_cost_usd.written()?);
    // Another check reports amounts that are not above 0.
    if rate.value < most.value || most.value <= 0.0 {
        return None;
    }
    let finding = Diagnostic::warning(format!("`{}` does nothing here", rate.key));
    let finding = finding.at(rate.span.clone(), "the whole run may not cost more than that");
    let finding = finding.at(most.span.clone(), "this comes first");
    Some(finding.help("lower or remove this, or raise the limit of the run"))
}

/// Warns about a backoff after a failure that ends the run.
fn idle_backoff(limits: &RawGuardrails, pace: &RawPace) -> Option<Diagnostic> {
    let (backoff, failures) = (pace.backoff_seconds.written()?, limits.max_consecutive_failures.written()?);
    if backoff.value <= 0.0 || !(1..=2).contains(&failures.value) {
        return None;
    }
    let finding = Diagnostic::warning(format!("`{}` does nothing here", backoff.key));
    let finding = finding.at(backoff.span.clone(), "the first wait is after the second failure in a row");
    let finding = finding.at(failures.span.clone(), "the run is over by then");
    Some(finding.help("allow more failures in a row, or remove this"))
}

/// Creates the finding about `limit`, which would bind after `count` iterations, if the run has no more than that.
fn never_binds<T>(
    limit: &FieldValue<T>,
    count: i128,
    most: &FieldValue<i128>,
    label: &str,
) -> Option<Diagnostic> {
    // Another check reports numbers below 1.
    if count < most.value || most.value < 1 {
        return None;
    }
    let plural = if most.value == 1 { "" } else { "s" };
    let finding = Diagnostic::warning(format!("`{}` does nothing here", limit.key));
    let finding = finding.at(limit.span.clone(), label);
    Some(finding.at(most.span.clone(), format!("at most {} iteration{plural}", most.value)))
}
