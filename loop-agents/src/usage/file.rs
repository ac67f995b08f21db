//! The file to which an agent appends what it used.
//!
//! Most agents have a hook, a wrapper script or a plugin that knows what was used, and every one of
//! them can append a line to a file. It is watched while the agent runs: the system tells of each
//! change, so that nothing looks again and again, and a budget can cut the work in its middle.

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
    report::{self, Reports},
    stray,
};

/// The environment variable that tells a command where its usage file is.
pub const USAGE_FILE_VARIABLE: &str = "LOOP_USAGE_FILE";

/// How much is read before others get their turn.
const READ_BYTES: u64 = 64 * 1024;

/// How long their turn is. Without it, who writes faster than we read would let no limit bind: each piece is a
/// report, and while there is another report nothing else is looked at.
const TURN: Duration = Duration::from_millis(1);

/// How much is read after the end of a command. No limit and no signal is heard meanwhile, and a file can
/// be said to have more bytes than any disk.
const LAST_BYTES: u64 = 16 * 1024 * 1024;

/// A file that commands append their usage to, in a folder of its own, gone with its last handle.
///
/// Each line is a JSON object with any of `input_tokens`, `output_tokens`,
/// `cached_input_tokens` and `cost_usd`, counting what was used since the line before. What
/// cannot be used is [counted](Self::refused) and otherwise ignored: a typo in a hook is no reason
/// to end a run. But an amount may have been in it, so that the sum is then a lower bound. A file that is written anew in place of being appended to is read from its beginning.
///
/// What stands here counts beside what the agent [prints](super::UsageReader): it is for what the agent's own
/// output does not say. What says the same in both places is counted twice, so that a budget holds rather than
/// not, and [`ShellAgent`](crate::shell::ShellAgent) notes it.
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
    _claim: File,
}

#[derive(Debug)]
struct Source {
    file: File,
    reports: Reports,
    /// The last of what was read, to know it again.
    recent: Vec<u8>,
    /// Where reading began since a command ended last, if anything was read.
    from: Option<u64>,
    /// All of it was written by the last command that wrote anything.
    is_whole: bool,
    /// When the file was last written to, as it was found then.
    modified: Option<(i64, i64)>,
    last_error: Option<io::Error>,
}

/// How much of what was read is known again.
const RECENT_BYTES: u64 = 256;

impl UsageFile {
    /// Makes the file in the system's folder for temporary files ([`std::env::temp_dir`]).
    ///
    /// # Errors
    /// The folder or the file cannot be made.
    pub fn create() -> io::Result<Self> {
        Self::create_in(&std::env::temp_dir())
    }

    /// Makes the file in a new folder in `parent`. What processes that were killed have left behind there is
    /// taken away, if it is older than a day.
    ///
    /// # Errors
    /// The folder or the file cannot be made.
    pub fn create_in(parent: &Path) -> io::Result<Self> {
        stray::remove(parent);
        let folder = tempfile::Builder::new().prefix(stray::PREFIX).tempdir_in(parent)?;
        let claim = stray::claim(folder.path())?;
        let path = folder.path().join("usage.jsonl");
        File::create_new(&path)?;
        let source = Source::new(open(&path)?);
        let changed = Arc::new(Notify::new());
        let watcher = watch(folder.path(), Arc::clone(&changed));
        let source = Mutex::new(source);
        Ok(Self(Arc::new(Shared { path, source, changed, watcher, _folder: folder, _claim: claim })))
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

    /// How many lines said something that counted.
    pub fn counted(&self) -> u64 {
        self.source().reports.counted()
    }

    /// How many lines could not be used, or not all of them.
    pub fn refused(&self) -> u64 {
        self.source().reports.refused()
    }

    /// The last of these lines, and why.
    pub fn last_refusal(&self) -> Option<String> {
        self.source().reports.last_refusal().map(str::to_owned)
    }

    /// Why the file could not be read when that last failed, if it ever did: mostly since it was
    /// deleted. What had been written into it before is not lost, and a new file in its place is read.
    pub fn last_read_error(&self) -> Option<String> {
        self.source().last_error.as_ref().map(ToString::to_string)
    }

    /// Reports to `meter` what is appended while a command runs. Never resolves. Cancel safe.
    ///
    /// # Panics
    /// Outside of a tokio runtime with time enabled.
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

    /// Reports the rest to `meter` when a command has ended, a last line without its newline
    /// included.
    pub fn finish(&self, meter: &Meter) {
        let mut source = self.source();
        let (usage, more) = source.read(&self.0.path, LAST_BYTES);
        if more {
            source.skip_rest();
            meter.add(report::at_least_nothing());
        }
        meter.add(usage + source.reports.finish() + source.leave());
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
    fn new(file: File) -> Self {
        Self {
            file,
            reports: Reports::default(),
            recent: Vec::new(),
            from: None,
            is_whole: false,
            modified: None,
            last_error: None,
        }
    }

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
        self.recent.clear();
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
        self.recent.clear();
        self.read_held(usage, most)
    }

    fn read_held(&mut self, usage: &mut Usage, most: u64) -> io::Result<bool> {
        let length = self.file.metadata()?.len();
        let mut position = self.file.stream_position()?;
        if length < position || !self.goes_on(position) {
            // Written anew in place of being appended to.
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

    /// Whether what was read before this position still stands there.
    fn goes_on(&self, position: u64) -> bool {
        let mut there = vec![0; self.recent.len()];
        let start = position.saturating_sub(self.recent.len() as u64);
        self.file.read_exact_at(&mut there, start).is_ok() && there == self.recent
    }

    /// Keeps the last of what was read since this position.
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

    /// A command has ended, and all that it wrote is read. If it wrote the very same in the place of what the
    /// last one wrote, it has reported that anew. Only when the file was written to tells this; where commands
    /// append, as they should, it is not asked.
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

/// Opens the file if it is one: opening a named pipe that an agent put there would wait for a
/// writer, and all of us with it.
fn open(path: &Path) -> io::Result<File> {
    let file = File::options().read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}
