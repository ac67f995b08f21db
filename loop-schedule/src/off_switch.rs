//! The switch that stops all of a user's jobs on this machine.
//!
//! A person who finds agents at work at three in the morning wants one command that stops all of them, wherever they
//! were scheduled. A variable cannot reach a running process, but a file can. Only the existence of the file matters,
//! not its content.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use notify::{RecursiveMode, Watcher};

use crate::FiringSwitch;

/// A file that stops all jobs while it exists.
///
/// ```
/// use loop_schedule::OffSwitch;
///
/// let folder = tempfile::tempdir()?;
/// let off = OffSwitch::in_folder(folder.path());
/// off.set(true)?;
/// assert!(off.is_off());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct OffSwitch {
    file: PathBuf,
}

/// Watches the file of an [`OffSwitch`] until it is dropped.
pub struct OffSwitchWatch {
    _watcher: Option<notify::RecommendedWatcher>,
}

impl fmt::Debug for OffSwitchWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OffSwitchWatch")
    }
}

impl OffSwitch {
    /// Returns the switch in `schedules`, the folder with the jobs of all project folders.
    pub fn in_folder(schedules: &Path) -> Self {
        Self { file: schedules.join("off") }
    }

    /// Returns whether all jobs are stopped.
    pub fn is_off(&self) -> bool {
        fs::symlink_metadata(&self.file).is_ok()
    }

    /// Stops all jobs, or lets them fire again.
    ///
    /// # Errors
    /// If the file cannot be created or removed.
    pub fn set(&self, off: bool) -> io::Result<()> {
        if off { self.make() } else { self.remove() }
    }

    fn make(&self) -> io::Result<()> {
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::OpenOptions::new().append(true).create(true).open(&self.file).map(drop)
    }

    fn remove(&self) -> io::Result<()> {
        match fs::remove_file(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    /// Keeps `switch` in sync with this one, and calls `on_change` after each change. Where the system cannot watch the
    /// folder, `switch` keeps the present state.
    ///
    /// # Errors
    /// If the folder cannot be created.
    pub fn watch(
        &self,
        switch: &FiringSwitch,
        on_change: impl Fn() + Send + 'static,
    ) -> io::Result<OffSwitchWatch> {
        let folder = self.file.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder)?;
        let (this, set) = (self.clone(), switch.clone());
        let look = move |event: notify::Result<notify::Event>| {
            // Checking the file opens it. An error may mean that an event was lost.
            if event.is_ok_and(|event| event.kind.is_access()) {
                return;
            }
            let is_on = !this.is_off();
            if is_on != set.is_on() {
                set.set(is_on);
                on_change();
            }
        };
        let watcher = notify::recommended_watcher(look).and_then(|mut watcher| {
            watcher.watch(folder, RecursiveMode::NonRecursive)?;
            Ok(watcher)
        });
        // Do this after the watch has begun, so that it misses no change in between.
        switch.set(!self.is_off());
        Ok(OffSwitchWatch { _watcher: watcher.ok() })
    }
}
