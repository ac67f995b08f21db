//! `loop show`: shows one run, or one iteration of it.

mod iteration;
mod json;
mod prompt;

use std::process::ExitCode;

use loop_core::Observer;
use loop_telemetry::{RunEntry, RunStore};

use self::json::ShowJson;
use super::{
    Failure, engine,
    run_lifecycle::stored_runs::{RunState, choose_run, glance, read_all, short_id, store},
    snapshots,
};
use crate::{
    args::ShowArgs,
    exit,
    view::{self, IterationTable, run_page},
};

pub(crate) fn exec(args: &ShowArgs) -> Result<ExitCode, Failure> {
    if let Some(engine) = args.engine {
        return engine::exec_run(engine, "show", args.run.as_deref(), args.json);
    }
    let store = store()?;
    let entry = choose_run(&store, args.run.as_deref())?;
    if let Some(number) = args.iteration.filter(|_| args.part.prompt) {
        prompt::show(&store, &entry.id, number)?;
    } else if let Some(number) = args.iteration.filter(|_| args.part.diff) {
        snapshots::show_diff(&entry, number)?;
    } else if let Some(number) = args.iteration {
        iteration::show(&store, &entry.id, number, &args.part)?;
    } else if args.json {
        view::print_json(&ShowJson::read(&store, &entry)?)?;
    } else {
        view::print(&page(&store, &entry)?)?;
    }
    Ok(ExitCode::from(exit::OK))
}

fn page(store: &RunStore, entry: &RunEntry) -> Result<String, Failure> {
    // Determine the state before reading the journal: a run that ends meanwhile then appears as running, and not as
    // dead.
    let state = RunState::of(store, entry)?;
    let mut table = IterationTable::full();
    let progress = read_all(store, entry, |line, progress| {
        if let Some(output) = line.output.as_ref().and_then(glance) {
            table.record_output(&output);
        }
        table.on_event(&line.event, progress);
        Ok(())
    })?;
    if progress.ending().is_none() {
        table.end_unfinished(state.word(entry));
    }
    let id = short_id(store, &entry.id)?;
    let changed = snapshots::changed(entry)?;
    Ok(table.render() + &run_page(entry, &id, (&progress, changed), state == RunState::Running))
}
