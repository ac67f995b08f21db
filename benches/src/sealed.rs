//! Measures a sealed check beside the same check without the seal, on a folder with many files.

use std::{
    env,
    ffi::OsString,
    fs,
    path::PathBuf,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tempfile::TempDir;

use crate::{
    command::loop_binary,
    pairs::in_turn,
    table::{Row, Table},
};

const FILES: usize = 10_000;
const FILES_PER_FOLDER: usize = 100;
/// The iterations of the shorter run, whose time is subtracted: the first checks make the tree.
const SHORT: u64 = 3;
const LONG: u64 = 8;
/// The check reads each file, as a linter does, and takes a second, which is short for tests.
const CHECK: &str = "find . -name '*.txt' -exec cat {} + > /dev/null; sleep 1; false";
/// A sealed check may cost this much more than the bare one.
const GOAL: f64 = 1.3;

/// Runs the measurement. If it is not possible, its row says why.
///
/// # Errors
/// If a run failed in the middle of a measurement.
pub fn measure(table: &mut Table) -> Result<()> {
    let what = format!("a sealed check of 1 s and {FILES} files / without the seal, after the second");
    let loop_binary = match loop_binary() {
        Ok(binary) => binary,
        Err(error) => {
            table.add(Row::skipped(what, format!("{error:#}")));
            return Ok(());
        }
    };
    let folder = Folder::new(loop_binary)?;
    let of_check = |is_sealed: bool| -> Result<Duration> {
        let short = folder.run(is_sealed, SHORT)?;
        Ok(folder.run(is_sealed, LONG)?.saturating_sub(short))
    };
    let pairs = in_turn(|| of_check(true), || of_check(false))?;
    let each = |seconds: f64| seconds / (LONG - SHORT) as f64 * 1e3;
    let note = format!("{:.0} ms over {:.0} ms", each(pairs.first.median), each(pairs.second.median));
    table.add(Row::new(what, pairs.ratio).at_most(GOAL).note(note));
    Ok(())
}

/// A folder with many files, and the command that runs there.
struct Folder {
    place: TempDir,
    folder: PathBuf,
    loop_binary: PathBuf,
}

impl Folder {
    fn new(loop_binary: PathBuf) -> Result<Self> {
        let place = tempfile::tempdir()?;
        let folder = place.path().join("folder");
        for number in 0..FILES {
            let file = folder.join(format!("{}/{number}.txt", number / FILES_PER_FOLDER));
            fs::create_dir_all(file.parent().context("a folder")?)?;
            fs::write(file, format!("file {number}\n{}", "a line of text\n".repeat(60)))?;
        }
        Ok(Self { place, folder, loop_binary })
    }

    /// Runs a loop whose agent changes one file in each iteration. Returns the time of the run.
    fn run(&self, is_sealed: bool, iterations: u64) -> Result<Duration> {
        let manifest = json!({
            "name": "sealed",
            "goal": "the check passes",
            "agent": { "command": "echo $LOOP_ITERATION > 0/0.txt" },
            "evaluator": { "command": CHECK, "sealed": is_sealed },
            "stagnation": "off",
            "guardrails": { "max_iterations": iterations },
        });
        let path = self.place.path().join("loop.json");
        fs::write(&path, manifest.to_string())?;
        let begun = Instant::now();
        let ran = Command::new(&self.loop_binary)
            .args([OsString::from("run"), "--quiet".into(), path.into()])
            .current_dir(&self.folder)
            .env("HOME", self.place.path())
            .env("LOOP_HOME", self.place.path().join("state"))
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .stdout(Stdio::null())
            .output()?;
        let time = begun.elapsed();
        // A guardrail ended it.
        ensure!(ran.status.code() == Some(1), "{}", String::from_utf8_lossy(&ran.stderr));
        Ok(time)
    }
}
