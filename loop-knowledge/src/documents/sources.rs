//! The files that an ingest reads, and those that it passes over, by reason.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    io::{self, Read as _},
    path::{Component, Path, PathBuf},
};

#[cfg(feature = "folders")]
use ignore::WalkBuilder;
use serde::Serialize;

use super::DocumentError;
use crate::{SecretFilter, regular_file};

/// The most bytes of a file. A larger one is passed over without reading it.
pub const MOST_BYTES: u64 = 1 << 20;

/// How many bytes show whether a file is binary.
const HEAD_BYTES: u64 = 8 << 10;

/// The reason why a file or folder was passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SkipReason {
    /// Its name begins with a dot.
    Hidden,
    /// Git ignores it.
    Ignored,
    /// It is not a text in UTF-8.
    Binary,
    /// Its name or its contents are secret.
    Secret,
    /// It has more than 1 MiB.
    TooLarge,
    /// It is a link, a pipe, a socket or a device.
    NotRegular,
    /// It is a PDF whose text cannot be found.
    Pdf,
    /// It cannot be read, or its name is not UTF-8.
    Unreadable,
}

impl SkipReason {
    /// Returns whether a file that is passed over for this reason was read before with other contents. One that cannot be
    /// read now may be readable again soon.
    pub(super) const fn replaces_contents(self) -> bool {
        matches!(self, Self::Binary | Self::Secret | Self::TooLarge | Self::NotRegular)
    }

    /// Returns the words for a person.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hidden => "hidden",
            Self::Ignored => "ignored by git",
            Self::Binary => "binary",
            Self::Secret => "secret",
            Self::TooLarge => "over 1 MiB",
            Self::NotRegular => "not a regular file",
            Self::Pdf => "a PDF without its text",
            Self::Unreadable => "unreadable",
        }
    }
}

/// The files below some paths.
#[derive(Debug, Default)]
pub(super) struct Sources {
    pub(super) files: BTreeSet<PathBuf>,
    pub(super) skipped: BTreeMap<PathBuf, SkipReason>,
    /// The paths that were named, without links.
    pub(super) roots: Vec<PathBuf>,
    /// Those of them that are gone.
    pub(super) gone: Vec<PathBuf>,
}

impl Sources {
    /// Finds the files. A file that is named itself may be hidden or ignored. With `prune`, a path may be gone.
    /// A link in the workspace `root` must not lead out of it: it may come with the workspace, and a person names what is
    /// elsewhere by its own path.
    pub(super) fn find(root: &Path, paths: &[PathBuf], prune: bool) -> Result<Self, DocumentError> {
        let mut found = Self::default();
        for path in paths {
            let failed = |error: io::Error| DocumentError::Path { path: path.clone(), source: error.into() };
            let real = match path.canonicalize() {
                Err(error) if prune && error.kind() == io::ErrorKind::NotFound => {
                    let gone = place_of_gone(path).ok_or(error).map_err(failed)?;
                    found.roots.push(gone.clone());
                    found.gone.push(gone);
                    continue;
                }
                real => real.map_err(failed)?,
            };
            let named = std::path::absolute(path).map_err(failed)?;
            if named.starts_with(root) && !real.starts_with(root) {
                let why =
                    format!("it is a link that leads out of the workspace: name {} itself", real.display());
                return Err(failed(io::Error::other(why)));
            }
            if real.is_dir() {
                found.walk(&real).map_err(failed)?;
            } else if real.is_file() {
                found.files.insert(real.clone());
            } else {
                found.skipped.insert(real.clone(), SkipReason::NotRegular);
            }
            found.roots.push(real);
        }
        found.skipped.retain(|path, _| !found.files.contains(path));
        Ok(found)
    }

    #[cfg(not(feature = "folders"))]
    #[expect(clippy::unused_self, reason = "the other form of this function fills the value")]
    fn walk(&mut self, _: &Path) -> io::Result<()> {
        let why = "this program was built without the feature `folders`, so name the files";
        Err(io::Error::new(io::ErrorKind::Unsupported, why))
    }

