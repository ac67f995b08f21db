//! `loop run`: run the loop that a manifest describes.

use std::{path::PathBuf, process::ExitCode};

use loop_telemetry::{Redactor, RunInfo};

mod dry_run;

use super::{
    Failure,
    environment::{block_on, dir, execution_context, new_run_id, unless_signalled},
    run_lifecycle::{
        execute::execute,
        preflight,
        run_spec::{self, RunSpec},
        setup::{PersistOptions, RunSetup, RunStorage, create_storage, telemetry},
    },
    usage,
};
use crate::{
    args::{RunArgs, RunOptions},
    clock, persistence, view,
};
use loop_manifest::{ExecutionContext, Format, Source, plan::SnapshotMode};

pub(crate) fn exec(args: &RunArgs) -> Result<ExitCode, Failure> {
    let dir = dir(args.options.cwd.as_deref())?;
    let requested = run_spec::requested("loop run", args.manifest.as_deref(), &args.options.overrides, &dir)?;
    if let Some(unused) =
        run_spec::unused(requested.1.as_deref(), "loop run").filter(|_| !args.options.output.quiet)
    {
        view::say(&unused);
    }
    run(requested, dir, &args.options)
}

/// Runs the loop that was requested, in the folder `dir`.
pub(super) fn run(
    requested: (Source, Option<PathBuf>),
    dir: PathBuf,
    args: &RunOptions,
) -> Result<ExitCode, Failure> {
    let spec = run_spec::of_request(requested)?;
    if !spec.warnings.is_empty() && !args.output.quiet {
        view::say(&spec.warnings);
    }
    let cx = execution_context(dir, new_run_id())?.executing(spec.manifest.clone());
    let mut cx = cx.allowing(args.allow.clone());
    if args.no_journal {
        if spec.plan.snapshots.mode == SnapshotMode::On {
            return Err(usage!(
                "`snapshots: on`, `on_halt` and `on_regression` need the run's journal: leave out `--no-journal`"
            ));
        }
        cx = cx.with_snapshots(None);
    }
    let redactor = persistence::redactor(spec.plan.named_values(), cx.variables());
    view::set_redactor(redactor.clone());
    if args.dry_run {
        let format = spec.manifest.as_deref().and_then(Format::of);
        return block_on(unless_signalled(dry_run::exec(&spec.plan, &cx, format)));
    }
    preflight::refuse_missing(&spec.plan.missing_steps(cx.folder(), cx.variables()))?;
    // Find problems with any part before storing anything about the run.
    spec.plan.compose(&cx.clone().on_warning(|_| ())).map(drop)?;
    start(args, &spec, &cx, redactor)
}

/// Lists the run, and runs it.
fn start(
    args: &RunOptions,
    spec: &RunSpec,
    cx: &ExecutionContext,
    redactor: Redactor,
) -> Result<ExitCode, Failure> {
    let started = clock::now();
    let telemetry = telemetry(args.output.telemetry.as_deref())?;
    let (path, text) = spec.stored_text();
    let name = redactor.redact(&spec.plan.name);
    let info = RunInfo::new(cx.supervisor().run(), name, cx.folder(), started).manifest(path, text);
    let info = info.files(run_spec::files(&spec.plan, cx.folder())).metadata(spec.plan.metadata.clone());
    let info = info.overrides(spec.stored_overrides()).redacted(&redactor);
    let options =
        PersistOptions { journal: !args.no_journal, output: args.keep_output, parallel: args.parallel };
    let (RunStorage { store, logs }, source) = create_storage(&info, &options, redactor)?;
    let setup = RunSetup {
        name: &spec.plan.name,
        manifest: spec.manifest.as_deref(),
        cx,
        output: &args.output,
        telemetry: &telemetry,
        store: store.as_ref(),
        logs,
        started,
    };
    block_on(execute(&setup, spec, source))
}
