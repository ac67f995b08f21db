//! A run that survives the death of its process, thanks to its journal.
//!
//! Run it with `cargo run -p loop-telemetry --example survive`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what came of it")]

use std::{error::Error, path::Path, time::Duration};

use jiff::Timestamp;
use loop_core::{Iteration, IterationContext, Loop, iteration_fn};
use loop_guardrails::after;
use loop_telemetry::{FileJournal, ParallelRuns, RunInfo, RunStore};

/// Ten minutes of work in each iteration.
fn agent() -> impl Iteration<Output = String> {
    iteration_fn(async |cx: IterationContext<String>| {
        tokio::time::sleep(Duration::from_secs(600)).await;
        let before = cx.last_output().cloned().unwrap_or_default();
        Ok(format!("{before}{}", cx.iteration()))
    })
}

/// The process dies a little more than half an hour into the run: in the fourth iteration.
async fn die(store: &RunStore, folder: &Path) -> Result<(), Box<dyn Error>> {
    let info = RunInfo::new("r-1", "count", folder, Timestamp::now());
    let journal = store.begin(&info, ParallelRuns::Refused, Timestamp::now)?;
    let run = Loop::new(agent()).until(after(5)).at_most(9).journal(journal).run();
    let died = tokio::time::timeout(Duration::from_secs(2_000), run).await;
    assert!(died.is_err(), "it is not done by then");
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    tokio::time::pause(); // the hour passes at once
    let folder = tempfile::tempdir()?;
    let store = RunStore::at(folder.path().join("runs"), |warning| eprintln!("{warning}"));
    die(&store, folder.path()).await?;

    let unfinished = store.last_unfinished_in(folder.path())?.ok_or("nobody noted its end")?;
    let journal: FileJournal<String> = store.resume(&unfinished.id, Timestamp::now)?;
    let report = Loop::new(agent()).until(after(5)).at_most(9).resume_from(journal).run().await?;

    println!("{} after {} iterations: {:?}", report.ending(), report.iterations(), report.output());
    assert_eq!(report.output().map(String::as_str), Some("12345"));
    Ok(())
}
