//! The folder of a run or a session in its stored form.
//!
//! Its path may contain a secret: a key in a folder's name, or a user name that others should not read. So we store the
//! path without it, and four bytes of a hash of the original path. They are enough to recognise the folder, but not to
//! recover its path.

use std::{borrow::Cow, path::Path};

use crate::Redactor;

/// Returns a path as text. Bytes that are not UTF-8 are replaced.
pub(crate) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A folder in its stored form.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredFolder<'a> {
    /// Its path, without secrets.
    pub(crate) path: &'a str,
    /// The hash of its original path, if `path` lacks secrets.
    pub(crate) id: Option<&'a str>,
}

impl StoredFolder<'_> {
    /// Returns whether both are the same folder.
    pub(crate) fn is(self, other: StoredFolder<'_>) -> bool {
        match (self.id, other.id) {
            (None, None) => self.path == other.path,
            _ => self.hash() == other.hash(),
        }
    }

    /// Returns whether it is the folder at this path.
    pub(crate) fn is_at(self, path: &Path) -> bool {
        self.is(StoredFolder { path: &text(path), id: None })
    }

    /// Returns whether a command in `here` concerns a run of this folder: it is `here` or a folder above, or nothing is
    /// at its path any more, because somebody has renamed it.
    pub(crate) fn concerns(self, here: &Path) -> bool {
        here.ancestors().any(|folder| self.is_at(folder))
            || (self.id.is_none() && !Path::new(self.path).exists())
    }

    fn hash(&self) -> Cow<'_, str> {
        self.id.map_or_else(|| hash(self.path).into(), Cow::Borrowed)
    }
}

fn hash(path: &str) -> String {
    format!("{:08x}", crc32fast::hash(path.as_bytes()))
}

/// Removes secrets from a folder's path. Returns the hash of the original path if it changed.
pub(crate) fn redact(path: &mut String, redactor: &Redactor) -> Option<String> {
    let clean = match redactor.redact(path) {
        Cow::Owned(clean) if clean != *path => clean,
        _ => return None,
    };
    let id = hash(path);
    *path = clean;
    Some(id)
}
