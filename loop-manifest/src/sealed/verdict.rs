//! What people and the agent read about a sealed check.

use std::path::PathBuf;

use super::tree::{Prepared, topmost};

/// The most paths in one sentence.
const MOST_PATHS: usize = 5;

/// Returns what the agent reads about the paths that it changed and that judge.
pub(super) fn for_agent(prepared: &Prepared, is_put_back: bool) -> Option<String> {
    let renewed = &prepared.renewed;
    let mut said = Vec::new();
    let end = if is_put_back { ", and they were put back" } else { "" };
    if !renewed.put_back.is_empty() {
        said.push(format!(
            "these files judge your work, so your changes to them do not count{end}: {}",
            list(&renewed.put_back)
        ));
    }
    if !renewed.put_back_in_part.is_empty() {
        said.push(format!(
            "what configures tests in these files is as it was when the run began: {}",
            list(&renewed.put_back_in_part)
        ));
    }
    if !renewed.left_out.is_empty() {
        said.push(format!(
            "these new files are in places that judge, and are not used: {}",
            list(&renewed.left_out)
        ));
    }
    (!said.is_empty()).then(|| said.join("; "))
}

/// Returns the warnings for the person who reads the run.
pub(super) fn for_people(prepared: &Prepared, iteration: u64, is_put_back: bool) -> Vec<String> {
    let renewed = &prepared.renewed;
    let mut said = Vec::new();
    let changed: Vec<_> = renewed.put_back.iter().chain(&renewed.put_back_in_part).cloned().collect();
    if let Some(first) = topmost(&changed).first() {
        let done = if is_put_back { "loop put them back" } else { "the check does not use that" };
        said.push(format!(
            "iteration {iteration} changed protected files, and {done}: {} (`evaluator.protect: [\"!{}\"]` allows it)",
            list(&changed),
            first.display()
        ));
    }
    if renewed.has_dropped_build {
        said.push(
            "something changed the kept build output of the sealed check, so it is built anew".to_owned(),
        );
    }
    said
}

/// Returns why a check may have failed for want of new dependencies.
pub(super) fn about_dependencies(prepared: &Prepared) -> Option<String> {
    let changed = list(&prepared.with_old_ones);
    (!changed.is_empty()).then(|| {
        format!(
            "{changed} changed, but the sealed check has the dependencies with which the run began: \
             `evaluator.setup` names the command that installs others, such as `npm ci`"
        )
    })
}

/// Returns the topmost paths, as many as a sentence can have.
pub(super) fn list(paths: &[PathBuf]) -> String {
    let paths = topmost(paths);
    let named = paths.iter().take(MOST_PATHS).map(|path| path.display().to_string());
    let named = named.collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(MOST_PATHS) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}
