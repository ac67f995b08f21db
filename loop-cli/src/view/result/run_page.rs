//! The display of a run later, or from another terminal.

use loop_core::Progress;
use loop_manifest::how_to_continue;
use loop_snapshots::ChangeSummary;
use loop_telemetry::{RunEntry, words};

use super::summary;
use crate::view::{BOLD, GOOD, WARN, paint, text};

/// Returns the text below a run's table: its identity, why it ended, its cost, and how to continue. `id` is a
/// sufficient prefix of its id.
pub(crate) fn run_page(
    entry: &RunEntry,
    id: &str,
    (progress, changed): (&Progress, Option<ChangeSummary>),
    is_running: bool,
) -> String {
    let name = text::printable(&entry.name);
    let heading = match progress.ending() {
        Some(ending) => summary::heading(ending, &name, progress),
        None if is_running => format!("{} {}", paint(GOOD, "● running"), paint(BOLD, name)),
        None => format!("{} {}", paint(WARN, "■ unfinished"), paint(BOLD, name)),
    };
    let mut lines = vec![String::new(), heading];
    let mut row = |label: &str, value: &str| lines.push(text::row(label, value));
    if let Some((label, why)) = progress.ending().and_then(words::ending_reason) {
        row(label, why);
    }
    if let Some(work) = progress.cut_work() {
        row("cut off", work);
    }
    row("iterations", &progress.iterations().to_string());
    row("time", &words::run_time(progress));
    row("cost", &text::cost(progress));
    if let Some(tokens) = progress.usage().tokens() {
        row("tokens", &words::token_count(tokens, progress.usage()));
    }
    if let Some(changed) = changed {
        row("changed", &format!("{changed} (`loop diff {id}`)"));
    }
    row("run", &entry.id);
    row("began", &format!("{:.0}", entry.started_at));
    row("folder", &entry.folder);
    if let Some(manifest) = &entry.manifest {
        row("manifest", manifest);
    }
    row("next", &how_to_continue(id, progress, is_running));
    lines.join("\n")
}
