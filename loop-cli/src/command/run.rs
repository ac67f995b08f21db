//! `loop run`: run the loop that a manifest describes.

use std::process::ExitCode;

use anyhow::anyhow;
use jiff::Timestamp;
use loop_telemetry::{FileJournal, Parallel, Redactor, RunInfo, RunStore, StoreError};

use super::{
    Failure, dry_run,
    kept::store,
    perform::{Ready, telemetry},
    setting::{block_on, dir, new_run, place, unless_signalled},
    subject::{self, Subject},
};
use crate::{
    args::RunArgs,
    compose::Place,
    keeping::{self, Past},
    manifest::Format,
    view,
};

pub(crate) fn exec(args: &RunArgs) -> Result<ExitCode, Failure> {
    let dir = dir(args.cwd.as_deref()).map_err(Failure::Usage)?;
    let subject = subject::of(args, &dir)?;
    if !subject.warnings.is_empty() && !args.output.quiet {
        view::say(&subject.warnings);
    }
    let place = place(dir, new_run()).map_err(Failure::Usage)?;
    if args.dry_run {
        let format = subject.manifest.as_deref().and_then(Format::of);
        return block_on(unless_signalled(dry_run::exec(&subject.plan, &place, format)));
    }
    let started = Timestamp::now();
    let redactor = keeping::redactor(&subject.plan, &place);
    view::conceal(redactor.clone());
    let telemetry = telemetry(args.output.telemetry.as_deref()).map_err(Failure::Usage)?;
    let (store, past) = match args.no_journal {
        true => (None, Past::Unkept),
        false => {
            let (store, journal) = begin(args, &subject, &place, started, redactor)?;
            (Some(store), Past::New(journal))
        }
    };
    let output = &args.output;
    let ready = Ready {
        subject: &subject,
        place: &place,
        output,
        telemetry: &telemetry,
        store: store.as_ref(),
        started,
    };
    block_on(ready.perform(past))
}

/// Lists the run and makes its journal, before anything is spent.
fn begin<O>(
    args: &RunArgs,
    subject: &Subject,
    place: &Place,
    started: Timestamp,
    redactor: Redactor,
) -> Result<(RunStore, FileJournal<O>), Failure> {
    let store = store()?;
    let (path, text) = subject.kept();
    let info = RunInfo::new(place.custody.run(), &subject.plan.name, &place.dir, started)
        .manifest(path, redactor.redact(text));
    let parallel = if args.parallel { Parallel::Allowed } else { Parallel::Refused };
    match store.begin(&info, parallel, Timestamp::now) {
        Ok(journal) => Ok((store, journal.redacting(redactor))),
        Err(StoreError::FolderBusy { id, folder }) => Err(Failure::Usage(anyhow!(
            "the run {id} works in {folder} already, and two would undo each other's work\n  \
             `loop tail {id}` shows it; `loop run --parallel` runs both"
        ))),
        Err(error) => {
            let error =
                anyhow!(error).context("the run's journal cannot be kept (`--no-journal` runs without one)");
            Err(Failure::Usage(error))
        }
    }
}
