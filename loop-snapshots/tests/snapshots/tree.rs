//! Folders to capture, and what is in them.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use loop_snapshots::{Capture, CaptureOptions, Restored, SnapshotId, Store};
use tempfile::TempDir;

/// A folder with its store beside it.
pub(crate) struct Sandbox {
    pub(crate) dir: TempDir,
    pub(crate) store: Store,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("work")).unwrap();
        let store = Store::open(&dir.path().join("state"), &dir.path().join("work")).unwrap();
        Self { dir, store }
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.folder().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder().join(path)).unwrap()
    }

    pub(crate) fn capture(&mut self, number: u64) -> Capture {
        self.store.capture(&id(number), &CaptureOptions::default()).unwrap()
    }

    pub(crate) fn restore(&mut self, number: u64, paths: &[&str]) -> Restored {
        let paths: Vec<_> = paths.iter().map(PathBuf::from).collect();
        let plan = self.store.plan_restore(&id(number), &paths, &CaptureOptions::default()).unwrap();
        self.store.restore(&plan).unwrap()
    }

    pub(crate) fn undo(&mut self) -> Restored {
        let plan = self.store.plan_undo(&CaptureOptions::default()).unwrap();
        self.store.restore(&plan).unwrap()
    }
}

pub(crate) fn id(number: u64) -> SnapshotId {
    SnapshotId::new("run", number).unwrap()
}

/// Options for a capture at a time when no file was changed a moment ago.
pub(crate) fn later() -> CaptureOptions {
    CaptureOptions::default().now(SystemTime::now() + Duration::from_secs(60))
}

/// An entry as a comparison sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    File(Vec<u8>, u32),
    Link(PathBuf),
    Folder(u32),
    Special(u32),
}

/// Everything below a folder, by its relative path.
pub(crate) fn listing(root: &Path) -> BTreeMap<PathBuf, Seen> {
    let mut seen = BTreeMap::new();
    list(root, root, &mut seen);
    seen
}

fn list(root: &Path, folder: &Path, seen: &mut BTreeMap<PathBuf, Seen>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let metadata = path.symlink_metadata().unwrap();
        let mode = metadata.mode() & 0o7777;
        let kind = if metadata.is_symlink() {
            Seen::Link(fs::read_link(&path).unwrap())
        } else if metadata.is_dir() {
            list(root, &path, seen);
            Seen::Folder(mode)
        } else if metadata.is_file() {
            Seen::File(fs::read(&path).unwrap(), mode)
        } else {
            Seen::Special(mode)
        };
        seen.insert(path.strip_prefix(root).unwrap().to_owned(), kind);
    }
}

/// Removes everything below a folder, whatever its modes.
pub(crate) fn clear(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.symlink_metadata().unwrap().is_dir() {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
            clear(&path);
            fs::remove_dir(&path).unwrap();
        } else {
            fs::remove_file(&path).unwrap();
        }
    }
}
