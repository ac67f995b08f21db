//! `loop report`: writes one run as a page for a browser.

use std::{
    fs::File,
    io::Write as _,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process::ExitCode,
};

use loop_telemetry::{
    RunEntry, RunManifest, RunStore,
    report::{HtmlReport, ReportedRun},
};
use rustix::fs::OFlags;

use super::{
    Failure, OrFail, every,
    run_lifecycle::{
        run_spec::{as_stored, stored_source},
        stored_runs::{RunState, choose_run, glance, read_all, short_id, store},
    },
    snapshots, usage,
};
use crate::{args::ReportArgs, exit, task, view};
use loop_manifest::{
    Plan, kebab_case,
    task::{TaskSpec, TaskText},
};
use loop_session::repeat::Repetition;

pub(crate) fn exec(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let store = store()?;
    let entry = choose_run(&store, args.run.as_deref())?;
    let page = read(&store, &entry)?;
    match &args.html {
        Some(path) if path.as_os_str() == "-" => {
            view::print_raw(page.as_bytes())?;
        }
        named => {
            let path = named.clone().map_or_else(|| default_path(&store, &entry), Ok)?;
            write(&path, &page)?;
            view::print(&path.display().to_string())?;
        }
    }
    Ok(ExitCode::from(exit::OK))
}

/// Builds the page of a run from its current journal.
fn read(store: &RunStore, entry: &RunEntry) -> Result<String, Failure> {
    // Determine the state before reading the journal, as `loop show` does.
    let state = RunState::of(store, entry)?;
    let mut report = HtmlReport::new();
    let progress = read_all(store, entry, |line, _| {
        let output = line.output.as_ref().and_then(glance);
        report.record(&line.event, output.as_ref().map(|output| output as _));
        Ok(())
    })?;
    let manifest = store.info(&entry.id)?.manifest;
    let task = manifest.as_ref().and_then(task_file);
    let goal = manifest.as_ref().and_then(|manifest| goal(manifest, task.as_deref(), &entry.folder));
    let changed = snapshots::changed(entry)?.map(|changed| changed.to_string());
    let run = ReportedRun::new(entry, &progress)
        .with_state(state.word(entry))
        .with_goal(goal.as_deref())
        .with_task(task.as_deref())
        .with_changed(changed.as_deref())
        .with_manifest(manifest.as_ref().map(|manifest| manifest.text.as_str()));
    Ok(report.render(&run, &view::secrets()))
}

/// Returns the file of a task.
fn task_file(manifest: &RunManifest) -> Option<String> {
    let spec = || serde_json::from_str::<TaskSpec>(&manifest.text).ok();
    (manifest.path == task::STORED_AS).then(spec).flatten().map(|spec| spec.file)
}

/// Returns the goal of a run, or the work that it repeats. The goal of a task is the text of its file as it is now, if
/// the file still exists.
pub(super) fn goal(manifest: &RunManifest, task: Option<&str>, folder: &str) -> Option<String> {
    match manifest.path.as_str() {
        task::STORED_AS => TaskText::open(Path::new(folder), task?).ok().map(|(_, file)| file.text),
        every::STORED_AS => {
            let repetition: Repetition = serde_json::from_str(&manifest.text).ok()?;
            Some(repetition.work.text().to_owned())
        }
        _ => Some(as_stored(&stored_source(manifest).and_then(Plan::of).ok()?.plan.goal)),
    }
}

/// Returns the default output file.
fn default_path(store: &RunStore, entry: &RunEntry) -> Result<PathBuf, Failure> {
    let (name, id) = (kebab_case(&entry.name), short_id(store, &entry.id)?);
    Ok(PathBuf::from(if name.is_empty() { format!("run-{id}.html") } else { format!("{name}-{id}.html") }))
}

fn write(path: &Path, page: &str) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(usage!("--html {} is a folder; name a file in it", path.display()));
    }
    let named = || format!("cannot write the page to {}", path.display());
    // A link could lead to any of the user's files, and opening a pipe without a reader would block.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let options = File::options().write(true).create(true).truncate(false).custom_flags(flags).to_owned();
    let is_other = || path.symlink_metadata().is_ok_and(|found| !found.is_file());
    let other = || {
        usage!(
            "--html {} is a link, a pipe or a device, but the page needs a regular file; remove it, or name \
             another file (`--html -` prints the page)",
            path.display()
        )
    };
    let mut file = match options.open(path) {
        Err(_) if is_other() => return Err(other()),
        opened => opened.or_setup(named)?,
    };
    if !file.metadata().or_setup(named)?.is_file() {
        return Err(other());
    }
    file.set_len(0).and_then(|()| file.write_all(page.as_bytes())).or_setup(named)
}
