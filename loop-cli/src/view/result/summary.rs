//! The summary below a finished run.

use std::path::Path;

use loop_core::{Ending, Progress, StopReason};
use loop_telemetry::words;

use crate::{
    drive::FinishedRun,
    view::{BAD, BOLD, GOOD, WARN, paint, text},
};
use loop_manifest::{Plan, next_step, remaining};

/// Formats why the loop stopped, the number of iterations, the time, the cost, the remaining budgets, and the next
/// step. `called` is the person's name for a path of the manifest: the path itself, or a flag. `is_kept` tells whether
/// the run can be resumed. `record` is the file of its record, if it was written.
pub(crate) fn summary(
    plan: &Plan,
    FinishedRun { ending, progress, table, .. }: &FinishedRun,
    (record, changed): (Option<&Path>, Option<String>),
    is_kept: bool,
    called: impl Fn(&'static str) -> &'static str,
) -> String {
    let mut lines = vec![String::new(), heading(ending, &plan.name, progress)];
    let mut row = |label: &str, value: String| lines.push(text::row(label, &value));
    if let Some((label, why)) = words::ending_reason(ending) {
        row(label, why.to_owned());
    }
    if let Some(work) = progress.cut_work() {
        row("cut off", work.to_owned());
    }
    row("iterations", progress.iterations().to_string());
    row("time", words::run_time(progress));
    row("cost", text::cost(progress));
    if let Some(tokens) = text::tokens(progress) {
        row("tokens", tokens);
    }
    if let Some(changed) = changed {
        row("changed", changed);
    }
    for (index, left) in remaining(&plan.limits, progress, table.mean_use()).into_iter().enumerate() {
        row(if index == 0 { "left" } else { "" }, left);
    }
    if let Some(record) = record {
        row("record", record.display().to_string());
    }
    row("next", text::printable(&next_step(plan, (ending, progress), is_kept, called)));
    lines.join("\n")
}

/// Describes in one line why the loop with this name stopped.
pub(super) fn heading(ending: &Ending, name: &str, progress: &Progress) -> String {
    let (style, sign) = match ending.reason() {
        None => (GOOD, "✓"),
        Some(StopReason::Cancelled) | Some(StopReason::Declined) => (WARN, "■"),
        _ => (BAD, "✗"),
    };
    // A check may have passed although the agent's own tests never finished.
    let but = match (ending.is_success(), progress.cut_work()) {
        (true, Some(_)) => paint(WARN, ", but background work was cut off"),
        _ => String::new(),
    };
    format!("{} {}{but}", paint(style, format_args!("{sign} {}", ending.name())), paint(BOLD, name))
}
