//! Walks through a folder, file by file.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// A file's identity and state: its change time in seconds and nanoseconds, its size and its inode.
pub(super) type Stamp = (i64, i64, u64, u64);

/// This program's own folder.
const OURS: &str = ".loop";
const GIT: &str = ".git";
/// The parts of `.git` to watch all the same, because they make git run programs or ignore files.
const TOLD_OF_GIT: [&str; 3] = ["config", "hooks", "info"];

/// Walks through a folder in the order of its paths, so that two walks that hit the limit see the same part. It does
/// not follow links.
pub(super) struct Walk<'a> {
    root: &'a Path,
    /// The paths to skip.
    pruned: BTreeSet<PathBuf>,
    /// The number of paths to look at.
    most: usize,
    pub(super) files: BTreeMap<PathBuf, Stamp>,
    /// The folders that could not be read.
    pub(super) closed: BTreeSet<PathBuf>,
    /// The last path, if there are more.
    pub(super) end: Option<PathBuf>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(root: &'a Path, pruned: BTreeSet<PathBuf>, most: usize) -> Self {
        let (files, closed) = (BTreeMap::new(), BTreeSet::new());
        Self { root, pruned, most, files, closed, end: None }
    }

    pub(super) fn go(&mut self) {
        let mut ahead = vec![(PathBuf::new(), true)];
        let mut last = PathBuf::new();
        // The root does not count, so there is one more round.
        for _ in 0..=self.most {
            let Some((path, is_folder)) = ahead.pop() else { return };
            if is_folder {
                let from = ahead.len();
                ahead.extend(self.entries(&path));
                // Sort in descending order, because `pop` takes the last entry.
                ahead[from..].sort_unstable_by(|one, other| other.cmp(one));
            } else if let Some(stamp) = stamp(self.root, &path) {
                self.files.insert(path.clone(), stamp);
            }
            last = path;
        }
        self.end = (!ahead.is_empty()).then_some(last);
    }

    /// Returns the entries of a folder to look at, and whether each is a folder.
    fn entries(&mut self, folder: &Path) -> Vec<(PathBuf, bool)> {
        let entries = match fs::read_dir(self.root.join(folder)) {
            Ok(entries) => entries,
            Err(error) => {
                // The folder may be gone by now.
                if error.kind() != io::ErrorKind::NotFound {
                    self.closed.insert(folder.to_owned());
                }
                return Vec::new();
            }
        };
        let entries = entries.filter_map(io::Result::ok);
        let entries = entries
            .map(|entry| (folder.join(entry.file_name()), entry.file_type().is_ok_and(|kind| kind.is_dir())));
        entries
            .filter(|(path, is_folder)| !is_passed_over(path, *is_folder) && !self.pruned.contains(path))
            .collect()
    }
}

/// Returns true if a path never belongs to the work.
fn is_passed_over(path: &Path, is_folder: bool) -> bool {
    let mut names = path.iter();
    match (names.next(), names.next()) {
        (Some(first), None) => first == OURS,
        (Some(first), Some(second)) if first == GIT => {
            let is_sample = path.extension().is_some_and(|ending| ending == "sample");
            is_sample || !TOLD_OF_GIT.iter().any(|told| second == *told)
        }
        // The repository of a nested project.
        _ => is_folder && path.file_name().is_some_and(|name| name == GIT),
    }
}

/// Returns the current stamp of a file, if it exists.
pub(super) fn stamp(root: &Path, path: &Path) -> Option<Stamp> {
    let about = fs::symlink_metadata(root.join(path)).ok()?;
    (!about.is_dir()).then(|| (about.ctime(), about.ctime_nsec(), about.size(), about.ino()))
}
