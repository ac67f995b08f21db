//! A run and its iterations, for programs.

use loop_core::{Ending, Progress, Usd};
use loop_telemetry::{
    RunEntry, RunStore,
    rows::{IterationRow, RowFold},
};
use serde::Serialize;

use super::super::{
    Failure,
    kept::{glance, journal, read_on, warn_if_cut},
    runs::{RunJson, json},
};

/// What `loop show --json` prints.
#[derive(Debug, Serialize)]
pub(super) struct ShowJson<'a> {
    run: RunJson<'a>,
    /// How it ended, in full; `null` while it goes on, or if it died.
    ending: Option<&'a Ending>,
    iterations: Vec<IterationJson>,
}

/// An iteration. What is not known is `null`.
#[derive(Debug, Serialize)]
struct IterationJson {
    iteration: u64,
    attempt: u32,
    agent_seconds: Option<f64>,
    exit_code: Option<i32>,
    output_bytes: Option<u64>,
    check_seconds: Option<f64>,
    /// How it ended, in a word; `null` if it has not.
    verdict: Option<String>,
    score: Option<f64>,
    tokens: Option<u64>,
    cost_usd: Option<f64>,
}

impl From<IterationRow> for IterationJson {
    fn from(row: IterationRow) -> Self {
        let cost = row.cost();
        Self {
            iteration: row.iteration,
            attempt: row.attempt,
            agent_seconds: row.agent.map(|agent| agent.as_secs_f64()),
            exit_code: row.exit_code,
            output_bytes: row.output_bytes,
            check_seconds: row.check.map(|check| check.as_secs_f64()),
            verdict: Some(row.verdict).filter(|verdict| !verdict.is_empty()),
            score: row.score,
            tokens: row.usage.tokens(),
            cost_usd: cost.usd().map(Usd::as_f64),
        }
    }
}

impl ShowJson<'_> {
    /// The JSON of this run, as its journal tells it now.
    pub(super) fn read(store: &RunStore, entry: &RunEntry) -> Result<String, Failure> {
        let run = RunJson::of(store, entry)?;
        let (mut progress, mut rows) = (Progress::default(), RowFold::default());
        let mut iterations: Vec<IterationJson> = Vec::new();
        let mut add = |row: IterationRow| {
            // The check of an iteration that had ended in it was made again.
            iterations.pop_if(|last| last.iteration == row.iteration);
            iterations.push(row.into());
        };
        read_on(&mut journal(store, entry)?, &mut progress, |line, _| {
            if let Some(output) = line.output.as_ref().and_then(glance) {
                rows.record_output(&output);
            }
            rows.on_event(&line.event).into_iter().for_each(&mut add);
            Ok(())
        })?;
        warn_if_cut(entry, &progress);
        rows.current().filter(|_| progress.ending().is_none()).cloned().into_iter().for_each(add);
        Ok(json(&ShowJson { run, ending: progress.ending(), iterations }))
    }
}
