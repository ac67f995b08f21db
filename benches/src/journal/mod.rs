//! Measures the cost of durability: writing records to the disk, and reading them back.
//!
//! The floor writes the same bytes, prepared in advance, with the same number of writes and syncs. So the difference is
//! the cost of formatting the lines (JSON, numbers, times, checksums) and of moving the wait for the disk to another
//! thread. Without syncs, formatting dominates: escaping 2 KB of text as JSON takes about half as long as both writes,
//! and together with the events that alone exceeds the goal. So a second floor formats plain lines of JSON itself,
//! without numbers, times and checksums. The cost above that floor is ours.

mod read;
mod write;

use std::process::{Command, Stdio};

use anyhow::Result;
use loop_telemetry::RunStore;

pub(crate) use self::read::resume;
use self::{
    read::{list, parse, parse_values, write_index},
    write::JournalBench,
};
use crate::{
    command::{loop_binary, timed},
    memory,
    pairs::{Pairs, in_turn},
    subprocess,
    table::{Growth, Row, Table},
};

/// Iterations of one measurement with syncs, which are slow, and without.
const SYNCED: u64 = 100;
const UNSYNCED: u64 = 20_000;
/// Iterations of the run that we resume.
const LONG: u64 = 100_000;

const RUNS_COMMAND: &str = "loop runs: 10000 runs / parsing the index's lines";

/// The size of an agent's output in these runs: a page of text, or a line where the run is long, to save disk space.
const OUTPUT_BYTES: usize = 2_000;
const SHORT_OUTPUT_BYTES: usize = 58;

/// Runs the measurements.
///
/// # Errors
/// If a journal cannot be written or read.
pub fn measure(table: &mut Table) -> Result<()> {
    let bench = JournalBench::new(OUTPUT_BYTES)?;
    measure_writing(table, &bench)?;
    measure_reading(table, &bench)?;
    table.grow(by_length()?);
    Ok(())
}

fn measure_writing(table: &mut Table, bench: &JournalBench) -> Result<()> {
    let with_sync = in_turn(|| bench.journal(SYNCED, true), || bench.bare(SYNCED, true))?;
    let each = |seconds: f64, count: u64| seconds / count as f64 * 1e6;
    let note = |pairs: &Pairs, count: u64| {
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
    Ok(())
}

fn measure_reading(table: &mut Table, bench: &JournalBench) -> Result<()> {
    let long = bench.folder.path().join("long");
    bench.write(&long, LONG, false)?;
    let resumed = in_turn(|| resume(&long, LONG), || parse(&long.join("events.jsonl")))?;
    let row = Row::new("resume of 100000 iterations / parsing its lines", resumed.ratio).at_most(3.0);
    table.add(row.note(format!("{:.0} ms", resumed.first.median * 1e3)));
    let peak = memory::peak_kib_of(subprocess::command("resume")?.arg(LONG.to_string()).arg(&long), 0)?;
    let row = Row::single("resume of 100000 iterations: peak memory / 64 MiB", peak as f64 / 65_536.0);
    table.add(row.at_most(1.0).note(format!("{peak} KiB")));

    let store = RunStore::at(bench.folder.path().join("runs"), |warning| panic!("{warning}"));
    write_index(&store)?;
    let listed = in_turn(|| list(&store), || parse_values(&store.path().join("index.jsonl")))?;
    let row = Row::new("list of 10000 runs / parsing the index's lines", listed.ratio).at_most(3.0);
    table.add(row.note(format!("{:.0} ms", listed.first.median * 1e3)));
    let Ok(binary) = loop_binary() else {
        table.add(Row::skipped(RUNS_COMMAND, "loop cannot be built"));
        return Ok(());
    };
    let mut command = Command::new(binary);
    command.args(["runs", "--all"]).env("LOOP_HOME", bench.folder.path()).stdout(Stdio::null());
    let printed = in_turn(|| timed(&mut command, 0), || parse_values(&store.path().join("index.jsonl")))?;
    let row = Row::new(RUNS_COMMAND, printed.ratio).at_most(3.0);
    table.add(row.note(format!("{:.0} ms", printed.first.median * 1e3)));
    Ok(())
}

/// Measures longer and longer journals. An iteration has five events.
fn by_length() -> Result<Growth> {
    let bench = JournalBench::new(SHORT_OUTPUT_BYTES)?;
    let what = "restoring a journal / parsing its lines";
    let mut growth = Growth::new(what, "events in the journal").at_most(3.0);
    for events in [100, 1_000, 10_000, 100_000, 1_000_000] {
        let run = bench.folder.path().join(events.to_string());
        bench.write(&run, events / 5, false)?;
        // Read short journals more than once, so that all take long enough.
        let times = (100_000 / events).max(1);
        let repeated = |read: &dyn Fn() -> Result<_>| (0..times).map(|_| read()).sum();
        let restored = || repeated(&|| resume(&run, events / 5));
        growth.point(
            events.to_string(),
            in_turn(restored, || repeated(&|| parse(&run.join("events.jsonl"))))?.ratio,
        );
    }
    Ok(growth)
}
