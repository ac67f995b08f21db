//! `loop report`: one run as a page for a browser.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, anyhow};
use loop_telemetry::{RunEntry, RunStore};

use super::{
    Failure,
    kept::{State, decode, meant, read_on, short_id, store},
};
use crate::{
    args::ReportArgs,
    exit,
    manifest::kebab_case,
    report::{Story, Subject, page},
    view,
};

pub(crate) fn exec(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let store = store()?;
    let entry = meant(&store, args.run.as_deref())?;
    let page = read(&store, &entry)?;
    match &args.html {
        Some(path) if path.as_os_str() == "-" => {
            view::hand_over(page.as_bytes())?;
        }
        named => {
            let path = named.clone().map_or_else(|| usual(&store, &entry), Ok)?;
            write(&path, &page).map_err(Failure::Usage)?;
            view::print(&path.display().to_string())?;
        }
    }
    Ok(ExitCode::from(exit::OK))
}

/// The page of a run, as its journal tells it now.
fn read(store: &RunStore, entry: &RunEntry) -> Result<String, Failure> {
    // Before the journal is read, as `loop show` does.
    let state = State::of(store, entry)?;
    let mut story = Story::default();
    let mut progress = loop_core::Progress::default();
    read_on(&mut store.journal(&entry.id)?, &mut progress, |line, _| {
        // What cannot be read of an output keeps nobody from the rest.
        let output = line.output.as_ref().and_then(|output| decode(output).ok());
        story.on_event(&line.event, output);
        Ok(())
    })?;
    if progress.ending().is_none() {
        story.break_off(state.word(entry));
    }
    let manifest = store.info(&entry.id)?.manifest.map(|manifest| manifest.text);
    let subject =
        Subject { entry, state: state.word(entry), progress: &progress, manifest: manifest.as_deref() };
    Ok(page(&subject, &story.told()))
}

/// The file that is written where none is named.
fn usual(store: &RunStore, entry: &RunEntry) -> Result<PathBuf, Failure> {
    let (name, id) = (kebab_case(&entry.name), short_id(store, &entry.id)?);
    Ok(PathBuf::from(if name.is_empty() { format!("run-{id}.html") } else { format!("{name}-{id}.html") }))
}

fn write(path: &Path, page: &str) -> anyhow::Result<()> {
    if path.is_dir() {
        return Err(anyhow!("--html {} is a folder; name a file in it", path.display()));
    }
    fs::write(path, page).with_context(|| format!("the page cannot be written to {}", path.display()))
}
