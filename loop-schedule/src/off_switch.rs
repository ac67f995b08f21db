//! The switch that stops every job of this machine.
//!
//! A person who sees agents at work at three in the morning wants one command that stops them, wherever they were
//! scheduled. A variable cannot reach a process that runs; a file can. Its content is not read: it counts that the file
//! is there.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use notify::{RecursiveMode, Watcher};

use crate::Switch;

/// A file that stops all jobs as long as it is there.
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
    /// Names the switch of the folder in which all schedules are kept.
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
    /// The file cannot be made or removed.
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

    /// Keeps `switch` as this one stands, and calls `on_change` each time that changes. Where the system cannot watch the
    /// folder, `switch` stays as this one stands now.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn watch(
        &self,
        switch: &Switch,
        on_change: impl Fn() + Send + 'static,
    ) -> io::Result<OffSwitchWatch> {
        let folder = self.file.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder)?;
        let (this, set) = (self.clone(), switch.clone());
        let look = move |event: notify::Result<notify::Event>| {
            // A look at the file opens it. An error may mean that an event was lost.
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
        // After the watch has begun, so that no change in between is missed.
        switch.set(!self.is_off());
        Ok(OffSwitchWatch { _watcher: watcher.ok() })
    }
}
