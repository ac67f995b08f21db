//! The file to which an agent appends its usage.
//!
//! Most agents have a hook, a wrapper script or a plugin that knows the usage, and any of these can append a line to a
//! file. We watch the file while the agent runs. The system reports each change, so we need not poll, and a budget can
//! stop the work in its middle.

use std::{
    convert::Infallible,
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom},
    os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use loop_core::{Meter, Usage};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use rustix::fs::OFlags;
use tempfile::TempDir;
use tokio::{sync::Notify, time::sleep};

use super::{
    file_reports::{self, FileReports},
    stale_folders,
};
use crate::process::off_executor;

/// The environment variable with the path of a command's usage file.
pub const USAGE_FILE_VARIABLE: &str = "LOOP_USAGE_FILE";

/// The number of bytes to read before other tasks get their turn.
const READ_BYTES: u64 = 64 * 1024;

/// The length of their turn. Without it, a writer that is faster than our reader would keep us from enforcing limits:
/// each piece is a report, and while there is another report we look at nothing else.
const TURN: Duration = Duration::from_millis(1);

/// The number of bytes to read after the end of a command. During that time we notice no limit and no signal, and a
/// sparse file can be larger than any disk.
const LAST_BYTES: u64 = 16 * 1024 * 1024;

/// A file to which commands append their usage. It is in its own folder, which is removed with the last handle.
///
/// If you drop the last handle inside of a tokio runtime, a blocking thread of the runtime removes the folder. Dropping
/// the runtime waits for that thread. Without a runtime, the drop removes the folder itself. If this process exits before
/// the folder is gone, a later [`create_in`](Self::create_in) removes it.
///
/// Each line is a JSON object with any of `input_tokens`, `output_tokens`, `cached_input_tokens` and `cost_usd`, which
/// count the usage since the line before. Invalid parts are [counted](Self::refused) and otherwise ignored, because a
/// typo in a hook is no reason to end a run. But such a part may have contained an amount, so the sum becomes a lower
/// bound. If a command overwrites the file instead of appending, we read it from its beginning.
///
/// The usage in this file adds to the usage that the agent [prints](super::UsageReader). Use the file for usage that
/// the agent's own output does not contain. Usage that appears in both places counts twice, which is the safer side for
/// a budget, and [`ShellAgent`](crate::shell::ShellAgent) notes it.
///
/// One file serves one run. Its handles are clones, so that the agent and the evaluator of a run can report to the same
/// file.
#[derive(Debug, Clone)]
pub struct UsageFile(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    source: Mutex<ReadState>,
    changed: Arc<Notify>,
    /// `None` once it is being removed.
    folder: Option<Folder>,
}

/// The folder of the file, which is removed when this is dropped. That takes a dozen system calls.
#[derive(Debug)]
struct Folder {
    // Fields drop in order: the watcher must go before the folder that it watches.
    watcher: notify::Result<RecommendedWatcher>,
    _folder: TempDir,
    _claim: File,
}

impl Drop for Shared {
    fn drop(&mut self) {
        let folder = self.folder.take();
        // Nobody waits for the removal.
        drop(off_executor(move || drop(folder)));
    }
}

#[derive(Debug)]
struct ReadState {
    file: File,
    reports: FileReports,
    /// The end of the bytes read so far, to recognise them later.
    recent: Vec<u8>,
    /// The position where reading began after the last command ended, if anything was read.
    from: Option<u64>,
    /// Whether the last command that wrote anything wrote the whole file.
    is_whole: bool,
    /// The modification time when we last looked at it.
    modified: Option<(i64, i64)>,
    last_error: Option<io::Error>,
}

/// The number of bytes to recognise.
const RECENT_BYTES: u64 = 256;

impl UsageFile {
    /// Creates the file in the system's folder for temporary files ([`std::env::temp_dir`]).
    ///
    /// # Errors
    /// Fails if the folder or the file cannot be created.
    pub fn create() -> io::Result<Self> {
        Self::create_in(&std::env::temp_dir())
    }

