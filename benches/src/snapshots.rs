//! Measures captures of a folder beside `git status`, the growth of their store, and the restore of one file.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use loop_manifest::{plan::SnapshotPlan, snapshots::FolderSnapshots};
use loop_snapshots::{CaptureOptions, SnapshotId, Store};
use loop_telemetry::StateDir;
use tempfile::TempDir;

use crate::{
    pairs::{PAIRS, Spread, in_turn},
    table::{Row, Table},
};

/// The numbers of files in the folders that are captured.
const FILES: [usize; 3] = [10, 10_000, 100_000];
const FILES_PER_FOLDER: usize = 100;
/// The time that a capture may take beside twice that of `git status`.
const BESIDE: f64 = 0.01;

/// The folder whose store grows: 1 GB in files of this size, of which some change in each iteration.
const LARGE_FILES: usize = 10_000;
const LARGE_FILE: usize = 100_000;
const ITERATIONS: usize = 1_000;
const CHANGED: usize = 10;

/// Runs the measurements.
///
/// # Errors
/// If a capture or a restore fails, or did not do the measured work.
pub fn measure(table: &mut Table) -> Result<()> {
    let mut restores = Vec::new();
    for files in FILES {
        let mut tree =
            Tree::new(files, |number| format!("file {number}\n{}", "a line of text\n".repeat(60)))?;
        let what = format!("capture of {files} files / (2 x git status + {} ms)", BESIDE * 1e3);
        match tree.commit() {
            Err(error) => table.add(Row::skipped(what, format!("git cannot be run: {error:#}"))),
            Ok(()) => table.add(tree.beside_git(what)?),
        }
        restores.push(tree);
    }
    let [small, _, large] = &mut restores[..] else { unreachable!("one tree for each number of files") };
    let pairs = in_turn(|| large.restore_one(), || small.restore_one())?;
    let what = format!("restore of one file among {} / among {}", FILES[2], FILES[0]);
    let note = format!("{:.1} ms over {:.1} ms", pairs.first.median * 1e3, pairs.second.median * 1e3);
    table.add(Row::new(what, pairs.ratio).note(note));
    drop(restores);
    table.add(growth()?);
    Ok(())
}

/// A folder, and the store of its snapshots.
struct Tree {
    folder: PathBuf,
    store: Store,
    options: CaptureOptions,
    captured: u64,
    _place: TempDir,
}

impl Tree {
    fn new(files: usize, text: impl Fn(usize) -> String) -> Result<Self> {
        let place = tempfile::tempdir()?;
        let folder = place.path().join("folder");
        for number in 0..files {
            let file = file(&folder, number);
            if number % FILES_PER_FOLDER == 0 {
                fs::create_dir_all(file.parent().context("a folder")?)?;
            }
            fs::write(file, text(number))?;
        }
        let variable = |name: &str| (name == "LOOP_HOME").then(|| place.path().join("state").into());
        let state = StateDir::from_env_with(variable)?;
        let store = Store::open(&state.snapshots()?, &folder)?;
        // A run looks at the name of each file.
        let options = FolderSnapshots::new(&folder, state, &SnapshotPlan::default()).options();
        let mut tree = Self { folder, store, options, captured: 0, _place: place };
        tree.capture()?;
        Ok(tree)
    }

    fn commit(&self) -> Result<()> {
        for words in [&["init", "-q"][..], &["add", "-A"], &["commit", "-qm", "all files"]] {
            self.git(words)?;
        }
        Ok(())
    }

    fn git(&self, words: &[&str]) -> Result<()> {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=bench", "-c", "user.email=bench@localhost"]).args(words);
        let ran = git.current_dir(&self.folder).output().context("git")?;
        ensure!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        Ok(())
    }

    /// Captures the folder, and returns the time that this took.
    fn capture(&mut self) -> Result<Duration> {
        let id = SnapshotId::new("bench", self.captured)?;
        self.captured += 1;
        let begun = Instant::now();
        self.store.capture(&id, &self.options)?;
        Ok(begun.elapsed())
    }

    /// Compares a capture after a change with `git status` after a change.
    fn beside_git(&mut self, what: String) -> Result<Row> {
        let first = file(&self.folder, 0);
        let mut changes = 0_u64;
        let mut change = move || {
            changes += 1;
            fs::write(&first, format!("change {changes}\n"))
        };
        let (mut captures, mut statuses) = (Vec::new(), Vec::new());
        // The first pair does not count.
        for pair in 0..=PAIRS {
            change()?;
            let capture = self.capture()?;
            change()?;
            let begun = Instant::now();
            self.git(&["status", "--porcelain"])?;
            if pair > 0 {
                captures.push(capture.as_secs_f64());
                statuses.push(begun.elapsed().as_secs_f64());
            }
        }
        let (capture, status) = (Spread::of(captures), Spread::of(statuses));
        let allowed = |status: f64| 2.0 * status + BESIDE;
        let ratio = Spread {
            least: capture.least / allowed(status.greatest),
            median: capture.median / allowed(status.median),
            greatest: capture.greatest / allowed(status.least),
        };
        let note = format!("{:.1} ms; git status {:.1} ms", capture.median * 1e3, status.median * 1e3);
        Ok(Row::new(what, ratio).at_most(1.0).note(note))
    }

    /// Changes a file, and times its restore to the first snapshot.
    fn restore_one(&mut self) -> Result<Duration> {
        let name = file(Path::new(""), 1);
        let path = self.folder.join(&name);
        fs::write(&path, "changed")?;
        let begun = Instant::now();
        let plan = self.store.plan_restore(&SnapshotId::new("bench", 0)?, &[name], &self.options)?;
        self.store.restore(&plan)?;
        let took = begun.elapsed();
        ensure!(fs::read_to_string(path)?.starts_with("file 1\n"), "the file was not restored");
        Ok(took)
    }
}

fn file(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("{}/{number}.txt", number / FILES_PER_FOLDER))
}

/// Captures a folder of 1 GB after each of many small changes, and compares the growth of the store with what changed.
fn growth() -> Result<Row> {
    let mut tree = Tree::new(LARGE_FILES, |number| format!("{number:099}\n").repeat(LARGE_FILE / 100))?;
    let (before, mut changed) = (tree.store.size()?, 0_usize);
    for iteration in 0..ITERATIONS {
        for place in 0..CHANGED {
            let path = file(&tree.folder, (iteration * CHANGED + place) * 7 % LARGE_FILES);
            let mut content = fs::read(&path)?;
            let line = format!("change {iteration}.{place}\n");
            content.splice(..line.len(), line.bytes());
            changed += content.len();
            fs::write(path, content)?;
        }
        tree.capture()?;
    }
    let grown = tree.store.size()? - before;
    let what = format!("growth of the store over {ITERATIONS} captures of 1 GB / changed bytes");
    let note = format!("{} MB over {} MB", grown / 1_000_000, changed / 1_000_000);
    Ok(Row::single(what, grown as f64 / changed as f64).at_most(2.0).note(note))
}
