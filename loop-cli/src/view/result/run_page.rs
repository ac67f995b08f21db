//! The display of a run later, or from another terminal.

use loop_core::{Ending, Progress, StopReason};
use loop_guardrails::SpendingRate;
use loop_telemetry::{RunEntry, words};

use super::summary;
use crate::view::{BOLD, GOOD, WARN, paint, text};

/// Returns the text below a run's table: its identity, why it ended, its cost, and how to continue. `id` is a
/// sufficient prefix of its id.
pub(crate) fn run_page(entry: &RunEntry, id: &str, progress: &Progress, is_running: bool) -> String {
    let name = text::printable(&entry.name);
    let heading = match progress.ending() {
        Some(ending) => summary::heading(ending, &name),
        None if is_running => format!("{} {}", paint(GOOD, "● running"), paint(BOLD, name)),
        None => format!("{} {}", paint(WARN, "■ unfinished"), paint(BOLD, name)),
    };
    let mut lines = vec![String::new(), heading];
    let mut row = |label: &str, value: &str| lines.push(format!("  {label:<11}{}", text::printable(value)));
    if let Some((label, why)) = progress.ending().and_then(words::ending_reason) {
        row(label, why);
    }
    row("iterations", &progress.iterations().to_string());
    row("time", &words::run_time(progress));
    row("cost", &text::cost(progress));
    if let Some(tokens) = progress.usage().tokens() {
        row("tokens", &words::token_count(tokens, progress.usage()));
    }
    row("run", &entry.id);
    row("began", &format!("{:.0}", entry.started_at));
    row("folder", &entry.folder);
    if let Some(manifest) = &entry.manifest {
        row("manifest", manifest);
    }
    row("next", &next(id, progress.ending(), is_running));
    lines.join("\n")
}

/// Describes how to continue a run, or what to do first.
fn next(id: &str, ending: Option<&Ending>, is_running: bool) -> String {
    let resume = format!("loop resume {id}");
    let Some(ending) = ending else {
        return match is_running {
            true => format!("`loop tail {id}` follows it"),
            false => format!("`{resume}` continues where it was cut off"),
        };
    };
    match ending.reason() {
        None => "look at what changed, with `git diff` for example".to_owned(),
        Some(StopReason::MaxIterations) => format!("`{resume} --add-iterations 5` allows five more"),
        // A spending rate that is too high stays too high: more money does not help.
        Some(StopReason::BudgetExceeded) if ending.guardrail() == Some(SpendingRate::NAME) => {
            format!("find out why it was so fast; then `{resume}`")
        }
        Some(StopReason::BudgetExceeded) => format!("`{resume} --add-cost 1` allows a dollar more"),
        Some(StopReason::TimeExceeded) => format!("`{resume} --add-seconds 1800` allows half an hour more"),
        Some(StopReason::TokensExceeded) => format!("`{resume} --add-tokens 100000` allows as many more"),
        Some(StopReason::HitlCheckpoint) | Some(StopReason::Declined) => {
            format!(
                "look at what the agent did; then `{resume}`, with `--note TEXT` to add a note to the next prompt"
            )
        }
        Some(StopReason::Cancelled) => format!("`{resume}` continues it"),
        _ => format!("find out why it stopped; then `{resume}`"),
    }
}