    /// Creates the file in a new folder in `parent`. Removes folders that killed processes left behind there, if they
    /// are older than a day.
    ///
    /// # Errors
    /// Fails if the folder or the file cannot be created.
    pub fn create_in(parent: &Path) -> io::Result<Self> {
        stale_folders::remove(parent);
        let folder = tempfile::Builder::new().prefix(stale_folders::PREFIX).tempdir_in(parent)?;
        let claim = stale_folders::claim(folder.path())?;
        let path = folder.path().join("usage.jsonl");
        File::create_new(&path)?;
        let source = ReadState::new(open(&path)?);
        let changed = Arc::new(Notify::new());
        let watcher = watch(folder.path(), Arc::clone(&changed));
        let source = Mutex::new(source);
        let folder = Some(Folder { watcher, _folder: folder, _claim: claim });
        Ok(Self(Arc::new(Shared { path, source, changed, folder })))
    }

    /// Returns the file's path, which is the value of [`USAGE_FILE_VARIABLE`].
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns why the file cannot be watched, if so. Usually the system watches too many files already. Then the file
    /// is only read at the end of each command, and budgets are enforced that much later.
    pub fn watch_error(&self) -> Option<String> {
        self.0.folder.as_ref()?.watcher.as_ref().err().map(ToString::to_string)
    }

    /// Returns the number of lines that counted.
    pub fn counted(&self) -> u64 {
        self.source().reports.counted()
    }

    /// Returns the number of lines that were invalid, completely or in part.
    pub fn refused(&self) -> u64 {
        self.source().reports.refused()
    }

    /// Returns the last of these lines, with the reason.
    pub fn last_refusal(&self) -> Option<String> {
        self.source().reports.last_refusal().map(str::to_owned)
    }

    /// Returns the last error from reading the file, if there ever was one, usually because the file was deleted. Usage
    /// from before is not lost, and a new file in its place is read.
    pub fn last_read_error(&self) -> Option<String> {
        self.source().last_error.as_ref().map(ToString::to_string)
    }

    /// Reports appended usage to `meter` while a command runs. Never resolves. Cancel safe.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime with time enabled.
    pub async fn follow(&self, meter: &Meter) -> Infallible {
        loop {
            let (usage, more) = self.source().read(&self.0.path, READ_BYTES);
            meter.add(usage);
            if more {
                sleep(TURN).await;
            } else {
                self.0.changed.notified().await;
            }
        }
    }

    /// Reports the rest to `meter` after a command has ended, including a last line without its newline.
    pub fn finish(&self, meter: &Meter) {
        let mut source = self.source();
        let (usage, more) = source.read(&self.0.path, LAST_BYTES);
        if more {
            source.skip_rest();
            meter.add(file_reports::at_least_nothing());
        }
        meter.add(usage + source.reports.finish() + source.leave());
    }

    fn source(&self) -> MutexGuard<'_, ReadState> {
        // A panic under this lock cannot leave a line half counted.
        self.0.source.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Watches the folder and not the file, because a replaced file would take its watch along.
fn watch(folder: &Path, changed: Arc<Notify>) -> notify::Result<RecommendedWatcher> {
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // An error may mean that changes were lost. An extra read does no harm.
        if !event.is_ok_and(|event| matches!(event.kind, EventKind::Access(_))) {
            changed.notify_one();
        }
    })?;
    watcher.watch(folder, RecursiveMode::NonRecursive)?;
    Ok(watcher)
}

impl ReadState {
    fn new(file: File) -> Self {
        Self {
            file,
            reports: FileReports::default(),
            recent: Vec::new(),
            from: None,
            is_whole: false,
            modified: None,
            last_error: None,
        }
    }

