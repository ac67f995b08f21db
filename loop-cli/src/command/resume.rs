//! `loop resume`: go on with a run that was cut off, or that was halted.

use std::{path::Path, process::ExitCode, time::Duration};

use anyhow::{Context, anyhow};
use jiff::Timestamp;
use loop_agents::process::{Swept, sweep};
use loop_core::Grant;
use loop_telemetry::{FileJournal, RunEntry, RunStore, StoreError};

use super::{
    Failure,
    kept::{here, is_in, store},
    perform::{Ready, telemetry},
    setting::{self, block_on, place},
    subject,
};
use crate::{
    args::{GrantArgs, ResumeArgs},
    exit,
    keeping::{self, Past},
    view::{self, text},
};

pub(crate) fn exec(args: &ResumeArgs) -> Result<ExitCode, Failure> {
    let store = store()?;
    let Some(run) = meant(args, &store)? else { return Ok(ExitCode::from(exit::OK)) };
    alone(&store, &run)?;
    let info = store.info(&run.id)?;
    let dir = setting::dir(Some(Path::new(&info.folder)))
        .context("the run's folder is not there any more")
        .map_err(Failure::Usage)?;
    let subject = subject::of_run(&info, args.accept_changes)?;
    if !subject.warnings.is_empty() && !args.output.quiet {
        view::say(&subject.warnings);
    }
    let telemetry = telemetry(args.output.telemetry.as_deref()).map_err(Failure::Usage)?;
    // From here on the run is ours, and nobody else takes it up.
    let journal = take(&store, &run.id)?;
    end_remains(&run.id).map_err(Failure::Usage)?;
    let place = place(dir, run.id).map_err(Failure::Usage)?;
    let redactor = keeping::redactor(&subject.plan, &place);
    view::conceal(redactor.clone());
    let past = Past::Resumed(journal.redacting(redactor), grant(&args.grant));
    let ready = Ready {
        subject: &subject,
        place: &place,
        output: &args.output,
        telemetry: &telemetry,
        store: Some(&store),
        started: info.started_at,
    };
    block_on(ready.perform(past))
}

/// The run that is to go on. `None` if there is nothing to be done, which is said.
fn meant(args: &ResumeArgs, store: &RunStore) -> Result<Option<RunEntry>, Failure> {
    if let Some(id) = &args.run {
        let run = store.find(id)?;
        let is_done = !run.is_open && run.last_ending.as_ref().is_some_and(|record| record.success);
        if is_done {
            view::say(&format!("the run {} has met its goal: there is nothing left to do", run.id));
        }
        return Ok((!is_done).then_some(run));
    }
    let here = here()?;
    if let Some(run) = store.last_unfinished_in(&here)? {
        return Ok(Some(run));
    }
    if let Some(run) = store.living_in(&here)? {
        return Err(is_alive(&run.id));
    }
    let halted = store.list()?.into_iter().rev().find(|run| is_in(run, &here));
    let halted = halted
        .and_then(|run| run.last_ending.filter(|record| !record.success).map(|record| (run.id, record)));
    let more = halted.map(|(id, record)| {
        format!("\n  the last one ended as {}; `loop resume {id}` goes on with it", record.stop_reason)
    });
    view::say(&format!("no run was cut off in this folder{}", more.unwrap_or_default()));
    Ok(None)
}

/// Two runs in one folder would undo each other's work.
fn alone(store: &RunStore, run: &RunEntry) -> Result<(), Failure> {
    match store.living_in(&run.folder)? {
        Some(other) if other.id == run.id => Err(is_alive(&run.id)),
        Some(other) => Err(Failure::Usage(anyhow!(
            "the run {} works in {} now: wait until it has ended, or end it",
            other.id,
            other.folder
        ))),
        None => Ok(()),
    }
}

fn take<O>(store: &RunStore, id: &str) -> Result<FileJournal<O>, Failure> {
    store.resume(id, Timestamp::now).map_err(|error| match error {
        StoreError::Alive { id } => is_alive(&id),
        other => other.into(),
    })
}

fn is_alive(id: &str) -> Failure {
    Failure::Usage(anyhow!("the run {id} is still going: `loop tail {id}` shows it"))
}

/// Ends what the dead run left behind: two agents must not work on one thing.
fn end_remains(run: &str) -> anyhow::Result<()> {
    let (ended, alive): (Vec<_>, Vec<_>) = sweep(run).into_iter().partition(|process| process.ended);
    let names = |processes: &[Swept]| {
        let name = |process: &Swept| format!("{} ({})", process.pid, text::printable(&process.name));
        processes.iter().map(name).collect::<Vec<_>>().join(", ")
    };
    if !ended.is_empty() {
        view::warning(&format!("the run had left processes behind, which were ended: {}", names(&ended)));
    }
    if !alive.is_empty() {
        return Err(anyhow!(
            "processes that the run left behind cannot be ended, and would work beside the new ones: {}\n  \
             end them yourself, then resume the run",
            names(&alive)
        ));
    }
    Ok(())
}

/// What the person adds; `None` if that is nothing.
fn grant(args: &GrantArgs) -> Option<Grant> {
    let grant = Grant {
        iterations: args.add_iterations,
        cost: args.add_cost.unwrap_or_default(),
        time: Duration::from_secs(args.add_seconds),
        note: args.note.clone(),
    };
    (grant != Grant::default()).then_some(grant)
}
