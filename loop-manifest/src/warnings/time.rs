//! Warns about time limits that another limit makes unreachable.

use super::super::{diagnostics::Diagnostic, field::Field, raw::RawManifest};

pub(super) fn of(raw: &RawManifest) -> Vec<Diagnostic> {
    let (agent, run) = (&raw.agent, &raw.guardrails.max_seconds);
    let over = "the whole run is over before that";
    let found = [
        idle_time(raw),
        outlasted(&agent.max_seconds, run, over),
        outlasted(&raw.evaluator.max_seconds, run, over),
        outlasted(&agent.max_silence_seconds, &agent.max_seconds, "the agent is ended before that")
            .or_else(|| outlasted(&agent.max_silence_seconds, run, over)),
    ];
    found.into_iter().flatten().collect()
}

/// Warns about a limit that is not shorter than `outer`, the limit on the whole.
fn outlasted(limit: &Field<f64>, outer: &Field<f64>, label: &str) -> Option<Diagnostic> {
    let (limit, outer) = (limit.written()?, outer.written()?);
    // Another check reports numbers that are not above 0.
    if limit.value < outer.value || outer.value <= 0.0 {
        return None;
    }
    let finding = Diagnostic::warning(format!("`{}` does nothing here", limit.key));
    let finding = finding.at(limit.span.clone(), label).at(outer.span.clone(), "this comes first");
    Some(finding.help(format!("raise `{}`, or lower or remove this", outer.key)))
}

/// Warns if delays alone can exhaust the time before the iterations run out.
fn idle_time(raw: &RawManifest) -> Option<Diagnostic> {
    let (time, delay) = (raw.guardrails.max_seconds.written()?, raw.pace.every_seconds.written()?);
    let most = raw.guardrails.max_iterations.written()?;
    let waits = delay.value * (most.value as f64 - 1.0);
    // Another check reports smaller numbers.
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

/// Returns how many iterations can begin within the time if each takes only a moment.
fn begun_within(time: f64, delay: f64) -> u64 {
    // A float that is too large saturates.
    (time / delay).ceil() as u64
}
