//! A log to which other programs append usage, whatever runs.

use std::{
    convert::Infallible,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use loop_core::Meter;
use notify::RecommendedWatcher;
use tokio::sync::Notify;

use super::{
    read_state::ReadState,
    usage_file::{follow, watch},
};

/// A log of usage that an agent has already, in the format of a [`UsageFile`](super::UsageFile).
///
/// Only the lines that are appended while a command runs count: reading begins at the end of the log when the command
/// [begins](Self::begin). If the log is rotated meanwhile, the rest of the old file counts, and then the new file from its
/// beginning. A log that is overwritten is read from its beginning, and so is one that appears only later. Where lines may
/// be lost, because the log was rotated or emptied faster than it was read, the sum is a lower bound.
///
/// Clones are handles to the same log.
#[derive(Debug, Clone)]
pub struct UsageLog(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    state: Mutex<ReadState>,
    changed: Arc<Notify>,
    /// Watches the folder of the log while a command runs, if that folder exists.
    watcher: Mutex<Option<RecommendedWatcher>>,
}

impl UsageLog {
    /// Describes the log at `path`. Reads nothing.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(Arc::new(Shared {
            path: path.into(),
            state: Mutex::new(ReadState::default()),
            changed: Arc::default(),
            watcher: Mutex::default(),
        }))
    }

    /// Returns the path of the log.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Skips the lines that are in the log. Call this before a command starts.
    ///
    /// A folder that cannot be watched is no error: the log is then only read at the end of the command.
    pub fn begin(&self) {
        let folder = self.0.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let watcher = watch(folder.unwrap_or(Path::new(".")), Arc::clone(&self.0.changed)).ok();
        *self.0.watcher.lock().unwrap_or_else(PoisonError::into_inner) = watcher;
        self.state().go_to_end(&self.0.path);
    }

    /// Reports appended usage to `meter` while a command runs. Never resolves. Cancel safe.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime with time enabled.
    pub async fn follow(&self, meter: &Meter) -> Infallible {
        follow(|most| self.state().read(&self.0.path, most), &self.0.changed, meter).await
    }

    /// Reports the rest to `meter` after a command has ended, and stops watching.
    pub fn finish(&self, meter: &Meter) {
        *self.0.watcher.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.state().finish(&self.0.path, meter);
    }

    /// Returns the number of lines that counted.
    pub fn counted(&self) -> u64 {
        self.state().reports.counted()
    }

    /// Returns the number of lines that were invalid, completely or in part.
    pub fn refused(&self) -> u64 {
        self.state().reports.refused()
    }

    /// Returns the last of these lines, with the reason.
    pub fn last_refusal(&self) -> Option<String> {
        self.state().reports.last_refusal().map(str::to_owned)
    }

    /// Returns the last error from reading the log, if there was one. A log that does not exist is no error.
    pub fn last_read_error(&self) -> Option<String> {
        let state = self.state();
        let error = state.last_error.as_ref().filter(|error| error.kind() != io::ErrorKind::NotFound);
        error.map(ToString::to_string)
    }

    fn state(&self) -> MutexGuard<'_, ReadState> {
        // A panic under this lock cannot leave a line half counted.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
