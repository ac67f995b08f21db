//! `loop tail`: follow a run from another terminal.

use std::{process::ExitCode, thread, time::Duration};

use anyhow::anyhow;
use loop_core::{Progress, StopReason};
use loop_telemetry::{Record, RunStore, words::ending_reason};

use super::{
    Failure,
    kept::{journal, meant, read_on, short_id, store},
    subject,
};
use crate::{
    args::TailArgs,
    exit,
    view::{self, Wording, text},
};
use loop_manifest::Plan;

/// How often it is looked whether there is more. The system could tell instead, but not of a folder that another
/// machine writes to; and to look costs two system calls.
const PAUSE: Duration = Duration::from_millis(200);

pub(crate) fn exec(args: &TailArgs) -> Result<ExitCode, Failure> {
    let store = store()?;
    let run = meant(&store, args.run.as_deref())?;
    let mut journal = journal(&store, &run)?;
    let id = run.id;
    let (mut progress, mut wording) = (Progress::default(), Wording::new(max_iterations(&store, &id)));
    loop {
        // Before the journal is read: what a run wrote before it died is read after it is known to be dead.
        let is_alive = store.is_alive(&id)?;
        let mut is_read = true;
        read_on(&mut journal, &mut progress, |line, progress| {
            if let Some(line) = wording.line(&line.event, progress).filter(|_| is_read) {
                is_read = view::tell(&line);
            }
            Ok(())
        })?;
        if !is_read {
            return Ok(ExitCode::from(exit::OK));
        }
        if let Some(ending) = progress.ending() {
            let why = ending_reason(ending).map(|(_, why)| format!(": {why}")).unwrap_or_default();
            view::tell(&text::printable(&format!("{}{why}", ending.name())));
            return Ok(exit::of_run(ending.reason(), signal(&store, &id, ending.reason())?));
        }
        if !is_alive && let Some(record) = noted(&store, &id)? {
            view::tell(&format!("{}: it was killed", record.ending_name()));
            return Ok(exit::of_run(record.stop_reason.as_ref(), record.signal));
        }
        if !is_alive {
            let id = short_id(&store, &id)?;
            let error =
                anyhow!("the run died before it ended\n  `loop resume {id}` goes on where it was cut off");
            return Err(Failure::Internal(error));
        }
        thread::sleep(PAUSE);
    }
}

/// The signal that cancelled a run. Its journal does not know it: it is noted when all that the run started has
/// ended, and that is waited for.
fn signal(store: &RunStore, id: &str, reason: Option<&StopReason>) -> Result<Option<u8>, Failure> {
    if reason != Some(&StopReason::Cancelled) {
        return Ok(None);
    }
    while store.is_alive(id)? {
        thread::sleep(PAUSE);
    }
    Ok(noted(store, id)?.and_then(|record| record.signal))
}

/// How a run ended, as it was noted; `None` if it was not. A run that was killed by its own process, at the second
/// signal, has that alone: nobody was left to write its journal.
fn noted(store: &RunStore, id: &str) -> Result<Option<Record>, Failure> {
    let run = store.find(id)?;
    Ok(run.last_ending.filter(|_| !run.is_open))
}

/// As many iterations as the run's manifest allows, if it has one that can be read.
fn max_iterations(store: &RunStore, id: &str) -> Option<u64> {
    let manifest = store.info(id).ok()?.manifest?;
    let loaded = Plan::of(subject::kept(&manifest).ok()?).ok()?;
    Some(loaded.plan.limits.max_iterations.get())
}
