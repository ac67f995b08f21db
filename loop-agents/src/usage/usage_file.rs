//! The file to which an agent appends its usage.
//!
//! Most agents have a hook, a wrapper script or a plugin that knows the usage, and any of these can append a line to a
//! file. We watch the file while the agent runs. The system reports each change, so we need not poll, and a budget can
//! stop the work in its middle.

use std::{
    convert::Infallible,
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use loop_core::{Meter, Usage};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tempfile::TempDir;
use tokio::{sync::Notify, time::sleep};

use super::{
    read_state::{ReadState, open},
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

/// A file to which commands append their usage. It is in its own folder, which is removed with the last handle.
///
/// If you drop the last handle inside of a tokio runtime, a blocking thread of the runtime removes the folder. Dropping
/// the runtime waits for that thread. Without a runtime, the drop removes the folder itself. If this process exits
/// before the folder is gone, a later [`create_in`](Self::create_in) removes it.
///
/// Each line is a JSON object with any of `input_tokens`, `output_tokens`, `cached_input_tokens` and `cost_usd`, which
/// count the usage since the line before. Invalid parts are [counted](Self::refused) and otherwise ignored, because a
/// typo in a hook is no reason to end a run. But such a part may have contained an amount, so the sum becomes a lower
/// bound. If a command overwrites or replaces the file instead of appending, we read it from its beginning. On Linux, the
/// sum becomes a lower bound if it was replaced several times between two looks.
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
    changed: Arc<Notify>,
    /// `None` once it is being removed.
    folder: Option<Folder>,
}

/// The file and its folder, which is removed when this is dropped. That takes a dozen system calls.
#[derive(Debug)]
struct Folder {
    source: Mutex<ReadState>,
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
        let source = Mutex::new(ReadState::of(open(&path)?, &path));
        let changed = Arc::new(Notify::new());
        let watcher = watch(folder.path(), Arc::clone(&changed));
        let folder = Some(Folder { source, watcher, _folder: folder, _claim: claim });
        Ok(Self(Arc::new(Shared { path, changed, folder })))
    }

    /// Returns the file's path, which is the value of [`USAGE_FILE_VARIABLE`].
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns why the file cannot be watched, if so. Usually the system watches too many files already. Then the file
    /// is only read at the end of each command, and budgets are enforced that much later.
    pub fn watch_error(&self) -> Option<String> {
        self.folder().watcher.as_ref().err().map(ToString::to_string)
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
        follow(|most| self.source().read(&self.0.path, most), &self.0.changed, meter).await
    }

    /// Reports the rest to `meter` after a command has ended, including a last line without its newline.
    pub fn finish(&self, meter: &Meter) {
        self.source().finish(&self.0.path, meter);
    }

    fn folder(&self) -> &Folder {
        let Some(folder) = &self.0.folder else { unreachable!("only dropping the last handle takes it") };
        folder
    }

    fn source(&self) -> MutexGuard<'_, ReadState> {
        // A panic under this lock cannot leave a line half counted.
        self.folder().source.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reports the usage that `read` returns, of about as many bytes as it gets, whenever there may be more. Never resolves.
pub(super) async fn follow(
    mut read: impl FnMut(u64) -> (Usage, bool),
    changed: &Notify,
    meter: &Meter,
) -> Infallible {
    loop {
        let (usage, more) = read(READ_BYTES);
        meter.add(usage);
        if more {
            sleep(TURN).await;
        } else {
            changed.notified().await;
        }
    }
}

/// Watches the folder and not the file, because a replaced file would take its watch along.
pub(super) fn watch(folder: &Path, changed: Arc<Notify>) -> notify::Result<RecommendedWatcher> {
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // An error may mean that changes were lost. An extra read does no harm.
        if !event.is_ok_and(|event| matches!(event.kind, EventKind::Access(_))) {
            changed.notify_one();
        }
    })?;
    watcher.watch(folder, RecursiveMode::NonRecursive)?;
    Ok(watcher)
}
