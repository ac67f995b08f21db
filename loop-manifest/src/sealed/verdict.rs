//! The words about a sealed check, for people and for the agent.

use std::path::{Path, PathBuf};

use loop_core::{Halt, StopReason, Verdict, WorkError};
use loop_snapshots::Renewed;
use loop_telemetry::check_summary::LOOP_NOTE;

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
            "the part of these files that configures tests is as it was when the run began: {}",
            list(&renewed.put_back_in_part)
        ));
    }
    (!said.is_empty()).then(|| said.join("; "))
}

/// Returns the warnings for the person who reads the run.
pub(super) fn for_people(prepared: &Prepared, iteration: u64, is_put_back: bool) -> Vec<String> {
    let renewed = &prepared.renewed;
    let mut said = Vec::new();
    let done = if is_put_back { "loop put them back" } else { "the check does not use that" };
    let in_part =
        if is_put_back { "loop put that back in `package.json`, and the check uses no other" } else { done };
    if !renewed.put_back.is_empty() {
        said.push(format!(
            "iteration {iteration} changed protected files, and {done}: {}",
            allowed(&renewed.put_back)
        ));
    }
    if !renewed.put_back_in_part.is_empty() {
        said.push(format!(
            "iteration {iteration} changed what configures tests, and {in_part}: {}",
            allowed(&renewed.put_back_in_part)
        ));
    }
    if !renewed.moved.is_empty() {
        said.push(format!(
            "iteration {iteration} moved tests together with their folder, and they judge there: {}",
            list(&renewed.moved)
        ));
    }
    if renewed.has_dropped_build {
        said.push(
            "something changed the kept build output of the sealed check, so it is built anew".to_owned(),
        );
    }
    said
}

/// Returns why a check may have failed although the folder passes it.
pub(super) fn why_it_may_fail(prepared: &Prepared, has_setup: bool) -> Option<String> {
    let renewed = &prepared.renewed;
    let mut said = Vec::new();
    let changed = list(&prepared.with_old_ones);
    if !changed.is_empty() && !has_setup {
        said.push(format!(
            "{changed} changed, but the sealed check has the dependencies with which the run began: \
             `evaluator.setup` names the command that installs others, such as `npm ci`"
        ));
    }
    if !renewed.missing.is_empty() {
        said.push(format!(
            "the sealed check does not have what git ignores, or no snapshot has: {}; the check has to make it, or \
             `evaluator.setup`",
            list(&renewed.missing)
        ));
    }
    if !renewed.left_out.is_empty() {
        said.push(format!(
            "the sealed check does not use new files in places that judge: {}",
            allowed(&renewed.left_out)
        ));
    }
    let moved = moved(renewed);
    if !moved.is_empty() {
        said.push(format!(
            "tests that move to another place need one line for both places: {}",
            permission(&moved)
        ));
    }
    (!said.is_empty()).then(|| said.join("; "))
}

/// Adds to a verdict what the agent has to know, behind the output of the command.
pub(crate) fn with_more(verdict: Verdict, more: Option<String>) -> Verdict {
    let more = more.map(|more| format!("{LOOP_NOTE}{}", more.replace('\n', &format!("\n{LOOP_NOTE}"))));
    behind_output(verdict, more)
}

fn behind_output(verdict: Verdict, more: Option<String>) -> Verdict {
    let Some(more) = more else { return verdict };
    let text = verdict.text().trim_end();
    let text = if text.is_empty() { format!("{more}\n") } else { format!("{text}\n\n{more}\n") };
    verdict.with_text(text)
}

/// Turns a verdict into a fail for this reason, which the agent reads too.
pub(crate) fn refused(verdict: &Verdict, why: &str) -> Verdict {
    behind_output(Verdict::fail().with_text(verdict.text()).with_feedback(why), Some(why.to_owned()))
}

/// Says what the tree does not have, if a command could not run.
pub(super) fn explained(error: WorkError, prepared: &Prepared) -> WorkError {
    let missing = &prepared.renewed.missing;
    match error {
        WorkError::Halt(halt) if halt.reason == StopReason::EvaluatorUnavailable && !missing.is_empty() => {
            let why = format!(
                "{}; the sealed check does not have {}, which a `.gitignore` names: `evaluator.setup` can install it",
                halt.message,
                list(missing)
            );
            Halt::new(StopReason::EvaluatorUnavailable, why).into()
        }
        error => error,
    }
}

/// Lists paths, with the line that would allow a change of them.
fn allowed(paths: &[PathBuf]) -> String {
    format!("{} ({})", list(paths), permission(paths))
}

/// Returns the line that allows a change of these paths. A long list has the folder in which all of them are, if there is one.
fn permission(paths: &[PathBuf]) -> String {
    let paths = topmost(paths);
    let within =
        |above: &&Path| !above.as_os_str().is_empty() && paths.iter().all(|path| path.starts_with(above));
    let folder = paths.first().and_then(|first| first.ancestors().skip(1).find(within));
    let escaped = |path: &Path| glob::Pattern::escape(&path.to_string_lossy());
    let lines: Vec<_> = match folder.filter(|_| paths.len() > MOST_PATHS) {
        Some(folder) => vec![format!("!{}/**", escaped(folder))],
        None => paths.iter().map(|path| format!("!{}", escaped(path))).collect(),
    };
    let quoted: Vec<_> = lines.into_iter().map(|line| serde_json::Value::from(line).to_string()).collect();
    format!("`evaluator.protect: [{}]` allows it", quoted.join(", "))
}

/// Returns the new files at protected places that have the names of removed ones, with those.
fn moved(renewed: &Renewed) -> Vec<PathBuf> {
    let is_pair = |new: &Path, old: &Path| new.file_name() == old.file_name() && new.file_name().is_some();
    let news = renewed.left_out.iter().filter(|new| renewed.put_back.iter().any(|old| is_pair(new, old)));
    let olds = renewed.put_back.iter().filter(|old| renewed.left_out.iter().any(|new| is_pair(new, old)));
    let mut all: Vec<_> = news.chain(olds).cloned().collect();
    all.sort();
    all
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

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(paths: &[&str]) -> Vec<PathBuf> {
        paths.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn the_line_that_allows_a_change_names_all_paths_and_is_yaml() {
        for (changed, expected) in [
            (&["a/x.py", "a/y.py"][..], vec!["!a/x.py", "!a/y.py"]),
            (&["tests", "tests/a.rs"], vec!["!tests"]),
            (&["t/1", "t/2", "t/3", "t/4", "t/5", "t/6"], vec!["!t/**"]),
            (&["test_q\"x\ny\\.py"], vec!["!test_q\"x\ny\\.py"]),
            (&["a[1].test.js"], vec!["!a[[]1[]].test.js"]),
        ] {
            let line = permission(&paths(changed));
            let line = line.trim_start_matches("`evaluator.protect: ").trim_end_matches("` allows it");
            let lines: Vec<String> = serde_json::from_str(line).unwrap();
            assert_eq!(lines, expected);
        }
    }

    #[test]
    fn a_moved_test_needs_one_line_for_both_places() {
        let mut prepared = Prepared::default();
        prepared.renewed.put_back = paths(&["sub", "sub/a_test.go", "tests/b.rs"]);
        prepared.renewed.left_out = paths(&["internal/sub/a_test.go"]);
        let said = why_it_may_fail(&prepared, false).unwrap();
        assert!(said.contains(r#"["!internal/sub/a_test.go", "!sub/a_test.go"]"#), "{said}");
    }
}
