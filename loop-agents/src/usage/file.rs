//! The file to which an agent appends what it used.
//!
//! Most agents have a hook, a wrapper script or a plugin that knows what was used, and every one of
//! them can append a line to a file. It is watched while the agent runs: the system tells of each
//! change, so that nothing looks again and again, and a budget can cut the work in its middle.

use std::{
    convert::Infallible,
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use loop_core::{Meter, Usage};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use rustix::fs::OFlags;
use tempfile::TempDir;
use tokio::{sync::Notify, task::yield_now};

use super::report::Reports;

/// The environment variable that tells a command where its usage file is.
pub const USAGE_FILE_VARIABLE: &str = "LOOP_USAGE_FILE";

/// How much is read before others get their turn.
const READ_BYTES: u64 = 1024 * 1024;

/// How much is read after the end of a command. No limit and no signal is heard meanwhile, and a file can
/// be said to have more bytes than any disk.
const LAST_BYTES: u64 = 16 * 1024 * 1024;

/// A file that commands append their usage to, in a folder of its own, gone with its last handle.
///
/// Each line is a JSON object with any of `input_tokens`, `output_tokens`,
/// `cached_input_tokens` and `cost_usd`, counting what was used since the line before. Lines that
/// cannot be used are [counted](Self::refused) and otherwise ignored: a typo in a hook is no reason
/// to end a run.
///
/// One file serves one run. Its handles are clones, so that the agent and the evaluator of a
/// run can report to the same.
#[derive(Debug, Clone)]
pub struct UsageFile(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    source: Mutex<Source>,
    changed: Arc<Notify>,
    // The watcher goes before the folder that it watches.
    watcher: notify::Result<RecommendedWatcher>,
    _folder: TempDir,
}

#[derive(Debug)]
struct Source {
    file: File,
    reports: Reports,
    last_error: Option<io::Error>,
}

impl UsageFile {
    /// Makes the file in the system's folder for temporary files ([`std::env::temp_dir`]).
    ///
    /// # Errors
    /// The folder or the file cannot be made.
    pub fn create() -> io::Result<Self> {
        Self::create_in(&std::env::temp_dir())
    }

    /// Makes the file in a new folder in `parent`.
    ///
    /// # Errors
    /// The folder or the file cannot be made.
    pub fn create_in(parent: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("loop-usage-").tempdir_in(parent)?;
        let path = folder.path().join("usage.jsonl");
        File::create_new(&path)?;
        let source = Source { file: open(&path)?, reports: Reports::default(), last_error: None };
        let changed = Arc::new(Notify::new());
        let watcher = watch(folder.path(), Arc::clone(&changed));
        Ok(Self(Arc::new(Shared { path, source: Mutex::new(source), changed, watcher, _folder: folder })))
    }

    /// Where it is; the value of [`USAGE_FILE_VARIABLE`].
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Why the file cannot be watched, if it cannot: mostly a system that watches too many files
    /// already. It is then read at the end of each command only, and a budget holds that much later.
    pub fn watch_error(&self) -> Option<String> {
        self.0.watcher.as_ref().err().map(ToString::to_string)
    }

    /// How many lines could not be used.
    pub fn refused(&self) -> u64 {
        self.source().reports.refused()
    }

    /// The last line that could not be used, and why.
    pub fn last_refusal(&self) -> Option<String> {
        self.source().reports.last_refusal().map(str::to_owned)
    }

    /// Why the file could not be read when that last failed, if it ever did: mostly since it was
    /// deleted. What had been written into it before is not lost, and a new file in its place is read.
    pub fn last_read_error(&self) -> Option<String> {
        self.source().last_error.as_ref().map(ToString::to_string)
    }

    /// Reports to `meter` what is appended while a command runs. Never resolves. Cancel safe.
    pub async fn follow(&self, meter: &Meter) -> Infallible {
        loop {
            let (usage, more) = self.source().read(&self.0.path, READ_BYTES);
            meter.add(usage);
            if more {
                yield_now().await;
            } else {
                self.0.changed.notified().await;
            }
        }
    }

    /// Reports the rest to `meter` when a command has ended, a last line without its newline
    /// included.
    pub fn finish(&self, meter: &Meter) {
        let mut source = self.source();
        let (usage, more) = source.read(&self.0.path, LAST_BYTES);
        if more {
            source.skip_rest();
        }
        meter.add(usage + source.reports.finish());
    }

    fn source(&self) -> MutexGuard<'_, Source> {
        // Nothing under this lock leaves a line half counted.
        self.0.source.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Watches the folder and not the file: a file that is replaced by another takes its watch along.
fn watch(folder: &Path, changed: Arc<Notify>) -> notify::Result<RecommendedWatcher> {
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // An error may stand for changes that were lost; reading once too often does no harm.
        if !event.is_ok_and(|event| matches!(event.kind, EventKind::Access(_))) {
            changed.notify_one();
        }
    })?;
    watcher.watch(folder, RecursiveMode::NonRecursive)?;
    Ok(watcher)
}

impl Source {
    /// Reads what was appended since the last time, about `most` bytes of what is there now. Also
    /// whether there is more.
    fn read(&mut self, path: &Path, most: u64) -> (Usage, bool) {
        let mut usage = Usage::unknown();
        let read = self.read_into(&mut usage, path, most);
        // What was read before an error counts all the same.
        let more = read.unwrap_or_else(|error| {
            self.last_error = Some(error);
            false
        });
        (usage, more)
    }

    /// Passes over what is too much to read.
    fn skip_rest(&mut self) {
        let why = format!("more than {LAST_BYTES} bytes were left in it when a command ended");
        self.last_error = Some(self.file.seek(SeekFrom::End(0)).err().unwrap_or(io::Error::other(why)));
    }

    fn read_into(&mut self, usage: &mut Usage, path: &Path, most: u64) -> io::Result<bool> {
        // The file that we hold comes first: whoever deletes or replaces it may just have written to it.
        if self.read_held(usage, most)? {
            return Ok(true);
        }
        let (held, now) = (self.file.metadata()?, fs::metadata(path)?);
        if (held.dev(), held.ino()) == (now.dev(), now.ino()) {
            return Ok(false);
        }
        // Replaced by another file: that one is new from its beginning.
        *usage += self.reports.finish();
        self.file = open(path)?;
        self.read_held(usage, most)
    }

    fn read_held(&mut self, usage: &mut Usage, most: u64) -> io::Result<bool> {
        let length = self.file.metadata()?.len();
        let mut position = self.file.stream_position()?;
        if length < position {
            // Written anew in place of being appended to.
            *usage += self.reports.finish();
            position = self.file.seek(SeekFrom::Start(0))?;
        }
        let available = length - position;
        let mut rest = (&self.file).take(available.min(most));
        let mut buffer = [0; 8192];
        while rest.limit() > 0 {
            match rest.read(&mut buffer)? {
                0 => break,
                count => *usage += self.reports.feed(&buffer[..count]),
            }
        }
        Ok(available > most)
    }
}

/// Opens the file if it is one: opening a named pipe that an agent put there would wait for a
/// writer, and all of us with it.
fn open(path: &Path) -> io::Result<File> {
    let file = File::options().read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}
