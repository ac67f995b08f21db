//! What supervision costs while a command runs: a flood of output, and a silence.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::{
    command::{loop_binary, timed},
    pairs::in_turn,
    table::{Row, Table},
};

const FLOOD: &str = "head -c 1073741824 /dev/zero";
const THROUGHPUT: &str = "loop run: 1 GiB of output / the same into cat";
const WAKEUPS: &str = "loop run: system calls in a silence of 5 s / 10";

/// Measures it; what cannot be measured is a row that says why.
///
/// # Errors
/// If a run went wrong in the middle of a measurement.
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
    Ok(())
}

/// `loop run` of one iteration of this agent, with a check that fails.
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

/// How many system calls were made while the agent slept; none without strace.
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
    let time = |line: &str| line.split_ascii_whitespace().nth(1).and_then(|time| time.parse::<f64>().ok());
    let asleep = trace.lines().find(|line| line.contains("clock_nanosleep")).and_then(time);
    let asleep = asleep.context("`sleep` does not sleep by clock_nanosleep here")?;
    let silence = asleep + 0.1..asleep + 4.9;
    Ok(Some(trace.lines().filter_map(time).filter(|time| silence.contains(time)).count()))
}
