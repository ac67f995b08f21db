//! What it costs to lose nothing: records on their way to the disk, and back from it.
//!
//! The floor writes the same bytes, made beforehand, with as many writes and as many syncs. So what is measured
//! is making the lines (JSON, numbers, times, checksums) and handing the wait for the disk to another thread.
//! Without syncs the making is most of it: to escape 2 KB of text as JSON takes about half as long as both writes, and
//! with what the events take, that alone is above the goal. So a second floor makes plain lines of JSON itself,
//! without numbers, times and checksums; what is above that one is ours.

use std::{
    fs::{self, File, OpenOptions},
    hint::black_box,
    io::{BufRead, BufReader, Write},
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow, ensure};
use jiff::Timestamp;
use loop_core::{Event, EventKind, Journal, Machine, MaxIterations, RunTime, Verdict, WorkResult};
use loop_telemetry::{FileJournal, RunStore};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::{
    memory,
    pairs::in_turn,
    table::{Row, Table},
};

/// Iterations of one measurement with syncs, which take their time, and without.
const SYNCED: u64 = 100;
const UNSYNCED: u64 = 20_000;
/// Iterations of the run that is resumed.
const LONG: u64 = 100_000;
/// Runs that are listed.
const RUNS: usize = 10_000;

/// What an agent makes in these runs: a page of text.
const OUTPUT_BYTES: usize = 2_000;

/// Measures it.
///
/// # Errors
/// If a journal cannot be written or read.
pub fn measure(table: &mut Table) -> Result<()> {
    let bench = Bench::new()?;
    let with_sync = in_turn(|| bench.journal(SYNCED, true), || bench.bare(SYNCED, true))?;
    let each = |seconds: f64, count: u64| seconds / count as f64 * 1e6;
    let note = |pairs: &crate::pairs::Pairs, count: u64| {
        let (first, second) = (each(pairs.first.median, count), each(pairs.second.median, count));
        format!("{first:.1} us over {second:.1} us")
    };
    let row = Row::new("records of an iteration / two writes and syncs", with_sync.ratio).at_most(1.3);
    table.add(row.note(note(&with_sync, SYNCED)));
    let without = in_turn(|| bench.journal(UNSYNCED, false), || bench.bare(UNSYNCED, false))?;
    let row = Row::new("records of an iteration / two writes, no sync", without.ratio).at_most(1.3);
    table.add(row.note(note(&without, UNSYNCED)));
    let plain = in_turn(|| bench.journal(UNSYNCED, false), || bench.plain(UNSYNCED))?;
    let row =
        Row::new("records of an iteration / the same as plain JSON lines, no sync", plain.ratio).at_most(1.3);
    table.add(row.note(note(&plain, UNSYNCED)));

    let long = bench.folder.path().join("long");
    bench.write(&long, LONG, false)?;
    let resumed = in_turn(|| resume(&long), || parse(&long.join("events.jsonl")))?;
    let row = Row::new("resume of 100000 iterations / parsing its lines", resumed.ratio).at_most(3.0);
    table.add(row.note(format!("{:.0} ms", resumed.first.median * 1e3)));
    let before = memory::of_this_process()?.now_kib;
    memory::forget_peak()?;
    resume(&long)?;
    let peak = memory::of_this_process()?.peak_kib;
    let row = Row::single("resume of 100000 iterations: peak memory / 64 MiB", peak as f64 / 65_536.0);
    table.add(row.at_most(1.0).note(format!("{peak} KiB after {before} KiB")));

    let store = RunStore::at(bench.folder.path().join("runs"));
    write_index(&store)?;
    let listed = in_turn(|| list(&store), || parse_values(&store.path().join("index.jsonl")))?;
    let row = Row::new("list of 10000 runs / parsing the index's lines", listed.ratio).at_most(3.0);
    table.add(row.note(format!("{:.0} ms", listed.first.median * 1e3)));
    Ok(())
}

struct Bench {
    folder: TempDir,
    runtime: Runtime,
    output: String,
    /// The bytes of one iteration in a journal, as they go out: one write each.
    bare: [Vec<u8>; 2],
}

/// The events of an iteration, as the driver appends them: those of its end, and those after its evaluation.
fn events(iteration: u64) -> [Vec<Event>; 2] {
    let at = |micros: u64, kind| Event { at: RunTime::from_micros(iteration * 2_000_000 + micros), kind };
    let verdict = Verdict::fail().with_text("2 of 48 tests failed").with_score(0.95);
    [
        vec![
            at(1_500_000, EventKind::IterationFinished { result: WorkResult::Done(()), notes: None }),
            at(1_500_000, EventKind::EvaluationStarted {}),
        ],
        vec![
            at(1_900_000, EventKind::EvaluationFinished { result: WorkResult::Done(verdict), notes: None }),
            at(1_900_001, EventKind::StepSettled { met: false }),
            at(1_900_001, EventKind::IterationStarted { iteration: iteration + 1, attempt: 1 }),
        ],
    ]
}

impl Bench {
    fn new() -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let output = "a line of what an agent says\n".repeat(OUTPUT_BYTES / 29);
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

    /// Writes the journal of a run with so many iterations, and times the iterations.
    fn write(&self, run: &Path, iterations: u64, sync: bool) -> Result<Duration> {
        let journal = FileJournal::<String>::create(run, Timestamp::now)?;
        let mut journal = if sync { journal } else { journal.without_sync() };
        let begin = |kind| Event { at: RunTime::ZERO, kind };
        let began = [
            begin(EventKind::RunStarted { evaluated: true }),
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

    fn journal(&self, iterations: u64, sync: bool) -> Result<Duration> {
        let run = self.folder.path().join("journal");
        let took = self.write(&run, iterations, sync)?;
        fs::remove_dir_all(run)?;
        Ok(took)
    }

    fn bare(&self, iterations: u64, sync: bool) -> Result<Duration> {
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

    fn plain(&self, iterations: u64) -> Result<Duration> {
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

/// An event and its output as the plainest line.
#[derive(Serialize)]
struct Plain<'a> {
    event: &'a Event,
    output: Option<&'a str>,
}

/// Restores a machine from a journal, as a resume does.
fn resume(run: &Path) -> Result<Duration> {
    let start = Instant::now();
    let bound = Box::new(MaxIterations::new(1));
    let mut machine = Machine::new(vec![bound], Box::new(Duration::ZERO), true);
    let mut journal = FileJournal::<String>::open(run, Timestamp::now)?;
    let output = journal.load(&mut |event| machine.restore([event])).map_err(|error| anyhow!(error))?;
    let took = start.elapsed();
    ensure!(machine.progress().iterations() == LONG && output.is_some());
    Ok(took)
}

/// A line as the least reader would know it.
#[derive(Deserialize)]
struct Line {
    event: Event,
}

fn parse(journal: &Path) -> Result<Duration> {
    each_line(journal, |line| {
        black_box(serde_json::from_slice::<Line>(line)?.event);
        Ok(())
    })
}

fn parse_values(index: &Path) -> Result<Duration> {
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

/// The index of many runs, without the runs: to list them may not need them.
fn write_index(store: &RunStore) -> Result<()> {
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

fn list(store: &RunStore) -> Result<Duration> {
    let start = Instant::now();
    let runs = store.list()?;
    let took = start.elapsed();
    ensure!(runs.len() == RUNS && runs.iter().all(|run| !run.is_open));
    Ok(took)
}