    #[cfg(feature = "folders")]
    fn walk(&mut self, root: &Path) -> io::Result<()> {
        let mut visited = HashSet::new();
        let mut folders = Vec::new();
        // The user's own ignore file is not part of the folder: the result would depend on the user.
        let walk = WalkBuilder::new(root).require_git(false).ignore(false).git_global(false).build();
        for entry in walk {
            // A folder that cannot be listed: its parent lists it below.
            let Ok(entry) = entry else { continue };
            let path = entry.path().to_owned();
            match entry.file_type() {
                Some(kind) if kind.is_dir() => folders.push(path.clone()),
                Some(kind) if kind.is_file() => drop(self.files.insert(path.clone())),
                _ => drop(self.skipped.insert(path.clone(), SkipReason::NotRegular)),
            }
            visited.insert(path);
        }
        for folder in folders {
            // The walk reports no entry that it leaves out, so each folder is listed once more.
            let Ok(entries) = std::fs::read_dir(&folder) else {
                self.skipped.insert(folder, SkipReason::Unreadable);
                continue;
            };
            for entry in entries {
                let entry = entry?;
                if !visited.contains(&entry.path()) {
                    let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
                    let reason = if is_hidden { SkipReason::Hidden } else { SkipReason::Ignored };
                    self.skipped.insert(entry.path(), reason);
                }
            }
        }
        Ok(())
    }
}

/// Returns the path that a file or folder had without links, as far as they are still there.
fn place_of_gone(path: &Path) -> Option<PathBuf> {
    // A link without a target is there, and `..` of a folder that is gone could be anything.
    let is_clear =
        path.symlink_metadata().is_err() && path.components().all(|part| part != Component::ParentDir);
    let parents = path.ancestors().skip(1).filter(|_| is_clear);
    let real = |parent: &Path| Some(parent.canonicalize().ok()?.join(path.strip_prefix(parent).ok()?));
    parents.into_iter().find_map(real)
}

/// Reads a text and removes its secrets.
pub(super) fn read(path: &Path, name: &str, secrets: &dyn SecretFilter) -> Result<String, SkipReason> {
    if secrets.is_secret(path) {
        return Err(SkipReason::Secret);
    }
    expect_no_secret(name, secrets)?;
    secrets.redact(&read_text(path)?).map_err(|_| SkipReason::Secret)
}

/// Removes the secrets of a text from elsewhere.
pub(super) fn accepted(text: &str, name: &str, secrets: &dyn SecretFilter) -> Result<String, SkipReason> {
    expect_no_secret(name, secrets)?;
    if text.len() as u64 > MOST_BYTES {
        return Err(SkipReason::TooLarge);
    }
    secrets.redact(text).map_err(|_| SkipReason::Secret)
}

/// Refuses a name with a secret in it, because the name is stored too.
fn expect_no_secret(name: &str, secrets: &dyn SecretFilter) -> Result<(), SkipReason> {
    let is_clean = secrets.redact(name).is_ok_and(|redacted| redacted == name);
    is_clean.then_some(()).ok_or(SkipReason::Secret)
}

fn read_text(path: &Path) -> Result<String, SkipReason> {
    let unreadable = |_| SkipReason::Unreadable;
    let mut file = regular_file::open(path).map_err(unreadable)?.ok_or(SkipReason::NotRegular)?;
    if file.metadata().map_err(unreadable)?.len() > MOST_BYTES {
        return Err(SkipReason::TooLarge);
    }
    let mut bytes = Vec::new();
    (&mut file).take(HEAD_BYTES).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.contains(&0) {
        return Err(SkipReason::Binary);
    }
    // The file may grow while it is read.
    file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(SkipReason::TooLarge);
    }
    if bytes.contains(&0) {
        return Err(SkipReason::Binary);
    }
    let mut text = String::from_utf8(bytes).map_err(|_| SkipReason::Binary)?;
    if text.starts_with('\u{feff}') {
        text.drain(.."\u{feff}".len());
    }
    Ok(text)
}
