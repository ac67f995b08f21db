//! `loop rm`: removes runs.

use std::process::ExitCode;

use loop_manifest::discard_copies;
use loop_telemetry::RunStore;

use super::{
    Failure,
    environment::{self, agrees},
    run_lifecycle::stored_runs::{is_in, store},
    snapshots,
};
use crate::{args::RmArgs, exit, view};

pub(crate) fn exec(args: &RmArgs) -> Result<ExitCode, Failure> {
    let store = store()?;
    let before = store.list()?;
    let removed = match args.keep {
        Some(keep) if args.everywhere => keep_everywhere(&store, keep, args.yes)?,
        Some(keep) => {
            let here = environment::dir(None)?;
            store.keep_last(keep, |run| is_in(run, &here))?
        }
        None => remove(&store, &args.runs)?,
    };
    snapshots::forget(before.iter().filter(|run| removed.contains(&run.id)))?;
    if let Some(copies) = environment::copies() {
        for id in &removed {
            discard_copies(&copies, id)?;
        }
    }
    for id in removed {
        view::print_or_warn(&format!("removed {id}"));
    }
    Ok(ExitCode::from(exit::OK))
}

/// Removes the named runs. It finds all of them before it removes any: a typo in the last name then removes nothing.
fn remove(store: &RunStore, named: &[String]) -> Result<Vec<String>, Failure> {
    let ids: Result<Vec<_>, Failure> = named.iter().map(|run| Ok(store.find(run)?.id)).collect();
    let mut ids = ids?;
    ids.sort_unstable();
    ids.dedup();
    ids.iter().try_for_each(|id| store.remove(id))?;
    Ok(ids)
}

/// Removes all but the last ended runs of all folders, after a person has seen them and typed `yes`.
fn keep_everywhere(store: &RunStore, keep: usize, is_agreed: bool) -> Result<Vec<String>, Failure> {
    let mut old: Vec<_> = store.list()?.into_iter().filter(|run| !run.is_open).collect();
    old.truncate(old.len().saturating_sub(keep));
    for run in &old {
        view::print_or_warn(&format!("{}  {}", run.id, view::text::one_line(&run.folder)));
    }
    let question = format!("delete {}", view::text::count(old.len() as u64, "run"));
    if !old.is_empty() && !is_agreed && !agrees(&question)? {
        return Ok(Vec::new());
    }
    let is_shown = |id: &str| old.iter().any(|run| run.id == id);
    Ok(store.keep_last(0, |run| is_shown(&run.id))?)
}
