//! A run and its iterations, for programs.

use anyhow::anyhow;
use loop_core::{Ending, Usd};
use loop_telemetry::{
    RunEntry, RunStore,
    rows::{IterationRow, RowFold},
};
use serde::Serialize;
use serde_json::Value;

use super::super::{
    Failure,
    run_lifecycle::stored_runs::{glance, read_all},
    runs::{RunJson, json},
};
use crate::view;

/// The output of `loop show --json`.
#[derive(Debug, Serialize)]
pub(super) struct ShowJson<'a> {
    run: RunJson<'a>,
    /// The full ending; `null` if the run is in progress or died.
    ending: Option<&'a Ending>,
    iterations: Vec<IterationJson>,
    /// The metadata of the manifest, if it has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Value>,
}

/// An iteration. Unknown values are `null`.
#[derive(Debug, Serialize)]
struct IterationJson {
    iteration: u64,
    attempt: u32,
    agent_seconds: Option<f64>,
    exit_code: Option<i32>,
    output_bytes: Option<u64>,
    check_seconds: Option<f64>,
    /// The ending in one word; `null` if the iteration has not ended.
    verdict: Option<String>,
    score: Option<f64>,
    tokens: Option<u64>,
    cost_usd: Option<f64>,
    /// The background work that was ended before it was done. Left out if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut_work: Option<String>,
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
            cut_work: row.cut_work.map(|work| work.to_string()),
        }
    }
}

impl ShowJson<'_> {
    /// Returns the JSON of this run, from its current journal.
    pub(super) fn read(store: &RunStore, entry: &RunEntry) -> Result<String, Failure> {
        let run = RunJson::of(store, entry)?;
        let mut rows = RowFold::default();
        let mut iterations: Vec<IterationJson> = Vec::new();
        let mut add = |row: IterationRow| {
            // The check was repeated for an iteration that had already ended, so the new row replaces the old one.
            iterations.pop_if(|last| last.iteration == row.iteration);
            iterations.push(row.into());
        };
        let progress = read_all(store, entry, |line, _| {
            if let Some(output) = line.output.as_ref().and_then(glance) {
                rows.record_output(&output);
            }
            rows.on_event(&line.event).into_iter().for_each(&mut add);
            Ok(())
        })?;
        rows.current().filter(|_| progress.ending().is_none()).cloned().into_iter().for_each(add);
        let metadata = store.info(&entry.id).map_or_else(
            |error| {
                view::warning(&format!("the metadata of the run cannot be shown: {:#}", anyhow!(error)));
                None
            },
            |info| info.metadata,
        );
        Ok(json(&ShowJson { run, ending: progress.ending(), iterations, metadata }))
    }
}
