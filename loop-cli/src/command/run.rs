//! `loop run`: run the loop that a manifest describes.

use std::process::ExitCode;

use loop_agents::{chat::ChatAgent, shell::ShellAgent};
use loop_telemetry::{Redactor, RunInfo};

use super::{
    Failure, dry_run,
    perform::perform,
    ready::{Keep, Kept, Ready, begin, telemetry},
    setting::{block_on, dir, new_run, place, unless_signalled},
    subject::{self, Subject},
};
use crate::{
    args::RunArgs,
    clock,
    compose::{self, Place, Worker},
    keeping, view,
};
use loop_manifest::{Format, plan::WorkPlan};

pub(crate) fn exec(args: &RunArgs) -> Result<ExitCode, Failure> {
    let dir = dir(args.cwd.as_deref()).map_err(Failure::Usage)?;
    let subject = subject::of(args, &dir)?;
    if !subject.warnings.is_empty() && !args.output.quiet {
        view::say(&subject.warnings);
    }
    let place = place(dir, new_run()).map_err(Failure::Usage)?.executing(subject.manifest.clone());
    let redactor = keeping::redactor(&subject.plan.agent.env.set, &place.env);
    view::conceal(redactor.clone());
    if args.dry_run {
        let format = subject.manifest.as_deref().and_then(Format::of);
        return block_on(unless_signalled(dry_run::exec(&subject.plan, &place, format)));
    }
    // Before anything is begun.
    compose::see_judges(&subject.plan, &place).map_err(Failure::Usage)?;
    let (plan, begin) = (&subject.plan, Beginning { args, subject: &subject, place: &place, redactor });
    match &plan.agent.work {
        WorkPlan::Command(part) => begin.with(ShellAgent::of(part, plan, &place).map_err(Failure::Usage)?),
        WorkPlan::Model(part) => begin.with(ChatAgent::of(part, plan, &place).map_err(Failure::Usage)?),
    }
}

/// A run that lacks but its agent.
struct Beginning<'a> {
    args: &'a RunArgs,
    subject: &'a Subject,
    place: &'a Place,
    redactor: Redactor,
}

impl Beginning<'_> {
    fn with(self, agent: impl Worker) -> Result<ExitCode, Failure> {
        let Self { args, subject, place, redactor } = self;
        let started = clock::now();
        let telemetry = telemetry(args.output.telemetry.as_deref()).map_err(Failure::Usage)?;
        let (path, text) = subject.kept();
        let name = redactor.redact(&subject.plan.name);
        let info = RunInfo::new(place.custody.run(), name, &place.dir, started)
            .manifest(path, redactor.redact(text));
        let keep = Keep { journal: !args.no_journal, output: args.keep_output, parallel: args.parallel };
        let (Kept { store, logs }, past) = begin(&info, &keep, redactor)?;
        let output = &args.output;
        let ready = Ready {
            name: &subject.plan.name,
            manifest: subject.manifest.as_deref(),
            place,
            output,
            telemetry: &telemetry,
            store: store.as_ref(),
            logs,
            started,
        };
        block_on(perform(&ready, subject, agent, past))
    }
}
