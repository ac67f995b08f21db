//! `loop assay`: how often do cases pass, by model?

use std::{
    collections::BTreeSet,
    env,
    fs::File,
    io::{Read as _, Seek as _, Write as _},
    path::Path,
    process::ExitCode,
    sync::{Mutex, PoisonError},
};

use loop_assay::{
    Assay, AssayEnd, AssayOptions, AssayReport, Baseline, CaseOutcome, Cases, Subject, page, table,
};
use loop_core::CancellationToken;
use loop_telemetry::StateDir;

use super::{
    Failure, OrFail,
    environment::{block_on, dir, execution_context, model_name, new_run_id, settings},
    usage,
};
use crate::{
    args::AssayArgs,
    exit, fault_injection,
    signals::{Signal, Signals},
    view::{self, text},
};

/// Planning more runs than this takes a while.
const MANY_CASES: usize = 1000;

/// The beginning of each page, by which `--html` knows its own files.
const PAGE_START: &[u8] = b"<!doctype html>";

pub(crate) fn exec(args: &AssayArgs) -> Result<ExitCode, Failure> {
    let here = dir(None)?;
    named_once("--model", &args.model)?;
    named_once("--agent", &args.agent)?;
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
    (options.runs, options.jobs, options.budget) = (args.runs as usize, args.jobs as usize, args.budget);
    options.check_time = args.check_time;
    let places = StateDir::from_env_with(|name| env::var_os(name))?.assays()?;
    // Not the name of the place: the watchdog of an assay that was killed ends all processes of its run.
    let cx = execution_context(here, new_run_id())?;
    let (quiet, said) = (args.quiet, Mutex::new(BTreeSet::new()));
    let cx = cx.on_warning(move |warning| {
        // Each run has the same warnings.
        if !quiet && said.lock().unwrap_or_else(PoisonError::into_inner).insert(warning.to_owned()) {
            view::warning(warning);
        }
    });
    if !quiet && cases.all().len() > MANY_CASES {
        view::say(&format!("planning the runs of {} cases", cases.all().len()));
    }
    let assay = Assay::new(cases, &options, cx, &places);
    let assay = assay.or_usage(|| "the cases cannot be used; nothing was run")?;
    if args.budget.is_some() && !quiet {
        for subject in assay.unmetered() {
            let subject = text::printable(subject);
            view::warning(&format!("`{subject}` reports no cost, so `--budget` does not limit it"));
        }
    }
    let html = args.html.as_deref().map(html_file).transpose()?;
    loop_assay::discard_old(&places).or_setup(|| "cannot remove old assays")?;
    block_on(run(args, assay, baseline, html))
}

/// Refuses a value that is given twice: both would be measured, and nobody could tell them apart.
pub(super) fn named_once(flag: &str, values: &[String]) -> Result<(), Failure> {
    let mut seen = BTreeSet::new();
    match values.iter().find(|value| !seen.insert(*value)) {
        Some(twice) => Err(usage!("`{flag} {}` is given twice", text::printable(twice))),
        None => Ok(()),
    }
}

/// Opens the file for the page, before any run is paid. Never replaces a file that is no page.
fn html_file(path: &Path) -> Result<File, Failure> {
    let cannot = || format!("cannot write {}", path.display());
    if path.exists() && !path.is_file() {
        return Err(usage!("{}: it is not a file", cannot()));
    }
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path);
    let file = file.or_usage(cannot)?;
    let mut start = Vec::new();
    (&file).take(PAGE_START.len() as u64).read_to_end(&mut start).or_usage(cannot)?;
    match start.is_empty() || start == PAGE_START {
        true => Ok(file),
        false => Err(usage!("{}: the file there is not the page of an assay. Name another file", cannot())),
    }
}

async fn run(
    args: &AssayArgs,
    assay: Assay,
    baseline: Option<Baseline>,
    html: Option<File>,
) -> Result<ExitCode, Failure> {
    let cancel = CancellationToken::new();
    let quiet = args.quiet;
    let assay = assay.cancel_on(cancel.clone()).on_event(|| fault_injection::point("assay_event"));
    let assay = assay.on_run(move |name, run| {
        if !quiet {
            let outcome = match run.outcome {
                CaseOutcome::Passed => "passed".to_owned(),
                CaseOutcome::Failed => format!("failed: {}", run.why),
                _ => format!("not made: {}", run.why),
            };
            view::say(&text::printable(&format!("{name}: {outcome}")));
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
        let (missing, all) = (baseline.compare(&mut report), report.results.len());
        if missing > 0 && !quiet {
            view::warning(&format!(
                "{missing} of {all} results have nothing to compare with in the baseline"
            ));
        }
    }
    show(args, &report, html)?;
    let least = args.min_pass.share();
    let code = match first {
        Some(signal) => exit::of_signal(signal),
        None if report.reaches(least) => exit::OK,
        None if report.misses(least) => exit::HALTED,
        // Too few runs could be made to tell.
        None => exit::FAILED,
    };
    Ok(ExitCode::from(code))
}

fn show(args: &AssayArgs, report: &AssayReport, html: Option<File>) -> Result<(), Failure> {
    if args.json {
        for line in report.json_lines() {
            if !view::print_json(&line)? {
                break;
            }
        }
    } else {
        view::print(&table(&report.results).join("\n"))?;
    }
    if let Some(mut file) = html {
        let title = format!("Assay of {}", args.folder.display());
        let page = page(&title, &report.results, &view::secrets());
        let written =
            file.rewind().and_then(|()| file.set_len(0)).and_then(|()| file.write_all(page.as_bytes()));
        written.or_setup(|| "cannot write the page of `--html`")?;
    }
    if !args.quiet {
        match report.end {
            AssayEnd::Complete => {}
            AssayEnd::Unmetered => view::warning(
                "three runs in a row did not report a cost, so `--budget` cannot be enforced: the assay was halted. Set \
                 prices for the model in your settings, or leave `--budget` out",
            ),
            AssayEnd::OutOfBudget => view::warning(
                "the budget was used up before all runs were made: the same command with a higher `--budget` continues",
            ),
            _ => view::say("The assay is not complete: the same command continues it."),
        }
    }
    Ok(())
}
