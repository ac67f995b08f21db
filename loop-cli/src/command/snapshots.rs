//! `loop diff`, `loop restore`, `loop apply` and `loop snapshots`: what runs changed in their folder.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::anyhow;
use loop_core::with_causes;
use loop_manifest::{
    Plan,
    plan::SnapshotPlan,
    snapshots::{DiffRequest, FolderSnapshots, PlannedRestore, SnapshotError, state},
};
use loop_snapshots::{Change, ChangeSummary};
use loop_telemetry::{REDACTED, RunEntry, RunStore, StateDir};

use super::{
    Failure, OrFail,
    environment::{agrees, dir, settings},
    run_lifecycle::{
        run_spec,
        stored_runs::{choose_run, is_in, short_id, store},
    },
    usage,
};
use crate::{
    args::{ApplyArgs, DiffArgs, RestoreArgs, SnapshotsCommand},
    exit, persistence,
    view::{self, text},
};

/// Returns the snapshots of a folder, to be read.
fn of(folder: &Path) -> Result<FolderSnapshots, Failure> {
    planned(folder, &SnapshotPlan::default())
}

fn planned(folder: &Path, plan: &SnapshotPlan) -> Result<FolderSnapshots, Failure> {
    Ok(FolderSnapshots::new(folder, StateDir::from_env_with(|name| env::var_os(name))?, plan))
}

/// Returns the snapshots of a folder for a restore, which captures: by the run's manifest and by the settings.
fn to_restore(store: &RunStore, folder: &Path, run: Option<&RunEntry>) -> Result<FolderSnapshots, Failure> {
    let manifest = run.and_then(|run| store.info(&run.id).ok()?.manifest);
    // Those of a task or a repetition are the default ones.
    let plan = manifest.and_then(|manifest| run_spec::stored_source(&manifest).and_then(Plan::of).ok());
    let plan = plan.map_or_else(SnapshotPlan::default, |loaded| loaded.plan.snapshots);
    Ok(planned(folder, &plan)?.with_secrets(settings(folder)?.policy().secrets().clone()))
}

/// Returns the folder of a run: this one if the run works here, because the stored path has no secrets.
pub(super) fn folder_of(run: &RunEntry) -> Result<PathBuf, Failure> {
    let here = dir(None)?;
    Ok(if is_in(run, &here) { here } else { PathBuf::from(&run.folder) })
}

/// Removes the snapshots of removed runs, once per folder. A failure is only a warning: the runs are gone.
pub(super) fn forget<'a>(runs: impl Iterator<Item = &'a RunEntry>) -> Result<(), Failure> {
    let mut by_folder: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for run in runs {
        by_folder.entry(folder_of(run)?).or_default().push(run.id.as_str());
    }
    for (folder, runs) in by_folder {
        if let Err(error) = of(&folder)?.forget(&runs) {
            view::warning(&format!(
                "the snapshots of {} were not removed: {:#}",
                runs.join(", "),
                anyhow!(error)
            ));
        }
    }
    Ok(())
}

/// Returns the named run, or the last one of this folder, the snapshots of its folder, and that folder.
fn of_run(store: &RunStore, named: Option<&str>) -> Result<(RunEntry, FolderSnapshots, PathBuf), Failure> {
    let run = choose_run(store, named.filter(|named| *named != "-"))?;
    let folder = folder_of(&run)?;
    let snapshots = of(&folder)?;
    Ok((run, snapshots, folder))
}

/// Hides the secrets in the manifest of a run from now on: its agent may have written them into files, and into their
/// names. Returns why they are not known, if the run had some that are not known any more.
fn hide_values_of(store: &RunStore, run: &RunEntry, folder: &Path) -> Result<(), String> {
    let info = store.info(&run.id).map_err(|error| with_causes(&error))?.located_in(folder);
    let is_withheld = info.manifest.as_ref().is_some_and(|manifest| manifest.text.contains(REDACTED));
    match run_spec::as_begun(&info) {
        Ok(spec) => view::redact_also(persistence::named_secrets(spec.plan.named_values())),
        Err(why) if is_withheld => return Err(why.to_string()),
        // Without values of its own there is nothing to hide.
        Err(_) => {}
    }
    Ok(())
}

/// As [`hide_values_of`], for contents of files.
fn hide_or_refuse(store: &RunStore, run: &RunEntry, folder: &Path) -> Result<(), Failure> {
    hide_values_of(store, run, folder).map_err(|why| {
        usage!(
            "the changes may contain secrets of the run's manifest, which cannot be hidden: {why}\n  \
             `loop apply {} --patch FILE` writes the changes as they are",
            run.id
        )
    })
}

/// As [`hide_values_of`], for the names of files.
fn hide_or_warn(store: &RunStore, run: &RunEntry, folder: &Path) {
    if let Err(why) = hide_values_of(store, run, folder) {
        view::warning(&format!("secrets of the run's manifest are not hidden here: {why}"));
    }
}

/// Counts the files that a run changed, if it has snapshots and changed any.
pub(super) fn changed(run: &RunEntry) -> Result<Option<ChangeSummary>, Failure> {
    Ok(warned(of(&folder_of(run)?)?.changed(&run.id, None)))
}

/// Returns what changed. A failure is only a warning: the rest of the page still helps.
pub(super) fn warned(changed: Result<Option<ChangeSummary>, SnapshotError>) -> Option<ChangeSummary> {
    changed.unwrap_or_else(|error| {
        view::warning(&with_causes(&error));
        None
    })
}

