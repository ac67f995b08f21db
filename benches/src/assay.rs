//! Measures what an assay adds to the loops that it runs.
//!
//! The floor is the same loops, run one after the other by hand: each in a copy of the same folder, and without a journal.

use std::{
    fs,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use loop_agents::process::Supervisor;
use loop_assay::{Assay, AssayOptions, Cases};
use loop_manifest::{ExecutionContext, Plan, Source};
use loop_snapshots::FolderCopy;
use tempfile::TempDir;

use crate::{
    pairs::in_turn,
    table::{Row, Table},
};

/// The runs of one measurement.
const RUNS: usize = 20;

const MANIFEST: &str = "\
goal: The file has three lines
agent:
  command: echo line >> state
evaluator:
  command: test $(wc -l < state) = 3
guardrails:
  max_iterations: 5
";

/// Runs the measurement.
///
/// # Errors
/// If a loop fails.
pub fn measure(table: &mut Table) -> Result<()> {
    let scenario = Scenario::new()?;
    let pairs = in_turn(|| scenario.of_assay(), || scenario.of_loops())?;
    let each = |seconds: f64| seconds / RUNS as f64 * 1e3;
    let note = format!("{:.1} ms over {:.1} ms", each(pairs.first.median), each(pairs.second.median));
    table.add(Row::new("assay: a run of two iterations / the same loop by hand", pairs.ratio).note(note));
    Ok(())
}

struct Scenario {
    place: TempDir,
    cx: ExecutionContext,
}

impl Scenario {
    fn new() -> Result<Self> {
        let place = tempfile::tempdir()?;
        let cases = place.path().join("cases");
        fs::create_dir_all(cases.join("start"))?;
        fs::create_dir_all(cases.join("loops"))?;
        fs::write(cases.join("start/state"), "line\n")?;
        fs::write(cases.join("loops/repair.yaml"), MANIFEST)?;
        fs::write(cases.join("repair.yaml"), "manifest: loops/repair.yaml\nfolder: start\n")?;
        let cx = ExecutionContext::new(place.path(), Supervisor::new("bench-assay"))?;
        Ok(Self { cx: cx.with_variables(std::env::vars_os()), place })
    }

    fn of_assay(&self) -> Result<Duration> {
        let cases = Cases::open(&self.place.path().join("cases"))?;
        let mut options = AssayOptions::default();
        options.runs = RUNS;
        let begun = Instant::now();
        let assay = Assay::new(cases, &options, self.cx.clone(), &self.place.path().join("assays"))?;
        let report = block_on(assay.run())??;
        ensure!(report.reaches(1.0), "a run of the assay failed");
        Ok(begun.elapsed())
    }

    fn of_loops(&self) -> Result<Duration> {
        let cases = self.place.path().join("cases");
        let begun = Instant::now();
        let plan = Plan::of(Source::open(&cases.join("loops/repair.yaml"))?)?.finished()?.plan;
        for run in 0..RUNS {
            let copy = self.place.path().join("copies").join(run.to_string());
            let copied = FolderCopy::create(&cases.join("start"), &copy)?;
            let run = plan.compose(&self.cx.in_copy(copied.folder())?)?.run();
            ensure!(block_on(run)??.is_success(), "a loop failed");
        }
        FolderCopy::discard(&self.place.path().join("copies"))?;
        Ok(begun.elapsed())
    }
}

/// Runs work with processes and files to its end.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    Ok(runtime.context("a runtime")?.block_on(work))
}
