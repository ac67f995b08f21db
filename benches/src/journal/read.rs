//! Measures reading from the disk, with the floor: parsing the same lines.

use std::{
    fs::{self, File},
    hint::black_box,
    io::{BufRead, BufReader},
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow, ensure};
use jiff::Timestamp;
use loop_core::{Event, Journal, Machine, MaxIterations};
use loop_telemetry::{FileJournal, RunStore};
use serde::Deserialize;

/// How many runs the list contains.
pub(super) const RUNS: usize = 10_000;

/// Restores a machine from a journal, as a resume does.
pub(crate) fn resume(run: &Path, iterations: u64) -> Result<Duration> {
    let start = Instant::now();
    let bound = Box::new(MaxIterations::new(1));
    let mut machine = Machine::new(vec![bound], Box::new(Duration::ZERO), true);
    let mut journal = FileJournal::<String>::open(run, Timestamp::now)?;
    let mut restored = Ok(());
    let mut restore = |event: &Event| {
        if restored.is_ok() {
            restored = machine.restore([event]);
        }
    };
    let output = journal.load(&mut restore).map_err(|error| anyhow!(error))?;
    restored?;
    let took = start.elapsed();
    ensure!(machine.progress().iterations() == iterations && output.is_some());
    Ok(took)
}

/// A line, as a minimal reader needs it.
#[derive(Deserialize)]
struct Line {
    event: Event,
}

/// Parses a journal's lines.
pub(super) fn parse(journal: &Path) -> Result<Duration> {
    each_line(journal, |line| {
        black_box(serde_json::from_slice::<Line>(line)?.event);
        Ok(())
    })
}

/// Parses the lines of an index.
pub(super) fn parse_values(index: &Path) -> Result<Duration> {
    each_line(index, |line| {
        black_box(serde_json::from_slice::<serde_json::Value>(line)?);
        Ok(())
    })
}

fn each_line(path: &Path, mut each: impl FnMut(&[u8]) -> Result<()>) -> Result<Duration> {
    let start = Instant::now();
    let mut file = BufReader::with_capacity(64 * 1024, File::open(path)?);
    let mut line = Vec::new();
    while file.read_until(b'\n', &mut line)? > 0 {
        each(&line)?;
        line.clear();
    }
    Ok(start.elapsed())
}

/// Writes the index of many runs without the runs, because listing must not need them.
pub(super) fn write_index(store: &RunStore) -> Result<()> {
    fs::create_dir_all(store.path())?;
    let mut lines = String::new();
    for number in 0..RUNS {
        let id = format!("0199c0ff-{number:08}");
        lines.push_str(&format!(
            r#"{{"v":1,"change":{{"began":{{"id":"{id}","name":"greet","folder":"/home/ann/project","started_at":"2026-01-31T09:30:00.000Z","manifest":"/home/ann/project/greet.yaml"}}}}}}
{{"v":1,"change":{{"ended":{{"loop":"greet","iterations":7,"stop_reason":"goal_met","blockable":false,"success":true,"estimated_cost_usd":0.25,"elapsed_seconds":61.5,"ended_at":"2026-01-31T09:31:01.500Z","run_id":"{id}","cost_state":"known","usage":{{"input_tokens":1200,"cached_input_tokens":null,"output_tokens":340}},"working_seconds":60.25,"started_at":"2026-01-31T09:30:00.000Z","manifest":"/home/ann/project/greet.yaml"}}}}}}
"#
        ));
    }
    fs::write(store.path().join("index.jsonl"), lines).context("the index")
}

/// Lists the runs as `loop runs` does.
pub(super) fn list(store: &RunStore) -> Result<Duration> {
    let start = Instant::now();
    let runs = store.list()?;
    let took = start.elapsed();
    ensure!(runs.len() == RUNS && runs.iter().all(|run| !run.is_open));
    Ok(took)
}
