//! `loop run`: run the loop that a manifest describes.

use std::process::ExitCode;

use loop_telemetry::{Redactor, RunInfo};

use super::{
    Failure, dry_run,
    perform::perform,
    ready::{Keep, Kept, Ready, begin, telemetry},
    setting::{block_on, dir, new_run, place, unless_signalled},
    subject::{self, Subject},
};
use crate::{args::RunArgs, clock, keeping, view};
use loop_manifest::{ExecutionContext, Format};

pub(crate) fn exec(args: &RunArgs) -> Result<ExitCode, Failure> {
    let dir = dir(args.cwd.as_deref())?;
    let subject = subject::of(args, &dir)?;
    if !subject.warnings.is_empty() && !args.output.quiet {
        view::say(&subject.warnings);
    }
    let place = place(dir, new_run())?.executing(subject.manifest.clone());
    let redactor = keeping::redactor(&subject.plan.agent.env.set, place.variables());
    view::conceal(redactor.clone());
    if args.dry_run {
        let format = subject.manifest.as_deref().and_then(Format::of);
        return block_on(unless_signalled(dry_run::exec(&subject.plan, &place, format)));
    }
    // Find problems with any part before storing anything about the run.
    subject.plan.compose(&place.clone().on_warning(|_| ())).map(drop)?;
    start(args, &subject, &place, redactor)
}

/// Lists the run, and runs it.
fn start(
    args: &RunArgs,
    subject: &Subject,
    place: &ExecutionContext,
    redactor: Redactor,
) -> Result<ExitCode, Failure> {
    let started = clock::now();
    let telemetry = telemetry(args.output.telemetry.as_deref())?;
    let (path, text) = subject.kept();
    let name = redactor.redact(&subject.plan.name);
    let info = RunInfo::new(place.custody().run(), name, place.folder(), started)
        .manifest(path, redactor.redact(text));
    let keep = Keep { journal: !args.no_journal, output: args.keep_output, parallel: args.parallel };
    let (Kept { store, logs }, past) = begin(&info, &keep, redactor)?;
    let ready = Ready {
        name: &subject.plan.name,
        manifest: subject.manifest.as_deref(),
        place,
        output: &args.output,
        telemetry: &telemetry,
        store: store.as_ref(),
        logs,
        started,
    };
    block_on(perform(&ready, subject, past))
}
