//! `loop assay`: how often do cases pass, by model?

use std::{env, fs, process::ExitCode, sync::Arc};

use loop_assay::{
    Assay, AssayEnd, AssayOptions, AssayReport, Baseline, CaseOutcome, Cases, Subject, page, table,
};
use loop_core::CancellationToken;
use loop_telemetry::StateDir;

use super::{
    Failure, OrFail,
    environment::{block_on, dir, execution_context, model_name, new_run_id, settings},
};
use crate::{
    args::AssayArgs,
    exit, fault_injection,
    signals::{Signal, Signals},
    view::{self, text},
};

pub(crate) fn exec(args: &AssayArgs) -> Result<ExitCode, Failure> {
    let here = dir(None)?;
    let baseline = args.baseline.as_deref().map(Baseline::open).transpose();
    let baseline = baseline.or_usage(|| "cannot compare")?;
    let cases = Cases::open(&args.folder).or_usage(|| "the cases cannot be used; nothing was run")?;
    let mut options = AssayOptions::default();
    let models = args.model.iter().cloned().map(Subject::Model);
    options.subjects = models.chain(args.agent.iter().cloned().map(Subject::Agent)).collect();
    if options.subjects.is_empty() && cases.all().iter().any(loop_assay::Case::is_prompt) {
        let variables: Vec<_> = env::vars_os().collect();
        options.subjects.push(Subject::Model(model_name(None, &settings(&here)?, &variables)?));
    }
    (options.runs, options.jobs, options.budget) = (args.runs.get(), args.jobs.get(), args.budget);
    let place = StateDir::from_env_with(|name| env::var_os(name))?.assays()?.join(options.key(&cases));
    // Not the key: the watchdog of an assay that was killed ends all processes of its run.
    let cx = execution_context(here, new_run_id())?;
    let cx = if args.quiet { cx.on_warning(|_| ()) } else { cx };
    let assay = Assay::new(cases, &options, cx, place);
    let assay = assay.or_usage(|| "the cases cannot be used; nothing was run")?;
    block_on(run(args, assay, baseline))
}

async fn run(args: &AssayArgs, assay: Assay, baseline: Option<Baseline>) -> Result<ExitCode, Failure> {
    let cancel = CancellationToken::new();
    let count = assay.count();
    let names: Arc<[String]> = (0..count).map(|index| assay.describe(index)).collect();
    let quiet = args.quiet;
    let assay = assay.cancel_on(cancel.clone()).on_event(|| fault_injection::point("assay_event"));
    let assay = assay.on_run(move |run| {
        if !quiet {
            let outcome = match run.outcome {
                CaseOutcome::Passed => "passed".to_owned(),
                CaseOutcome::Failed => format!("failed: {}", run.why),
                _ => format!("not made: {}", run.why),
            };
            view::say(&text::printable(&format!("{}: {outcome}", names[run.index])));
        }
    });
    let mut signals = Signals::listen().or_internal("cannot listen for signals")?;
    let (mut run, mut first) = (Box::pin(assay.run()), None::<Signal>);
    let mut report = loop {
        tokio::select! {
            report = &mut run => break report.or_internal("the assay has no result")?,
            signal = signals.next() => match first {
                Some(first) => return Ok(ExitCode::from(exit::of_signal(first))),
                None => {
                    first = Some(signal);
                    cancel.cancel();
                }
            }
        }
    };
    if let Some(baseline) = baseline {
        baseline.compare(&mut report);
    }
    show(args, &report)?;
    let code = match (first, &report) {
        (Some(signal), _) => exit::of_signal(signal),
        (None, report) if !report.has_measured() => exit::FAILED,
        (None, report) if report.reaches(args.min_pass.share()) => exit::OK,
        _ => exit::HALTED,
    };
    Ok(ExitCode::from(code))
}

fn show(args: &AssayArgs, report: &AssayReport) -> Result<(), Failure> {
    if let Some(path) = &args.html {
        let title = format!("Assay of {}", args.folder.display());
        let written = fs::write(path, page(&title, &report.results, &view::secrets()));
        written.or_setup(|| format!("cannot write {}", path.display()))?;
    }
    if args.json {
        for line in report.json_lines() {
            if !view::print_json(&line)? {
                break;
            }
        }
    } else {
        view::print(&table(&report.results).join("\n"))?;
    }
    if !args.quiet {
        match report.end {
            AssayEnd::Complete => {}
            AssayEnd::OutOfBudget => view::warning(
                "the budget was used up before all runs were made: the same command with a higher `--budget` continues",
            ),
            _ => view::say("The assay is not complete: the same command continues it."),
        }
    }
    Ok(())
}