/// Prints what an iteration changed.
pub(super) fn show_diff(run: &RunEntry, iteration: u64) -> Result<(), Failure> {
    let before = iteration.checked_sub(1).ok_or_else(|| usage!("iterations begin with 1"))?;
    let folder = folder_of(run)?;
    hide_or_refuse(&store()?, run, &folder)?;
    let snapshots = of(&folder)?;
    print(&snapshots, &snapshots.changes(&run.id, (before, iteration), &[])?, false)
}

pub(super) fn diff(args: &DiffArgs) -> Result<ExitCode, Failure> {
    let (store, request) = (store()?, DiffRequest::parse(&args.words));
    let (run, snapshots, folder) = of_run(&store, request.run.as_deref())?;
    hide_or_refuse(&store, &run, &folder)?;
    print(&snapshots, &snapshots.requested(&run.id, &request)?, args.names)?;
    Ok(ExitCode::from(exit::OK))
}

fn print(snapshots: &FolderSnapshots, changes: &[Change], only_names: bool) -> Result<(), Failure> {
    let text = match only_names {
        true => changes.iter().map(|change| change.line() + "\n").collect(),
        false => snapshots.patch(changes)?,
    };
    view::print_raw(view::secrets().redact(&text).as_bytes())?;
    Ok(())
}

pub(super) fn restore(args: &RestoreArgs) -> Result<ExitCode, Failure> {
    let store = store()?;
    if args.undo {
        let here = dir(None)?;
        let last = store.list()?.into_iter().rev().find(|run| is_in(run, &here));
        refuse_while_running(&store, &here)?;
        let plan = to_restore(&store, &here, last.as_ref())?.plan_undo()?;
        return carry_out(plan, "undo the last restore in this folder", args.yes, Path::new("."));
    }
    let run = choose_run(&store, args.run.as_deref().filter(|named| *named != "-"))?;
    let number = args.iteration.ok_or_else(|| usage!("-i N is missing"))?;
    let folder = folder_of(&run)?;
    refuse_while_running(&store, &folder)?;
    hide_or_warn(&store, &run, &folder);
    let snapshots = to_restore(&store, &folder, Some(&run))?;
    let plan = snapshots.plan_restore(&run.id, number, &args.paths)?;
    let doing = format!("return to {} of {}", state(number), short_id(&store, &run.id)?);
    carry_out(plan, &doing, args.yes, &folder)
}

fn refuse_while_running(store: &RunStore, folder: &Path) -> Result<(), Failure> {
    match store.active_in(folder)? {
        None => Ok(()),
        Some(run) => Err(Failure::Busy(anyhow!(
            "the run {} works in {}, and would overwrite what is restored\n  wait until it ends, or end it",
            run.id,
            run.folder
        ))),
    }
}

/// Shows the plan, asks, and carries it out.
fn carry_out(plan: PlannedRestore, doing: &str, is_agreed: bool, folder: &Path) -> Result<ExitCode, Failure> {
    let lines = plan.lines();
    if !lines.is_empty() {
        view::print(&lines.join("\n"))?;
    }
    if plan.is_empty() {
        view::say("nothing to restore: the folder has that state already");
        return Ok(ExitCode::from(exit::OK));
    }
    let summary = plan.summary();
    if !is_agreed && !agrees(&format!("{doing} ({summary})"))? {
        return Ok(ExitCode::from(exit::HALTED));
    }
    let restored = plan.carry_out()?;
    view::say(&format!("restored: {}", ChangeSummary::of(&restored.changes)));
    // The plan listed the others.
    for line in restored.kept_lines().into_iter().filter(|line| !lines.contains(line)) {
        view::warning(&line);
    }
    let is_here = folder == Path::new(".") || dir(None)? == folder;
    let place = if is_here { String::new() } else { format!(" in {}", folder.display()) };
    view::say(&format!("`loop restore --undo`{place} takes that back"));
    Ok(ExitCode::from(exit::OK))
}

pub(super) fn apply(args: &ApplyArgs) -> Result<ExitCode, Failure> {
    let store = store()?;
    let (run, snapshots, folder) = of_run(&store, args.run.as_deref())?;
    hide_or_warn(&store, &run, &folder);
    let handover = snapshots.handover(&run.id)?;
    for line in handover.left_out_lines() {
        view::warning(&line);
    }
    if let Some(name) = &args.branch {
        let commit = snapshots.branch(&handover, name, &run.name)?;
        view::say(&format!("the branch {name} has the changes of {}, in commit {commit}", run.id));
        return Ok(ExitCode::from(exit::OK));
    }
    let patch = snapshots.exact_patch(&handover)?;
    match &args.patch {
        Some(file) if file != &PathBuf::from("-") => {
            fs::write(file, patch).or_setup(|| format!("{} cannot be written", file.display()))?;
        }
        _ => drop(view::print_raw(patch.as_bytes())?),
    }
    Ok(ExitCode::from(exit::OK))
}

pub(super) fn exec(command: &SnapshotsCommand) -> Result<ExitCode, Failure> {
    let (store, here) = (store()?, dir(None)?);
    let snapshots = of(&here)?;
    match command {
        SnapshotsCommand::List => view::print(&snapshots.listing()?).map(drop)?,
        SnapshotsCommand::Size => view::print(&text::bytes(snapshots.size()?)).map(drop)?,
        SnapshotsCommand::Gc => {
            let runs = store.list()?;
            let done = snapshots.collect(|name| runs.iter().any(|run| run.id == name))?;
            let (before, after) = (text::bytes(done.before), text::bytes(done.after));
            view::print(&format!("{before} before, {after} now"))?;
        }
        SnapshotsCommand::Reset { yes } => {
            refuse_while_running(&store, &here)?;
            if *yes || agrees("remove all snapshots of this folder")? {
                snapshots.reset()?;
            }
        }
    }
    Ok(ExitCode::from(exit::OK))
}