    /// Reads about `most` bytes of the text that was appended since the last time. Also returns whether there is more.
    fn read(&mut self, path: &Path, most: u64) -> (Usage, bool) {
        let mut usage = Usage::unknown();
        let read = self.read_into(&mut usage, path, most);
        // Usage from before an error counts all the same.
        let more = read.unwrap_or_else(|error| {
            self.last_error = Some(error);
            false
        });
        (usage, more)
    }

    /// Skips the part that is too long to read.
    fn skip_rest(&mut self) {
        let why = format!("more than {LAST_BYTES} bytes were left in it when a command ended");
        self.last_error = Some(self.file.seek(SeekFrom::End(0)).err().unwrap_or(io::Error::other(why)));
        self.recent.clear();
    }

    fn read_into(&mut self, usage: &mut Usage, path: &Path, most: u64) -> io::Result<bool> {
        // Read the file that we hold first. A process that deletes or replaces it may just have written to it.
        if self.read_held(usage, most)? {
            return Ok(true);
        }
        let (held, now) = (self.file.metadata()?, fs::metadata(path)?);
        if (held.dev(), held.ino()) == (now.dev(), now.ino()) {
            return Ok(false);
        }
        // Another file replaced it. Read that one from its beginning.
        *usage += self.reports.finish();
        self.file = open(path)?;
        self.recent.clear();
        self.read_held(usage, most)
    }

    fn read_held(&mut self, usage: &mut Usage, most: u64) -> io::Result<bool> {
        let length = self.file.metadata()?.len();
        let mut position = self.file.stream_position()?;
        if length < position || !self.goes_on(position) {
            // The file was overwritten, not appended to.
            *usage += self.reports.finish();
            position = self.file.seek(SeekFrom::Start(0))?;
            self.recent.clear();
        }
        let available = length.saturating_sub(position);
        let mut rest = (&self.file).take(available.min(most));
        let mut buffer = [0; 8192];
        while rest.limit() > 0 {
            match rest.read(&mut buffer)? {
                0 => break,
                count => *usage += self.reports.feed(&buffer[..count]),
            }
        }
        self.remember(position)?;
        Ok(available > most)
    }

    /// Returns true if the bytes that we read before this position are still there.
    fn goes_on(&self, position: u64) -> bool {
        let mut there = vec![0; self.recent.len()];
        let start = position.saturating_sub(self.recent.len() as u64);
        self.file.read_exact_at(&mut there, start).is_ok() && there == self.recent
    }

    /// Remembers the last bytes since this position.
    fn remember(&mut self, before: u64) -> io::Result<()> {
        let position = self.file.stream_position()?;
        if position > before {
            self.from.get_or_insert(before);
            let start = position.saturating_sub(RECENT_BYTES);
            self.recent.resize((position - start) as usize, 0);
            self.file.read_exact_at(&mut self.recent, start)?;
        }
        Ok(())
    }

    /// Handles the end of a command whose usage has been read completely. If the command overwrote the file with
    /// exactly the same text as the last one, it has reported that text again. Only the modification time shows this.
    /// For commands that append, as they should, it is not needed.
    fn leave(&mut self) -> Usage {
        let Ok(metadata) = self.file.metadata() else { return Usage::unknown() };
        let modified = (metadata.mtime(), metadata.mtime_nsec());
        let is_written = self.modified.replace(modified).is_some_and(|before| before != modified);
        if let Some(from) = self.from.take() {
            self.is_whole = from == 0;
            return Usage::unknown();
        }
        if !is_written || !self.is_whole || !self.goes_on(metadata.len()) {
            return Usage::unknown();
        }
        self.recent.clear();
        let mut usage = Usage::unknown();
        let read = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.read_held(&mut usage, LAST_BYTES));
        self.from = None;
        if let Err(error) = read {
            self.last_error = Some(error);
        }
        usage + self.reports.finish()
    }
}

/// Opens the file if it is a regular one. Opening a named pipe that an agent put there would otherwise block us until a
/// writer comes.
fn open(path: &Path) -> io::Result<File> {
    let file = File::options().read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}
