//! The switch that stops every job of this machine.
//!
//! Whoever sees agents at work at three in the morning wants one command that stops them, wherever they were
//! scheduled. A variable cannot reach a process that runs; a file can. Nothing reads what is in it: that it is there
//! is what counts.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

use loop_schedule::Switch;
use notify::{RecursiveMode, Watcher};

use crate::command::{Failure, OrFail};

/// The variable that stops everything in the processes that have it.
pub(crate) const DISABLE: &str = "LOOP_DISABLE_SCHEDULE";

/// Whether the variable stops everything here: it is set, and neither empty nor `0`.
pub(crate) fn is_disabled() -> bool {
    env::var_os(DISABLE).is_some_and(|value| !value.is_empty() && value != "0")
}

/// A file that stops everything as long as it is there.
#[derive(Debug, Clone)]
pub(crate) struct OffSwitch {
    file: PathBuf,
}

/// Sees the file come and go, until it is dropped.
pub(crate) struct Watched {
    _watcher: Option<notify::RecommendedWatcher>,
}

impl OffSwitch {
    pub(crate) fn in_folder(schedules: &Path) -> Self {
        Self { file: schedules.join("off") }
    }

    /// Whether all is stopped.
    pub(crate) fn is_off(&self) -> bool {
        fs::symlink_metadata(&self.file).is_ok()
    }

    /// Stops all, or lets it go on.
    ///
    /// # Errors
    /// The file cannot be made or removed.
    pub(crate) fn set(&self, off: bool) -> Result<(), Failure> {
        let done = if off { self.make() } else { self.remove() };
        done.or_setup(|| format!("{} cannot be changed", self.file.display()))
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

    /// Keeps `switch` as this one stands, and tells of it each time that changes.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub(crate) fn watch(&self, switch: &Switch, say: impl Fn() + Send + 'static) -> Result<Watched, Failure> {
        let folder = self.file.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder).or_setup(|| format!("{} cannot be made", folder.display()))?;
        let (this, set) = (self.clone(), switch.clone());
        let look = move |event: notify::Result<notify::Event>| {
            // Whoever looks at the file opens it; an error may mean that something was lost.
            if event.is_ok_and(|event| event.kind.is_access()) {
                return;
            }
            let is_on = !this.is_off();
            if is_on != set.is_on() {
                set.set(is_on);
                say();
            }
        };
        let watcher = notify::recommended_watcher(look).and_then(|mut watcher| {
            watcher.watch(folder, RecursiveMode::NonRecursive)?;
            Ok(watcher)
        });
        // After the watch has begun, so that nothing happens in between unseen.
        switch.set(!self.is_off());
        Ok(Watched { _watcher: watcher.ok() })
    }
}
