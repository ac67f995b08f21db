//! `loop tail`: follows a run from another terminal.

use std::{process::ExitCode, thread, time::Duration};

use anyhow::anyhow;
use loop_core::{Progress, StopReason};
use loop_telemetry::{Record, RunStore, words::ending_reason};

use super::{
    Failure, engine,
    run_lifecycle::{
        run_spec,
        stored_runs::{JOURNAL_WAS_CUT, choose_run, journal, read_on, short_id, store},
    },
};
use crate::{
    args::TailArgs,
    exit,
    view::{self, EventWording, text},
};
use loop_manifest::Plan;

/// The polling interval. File notification does not work for folders that another machine writes to, and a poll costs
/// only two system calls.
const PAUSE: Duration = Duration::from_millis(200);

pub(crate) fn exec(args: &TailArgs) -> Result<ExitCode, Failure> {
    if let Some(engine) = args.engine {
        return engine::exec_run(engine, "tail", args.run.as_deref(), false);
    }
    let store = store()?;
    let run = choose_run(&store, args.run.as_deref())?;
    let mut journal = journal(&store, &run)?;
    let id = run.id;
    let (mut progress, mut wording) = (Progress::default(), EventWording::new(max_iterations(&store, &id)));
    loop {
        // Check this before reading the journal. Once the run is known to be dead, the read then covers everything it
        // wrote.
        let is_alive = store.is_alive(&id)?;
        let mut is_read = true;
        read_on(&mut journal, &mut progress, |line, progress| {
            if let Some(line) = wording.line(&line.event, progress).filter(|_| is_read) {
                is_read = view::print_or_warn(&line);
            }
            Ok(())
        })?;
        if !is_read {
            return Ok(ExitCode::from(exit::OK));
        }
        if let Some(ending) = progress.ending() {
            let why = ending_reason(ending).map(|(_, why)| format!(": {why}")).unwrap_or_default();
            view::print_or_warn(&text::printable(&format!("{}{why}", ending.name())));
            return Ok(exit::of_run(ending.reason(), signal(&store, &id, ending.reason())?).into());
        }
        if !is_alive && let Some(record) = recorded_end(&store, &id)? {
            // Only a signal ends a run without an entry in its journal.
            match record.signal {
                Some(_) => drop(view::print_or_warn(&format!("{}: it was killed", record.ending_name()))),
                None => view::warning(JOURNAL_WAS_CUT),
            }
            return Ok(exit::of_run(record.stop_reason.as_ref(), record.signal).into());
        }
        if !is_alive {
            let id = short_id(&store, &id)?;
            let error =
                anyhow!("the run died before it ended\n  `loop resume {id}` continues where it was cut off");
            return Err(Failure::Internal(error));
        }
        thread::sleep(PAUSE);
    }
}

/// Waits for the signal that cancelled a run. The journal does not contain it: the run records it once everything that
/// it started has ended.
fn signal(store: &RunStore, id: &str, reason: Option<&StopReason>) -> Result<Option<u8>, Failure> {
    if reason != Some(&StopReason::Cancelled) {
        return Ok(None);
    }
    while store.is_alive(id)? {
        thread::sleep(PAUSE);
    }
    Ok(recorded_end(store, id)?.and_then(|record| record.signal))
}

/// Returns the recorded end of a run, or `None`. If a second signal made the process kill its own run, only this record
/// exists, because no process was left to write the journal.
fn recorded_end(store: &RunStore, id: &str) -> Result<Option<Record>, Failure> {
    let run = store.find(id)?;
    Ok(run.last_ending.filter(|_| !run.is_open))
}

/// Returns the iteration limit of the run's manifest, if the manifest is readable. Warns of a damaged or missing
/// `run.json`; the journal tells the rest.
fn max_iterations(store: &RunStore, id: &str) -> Option<u64> {
    let info = store.info(id).inspect_err(|error| view::warning(&error.to_string())).ok()?;
    let manifest = info.manifest?;
    let loaded = Plan::of(run_spec::stored_source(&manifest).ok()?).ok()?;
    Some(loaded.plan.limits.max_iterations.get())
}
