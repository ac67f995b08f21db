//! Measures the cost of supervision while a command runs: with a flood of output, and in silence.

use std::{
    fs,
    ops::Range,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::{
    command::{CommandBench, loop_binary, timed},
    pairs::in_turn,
    table::{Growth, Row, Table},
};

const FLOOD: &str = "head -c 1073741824 /dev/zero";
const THROUGHPUT: &str = "loop run: 1 GiB of output / the same into cat";
const OUTPUT: &str = "loop run / read and throw away, an iteration";
/// The output of an agent, and the number of repeats in a short and in a long run. We take the difference between the
/// two.
const SIZES: [(&str, u64, u64, u64); 5] = [
    ("1 KiB", 1 << 10, 10, 210),
    ("32 KiB", 1 << 15, 10, 210),
    ("1 MiB", 1 << 20, 10, 110),
    ("32 MiB", 1 << 25, 1, 11),
    ("1 GiB", 1 << 30, 1, 2),
];
const WAKEUPS: &str = "loop run: system calls in a silence of 5 s / 10";

/// Runs the measurements. If one is not possible, its row says why.
///
/// # Errors
/// If a run fails in the middle of a measurement.
pub fn measure(table: &mut Table) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let binary = match loop_binary() {
        Ok(binary) => binary,
        Err(error) => {
            for what in [THROUGHPUT, WAKEUPS] {
                table.add(Row::skipped(what, format!("{error:#}")));
            }
            return Ok(());
        }
    };
    let flood = || timed(&mut loop_run(&binary, &folder, FLOOD), 1);
    let cat = format!("{FLOOD} | cat >/dev/null");
    let pairs = in_turn(flood, || timed(Command::new("/bin/sh").args(["-c", &cat]), 0))?;
    let note = format!("{:.2} s over {:.2} s", pairs.first.median, pairs.second.median);
    table.add(Row::new(THROUGHPUT, pairs.ratio).at_most(2.0).note(note));

    table.add(match wakeups(&binary, &folder)? {
        Some(count) => {
            Row::single(WAKEUPS, count as f64 / 10.0).at_most(1.0).note(format!("{count}, by strace"))
        }
        None => Row::skipped(WAKEUPS, "strace cannot be run"),
    });
    match CommandBench::prepare() {
        Ok(bench) => table.grow(by_output(&bench)?),
        Err(error) => table.add(Row::skipped(OUTPUT, format!("{error:#}"))),
    }
    Ok(())
}

/// Measures an agent that prints more and more.
fn by_output(bench: &CommandBench) -> Result<Growth> {
    let mut growth = Growth::new(OUTPUT, "output of the agent").at_most(2.0);
    for (name, bytes, start, length) in SIZES {
        let agent = format!("head -c {bytes} /dev/zero");
        let of_loop = || bench.of_loop(&agent, start, length);
        growth.point(name, in_turn(of_loop, || bench.of_floor(&agent, start, length))?.ratio);
    }
    Ok(growth)
}

/// Returns the command for `loop run` of one iteration of this agent, with a failing check.
fn loop_run(binary: &Path, folder: &TempDir, agent: &str) -> Command {
    let mut command = Command::new(binary);
    command.args([
        "run",
        "--goal",
        "none",
        "--agent",
        agent,
        "--check",
        "false",
        "--max",
        "1",
        "--quiet",
        "--no-journal",
    ]);
    command.arg("--telemetry").arg(folder.path().join("telemetry.jsonl"));
    command.current_dir(folder.path()).stdin(Stdio::null());
    command
}

/// Returns the number of system calls while the agent slept; `None` without strace.
fn wakeups(binary: &Path, folder: &TempDir) -> Result<Option<usize>> {
    let trace = folder.path().join("trace");
    let run = loop_run(binary, folder, "sleep 5");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-ttt", "-o"]).arg(&trace).arg(run.get_program()).args(run.get_args());
    match strace.current_dir(folder.path()).stdin(Stdio::null()).status() {
        Ok(status) => ensure!(status.code() == Some(1), "{strace:?} ended with {status}"),
        Err(_) => return Ok(None),
    }
    let trace = fs::read_to_string(&trace)?;
    let asleep = trace.lines().find(|line| line.contains("clock_nanosleep")).and_then(time);
    let asleep = asleep.context("`sleep` does not sleep by clock_nanosleep here")?;
    Ok(Some(calls_within(&trace, asleep + 0.1..asleep + 4.9)))
}

/// Returns the number of system calls in a trace within these times.
pub(crate) fn calls_within(trace: &str, times: Range<f64>) -> usize {
    trace.lines().filter_map(time).filter(|time| times.contains(time)).count()
}

/// Returns the time of the call in this line of a trace.
pub(crate) fn time(line: &str) -> Option<f64> {
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}
