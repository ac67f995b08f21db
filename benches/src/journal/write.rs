//! Measures writing records to the disk, with the two floors.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow, ensure};
use jiff::Timestamp;
use loop_core::{Event, EventKind, Journal, RunTime, Verdict, WorkResult};
use loop_telemetry::FileJournal;
use serde::Serialize;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// A folder, and the data to write to it.
pub(super) struct JournalBench {
    pub(super) folder: TempDir,
    runtime: Runtime,
    output: String,
    /// The bytes of one iteration in a journal, one element per write.
    bare: [Vec<u8>; 2],
}

/// Returns the events of an iteration as the driver appends them: those of its end, and those after its evaluation.
fn events(iteration: u64) -> [Vec<Event>; 2] {
    let at = |micros: u64, kind| Event::new(RunTime::from_micros(iteration * 2_000_000 + micros), kind);
    let verdict = Verdict::fail().with_text("2 of 48 tests failed").with_score(0.95);
    [
        vec![
            at(1_500_000, EventKind::IterationFinished { result: WorkResult::Done(()), notes: None }),
            at(1_500_000, EventKind::EvaluationStarted {}),
        ],
        vec![
            at(1_900_000, EventKind::EvaluationFinished { result: WorkResult::Done(verdict), notes: None }),
            at(1_900_001, EventKind::StepSettled { met: false, by: None }),
            at(1_900_001, EventKind::IterationStarted { iteration: iteration + 1, attempt: 1 }),
        ],
    ]
}

impl JournalBench {
    /// Creates a bench with outputs of about this many bytes.
    pub(super) fn new(output_bytes: usize) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let output = "a line of what an agent says\n".repeat(output_bytes / 29);
        let mut bench = Self { folder: tempfile::tempdir()?, runtime, output, bare: Default::default() };
        let sample = bench.folder.path().join("sample");
        bench.write(&sample, 1, false)?;
        let bytes = fs::read(sample.join("events.jsonl"))?;
        // The first two lines begin the run and its first iteration.
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').skip(2).collect();
        ensure!(lines.len() == 5, "{} lines", lines.len());
        bench.bare = [lines[..2].concat(), lines[2..].concat()];
        Ok(bench)
    }

    /// Writes the journal of a run with this number of iterations, and times the iterations.
    pub(super) fn write(&self, run: &Path, iterations: u64, sync: bool) -> Result<Duration> {
        let journal = FileJournal::<String>::create(run, Timestamp::now)?;
        let mut journal = if sync { journal } else { journal.without_sync() };
        let begin = |kind| Event::new(RunTime::ZERO, kind);
        let began = [
            begin(EventKind::RunStarted { evaluated: true, evaluates_first: false }),
            begin(EventKind::IterationStarted { iteration: 1, attempt: 1 }),
        ];
        self.runtime.block_on(async {
            let mut keep = async |events: &[Event], output| {
                Journal::append(&mut journal, events, output).map_err(|error| anyhow!(error))?;
                Journal::<String>::sync(&mut journal).await.map_err(|error| anyhow!(error))
            };
            keep(&began, None).await?;
            let start = Instant::now();
            for iteration in 1..=iterations {
                let [ended, settled] = events(iteration);
                keep(&ended, Some(&self.output)).await?;
                keep(&settled, None).await?;
            }
            Ok(start.elapsed())
        })
    }

    /// Times a journal with this number of iterations.
    pub(super) fn journal(&self, iterations: u64, sync: bool) -> Result<Duration> {
        let run = self.folder.path().join("journal");
        let took = self.write(&run, iterations, sync)?;
        fs::remove_dir_all(run)?;
        Ok(took)
    }

    /// Times the first floor: the same bytes, prepared in advance.
    pub(super) fn bare(&self, iterations: u64, sync: bool) -> Result<Duration> {
        let path = self.folder.path().join("bare");
        let mut file = OpenOptions::new().append(true).create_new(true).open(&path)?;
        let start = Instant::now();
        for _ in 0..iterations {
            for bytes in &self.bare {
                file.write_all(bytes)?;
                if sync {
                    file.sync_data()?;
                }
            }
        }
        let took = start.elapsed();
        fs::remove_file(path)?;
        Ok(took)
    }

    /// Times the second floor: the same events as plain lines of JSON.
    pub(super) fn plain(&self, iterations: u64) -> Result<Duration> {
        let path = self.folder.path().join("plain");
        let mut file = OpenOptions::new().append(true).create_new(true).open(&path)?;
        let mut lines = Vec::new();
        let start = Instant::now();
        for iteration in 1..=iterations {
            for events in events(iteration) {
                lines.clear();
                for event in &events {
                    let ended = matches!(event.kind, EventKind::IterationFinished { .. });
                    let output = ended.then_some(self.output.as_str());
                    serde_json::to_writer(&mut lines, &Plain { event, output })?;
                    lines.push(b'\n');
                }
                file.write_all(&lines)?;
            }
        }
        let took = start.elapsed();
        fs::remove_file(path)?;
        Ok(took)
    }
}

/// An event and its output as a minimal line.
#[derive(Serialize)]
struct Plain<'a> {
    event: &'a Event,
    output: Option<&'a str>,
}
