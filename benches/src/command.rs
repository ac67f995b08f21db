//! Measures the cost of the `loop` command over a program that only spawns the same commands.
//!
//! The floor is `floor/floor.c`, which this module compiles. Both run the agent `true` and the evaluator `false`. The
//! journal's own work has its own floor, since it waits for the disk (see [`journal`](crate::journal)). Times are
//! differences between a long run and one of ten iterations, so that the startup does not count.

use std::{
    env,
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tempfile::TempDir;

use crate::{
    memory,
    pairs::in_turn,
    table::{Row, Table},
};

/// The iterations of the shortest run, whose time is subtracted so that the startup does not count.
const START: u64 = 10;
const SHORT: u64 = 510;
const LONG: u64 = 2_510;
/// The iterations of the run whose memory is measured. It runs only once.
const LONGEST: u64 = 5_010;
/// The iterations of a run whose journal is on the disk.
const SYNCED: u64 = 210;
/// The expected exit code of a run that a guardrail ended.
const HALTED: i32 = 1;
/// How often a short command is started in one measurement.
const STARTS: u32 = 20;

const OVERHEAD: &str = "loop run / spawn and wait, an iteration";
const FIRST: &str = "loop run with check_first / without, and the check";
const JOURNAL: &str = "loop run with a journal / without, and a sync of its bytes";
const LINE: &str = "loop run: 2510 iterations / 510, an iteration";
const MEMORY: &str = "loop run: peak memory of 5010 iterations / 10 MiB";
const FLAT: &str = "loop run: peak memory of 5010 iterations / of 10";
const START_UP: &str = "loop --version / true";

/// Runs the measurements. If one is not possible, its row says why.
///
/// # Errors
/// If a run failed in the middle of a measurement.
pub fn measure(table: &mut Table) -> Result<()> {
    let bench = match CommandBench::prepare() {
        Ok(bench) => bench,
        Err(error) => {
            for what in [OVERHEAD, FIRST, JOURNAL, LINE, MEMORY, FLAT, START_UP] {
                table.add(Row::skipped(what, format!("{error:#}")));
            }
            return Ok(());
        }
    };
    let agent = "true";
    let of_loop = |length| bench.of_loop(agent, START, length);
    let pairs = in_turn(|| of_loop(SHORT), || bench.of_floor(agent, START, SHORT))?;
    let each = |seconds: f64| seconds / (SHORT - START) as f64 * 1e6;
    let note = format!("{:.0} us over {:.0} us", each(pairs.first.median), each(pairs.second.median));
    table.add(Row::new(OVERHEAD, pairs.ratio).at_most(1.1).note(note));

    let pairs = in_turn(
        || bench.of_starts(&["--check-first"]),
        || Ok(bench.of_starts(&[])? + repeated(|| timed(&mut Command::new("false"), 1))?),
    )?;
    let each = |seconds: f64| seconds / f64::from(STARTS) * 1e6;
    let note = format!("{:.0} us over {:.0} us", each(pairs.first.median), each(pairs.second.median));
    table.add(Row::new(FIRST, pairs.ratio).at_most(1.1).note(note));

    let pairs = in_turn(
        || bench.of_journal(agent),
        || anyhow::Ok(bench.of_loop(agent, START, SYNCED)? + bench.of_syncs(SYNCED - START)?),
    )?;
    let each = |seconds: f64| seconds / (SYNCED - START) as f64 * 1e6;
    let note = format!("{:.0} us over {:.0} us", each(pairs.first.median), each(pairs.second.median));
    table.add(Row::new(JOURNAL, pairs.ratio).at_most(1.1).note(note));

    let long = in_turn(|| of_loop(LONG), || of_loop(SHORT))?;
    let scale = (SHORT - START) as f64 / (LONG - START) as f64;
    table.add(Row::new(LINE, long.ratio.times(scale)).at_most(1.1));

    let peak = |length| memory::peak_kib_of(bench.loop_run(agent, length)?.arg("--no-journal"), HALTED);
    let (long, short) = (peak(LONGEST)?, peak(START)?);
    table.add(Row::single(MEMORY, long as f64 / 10_240.0).at_most(1.0).note(format!("{long} KiB")));
    let note = format!("{short} KiB of 10: most of it is pages of the program's file");
    table.add(Row::single(FLAT, long as f64 / short as f64).at_most(1.1).note(note));

    let version =
        || repeated(|| timed(Command::new(&bench.binary).arg("--version").stdout(Stdio::null()), 0));
    let pairs = in_turn(version, || repeated(|| timed(&mut Command::new("/bin/true"), 0)))?;
    table.add(Row::new(START_UP, pairs.ratio).at_most(2.5));
    Ok(())
}

/// The programs to measure, ready to run.
pub(crate) struct CommandBench {
    binary: PathBuf,
    floor: PathBuf,
    folder: TempDir,
}

impl CommandBench {
    /// Compiles the programs, and tries them.
    pub(crate) fn prepare() -> Result<Self> {
        let bench = Self { binary: loop_binary()?, floor: floor_binary()?, folder: tempfile::tempdir()? };
        bench.run_loop("true", 1)?;
        bench.run_floor("true", 1)?;
        Ok(bench)
    }

    /// Returns the time of `loop run` with `length` iterations of this agent, without its startup and its first
    /// iterations.
    pub(crate) fn of_loop(&self, agent: &str, start: u64, length: u64) -> Result<Duration> {
        let start = self.run_loop(agent, start)?;
        Ok(self.run_loop(agent, length)?.saturating_sub(start))
    }

    /// Returns the same time for the floor.
    pub(crate) fn of_floor(&self, agent: &str, start: u64, length: u64) -> Result<Duration> {
        let start = self.run_floor(agent, start)?;
        Ok(self.run_floor(agent, length)?.saturating_sub(start))
    }

    fn loop_run(&self, agent: &str, iterations: u64) -> Result<Command> {
        let manifest = self.folder.path().join("manifest.json");
        let text = json!({
            "name": "floor",
            "goal": "none",
            "agent": { "command": agent, "prompt": "x" },
            "evaluator": { "command": "false" },
            "guardrails": { "max_iterations": iterations },
            "stagnation": "off",
        });
        fs::write(&manifest, text.to_string())?;
        let mut command = Command::new(&self.binary);
        command.arg("run").arg(manifest).args(["--quiet", "--telemetry"]);
        command.arg(self.folder.path().join("telemetry.jsonl")).stdin(Stdio::null());
        Ok(command)
    }

    /// Returns the time of runs of one iteration with these flags. A single one is too short to time well.
    fn of_starts(&self, flags: &[&str]) -> Result<Duration> {
        repeated(|| timed(self.loop_run("true", 1)?.arg("--no-journal").args(flags), HALTED))
    }

    /// Returns the time of `loop run` with a journal on the disk, without its startup and its first iterations.
    fn of_journal(&self, agent: &str) -> Result<Duration> {
        let home = self.home();
        let timed = |length| {
            let _ = fs::remove_dir_all(&home);
            timed(self.loop_run(agent, length)?.env("LOOP_HOME", &home), HALTED)
        };
        let start = timed(START)?;
        Ok(timed(SYNCED)?.saturating_sub(start))
    }

    /// Returns the time of this number of writes, each synced, with as many bytes as the journal had for an iteration.
    fn of_syncs(&self, writes: u64) -> Result<Duration> {
        let run = fs::read_dir(self.home().join("runs"))?.filter_map(|entry| Some(entry.ok()?.path()));
        let journal = run.map(|run| run.join("events.jsonl")).find(|file| file.is_file());
        let bytes = fs::metadata(journal.context("the run has no journal")?)?.len() / SYNCED;
        let bytes = vec![b'x'; usize::try_from(bytes)?];
        let path = self.folder.path().join("bare");
        let mut file = File::create(&path)?;
        let begun = Instant::now();
        for _ in 0..writes {
            file.write_all(&bytes)?;
            file.sync_data()?;
        }
        let took = begun.elapsed();
        fs::remove_file(path)?;
        Ok(took)
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn run_loop(&self, agent: &str, iterations: u64) -> Result<Duration> {
        timed(self.loop_run(agent, iterations)?.arg("--no-journal"), HALTED)
    }

    fn run_floor(&self, agent: &str, iterations: u64) -> Result<Duration> {
        timed(Command::new(&self.floor).arg(iterations.to_string()).args([agent, "false"]), 0)
    }
}

/// Returns the path of `loop` itself: `LOOP_BIN`, or else a new build.
pub(crate) fn loop_binary() -> Result<PathBuf> {
    if let Some(path) = env::var_os("LOOP_BIN") {
        return Ok(path.into());
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let built = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--quiet", "--release", "-p", "loop-cli", "--message-format=json"])
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .context("cargo cannot be run; set LOOP_BIN to a loop binary")?;
    ensure!(built.status.success(), "loop-cli does not build");
    built
        .stdout
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == "loop")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .context("cargo built no binary named loop")
}

/// Returns the floor, compiled into the folder of the benchmark's own binary.
fn floor_binary() -> Result<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("floor/floor.c");
    let binary = env::current_exe()?.with_file_name("floor");
    let cc = env::var_os("CC").unwrap_or_else(|| "cc".into());
    let compiled = Command::new(cc).args(["-O2", "-o"]).args([&binary, &source]).status();
    ensure!(compiled.context("cc cannot be run")?.success(), "{} does not compile", source.display());
    Ok(binary)
}

/// Returns the time of a command that must exit with this code.
pub(crate) fn timed(command: &mut Command, expected: i32) -> Result<Duration> {
    let begun = Instant::now();
    let status = command.status().with_context(|| format!("{command:?}"))?;
    let took = begun.elapsed();
    ensure!(status.code() == Some(expected), "{command:?} ended with {status}");
    Ok(took)
}

/// Returns the time of several starts, because a single one is too short to time well.
fn repeated(start: impl FnMut() -> Result<Duration>) -> Result<Duration> {
    std::iter::repeat_with(start).take(STARTS as usize).sum()
}
