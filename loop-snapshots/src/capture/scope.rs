//! The part of a folder that a capture reads.

use std::{
    os::unix::ffi::OsStrExt as _,
    path::{Component, Path, PathBuf},
};

use crate::error::Error;

/// Paths relative to a folder, with everything below them. Without paths, the whole folder.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope {
    paths: Vec<PathBuf>,
}

impl Scope {
    /// Reads paths relative to the folder. `.` is all of it.
    pub(crate) fn new(paths: &[PathBuf]) -> Result<Self, Error> {
        // `./a//b/` and `a/b` are the same path.
        let plain = |path: &PathBuf| path.components().filter(|step| *step != Component::CurDir).collect();
        let is_all = |path: &PathBuf| !path.as_os_str().is_empty() && plain(path) == PathBuf::new();
        if paths.iter().any(is_all) {
            return Ok(Self::default());
        }
        // An empty path is more often a variable that is not set than a wish for all files.
        let paths: Vec<PathBuf> = paths.iter().map(plain).collect();
        for path in &paths {
            let is_plain = |component| matches!(component, Component::Normal(_));
            let why = match path.components().all(is_plain) && !path.as_os_str().is_empty() {
                false => "it does not name a file below the folder",
                true if path.components().any(|step| step.as_os_str() == ".git") => {
                    "snapshots do not touch `.git`"
                }
                true => continue,
            };
            return Err(Error::Path { path: path.clone(), why });
        }
        Ok(Self { paths })
    }

    pub(crate) fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.paths.is_empty()
    }

    /// Returns whether the path is within the scope.
    pub(crate) fn contains(&self, path: &Path) -> bool {
        self.is_whole() || self.paths.iter().any(|part| path.starts_with(part))
    }

    /// Returns whether something below the path, or the path itself, is within the scope.
    pub(crate) fn touches(&self, path: &Path) -> bool {
        self.contains(path) || self.paths.iter().any(|part| part.starts_with(path))
    }

    /// Returns the names in this folder that the scope touches, sorted, or `None` if it contains all of the folder.
    pub(crate) fn names_in(&self, folder: &Path) -> Option<Vec<Box<[u8]>>> {
        if self.contains(folder) {
            return None;
        }
        let below = self.paths.iter().filter_map(|path| path.strip_prefix(folder).ok()?.components().next());
        let mut names: Vec<Box<[u8]>> = below.map(|name| name.as_os_str().as_bytes().into()).collect();
        names.sort();
        names.dedup();
        Some(names)
    }
}
