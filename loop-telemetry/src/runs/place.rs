//! The folder of a run or a session, as it is stored.
//!
//! Its path may hold a secret: a key in a folder's name, a user's name that nobody else should read. What is stored is
//! the path without it, and four bytes of a hash of the path as it is. Who stands in the folder is recognised by that,
//! and nobody reads the path out of four bytes.

use std::{borrow::Cow, path::Path};

use crate::Redactor;

/// A path as it is recorded: bytes that are no text are replaced.
pub(crate) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A folder as it is stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredFolder<'a> {
    /// Its path, without secrets.
    pub(crate) path: &'a str,
    /// The hash of its path, if that is not all there.
    pub(crate) id: Option<&'a str>,
}

impl StoredFolder<'_> {
    /// Whether both are the same folder.
    pub(crate) fn is(self, other: StoredFolder<'_>) -> bool {
        match (self.id, other.id) {
            (None, None) => self.path == other.path,
            _ => self.hash() == other.hash(),
        }
    }

    /// Whether it is the one at this path.
    pub(crate) fn is_at(self, path: &Path) -> bool {
        self.is(StoredFolder { path: &text(path), id: None })
    }

    fn hash(&self) -> Cow<'_, str> {
        self.id.map_or_else(|| hash(self.path).into(), Cow::Borrowed)
    }
}

fn hash(path: &str) -> String {
    format!("{:08x}", crc32fast::hash(path.as_bytes()))
}

/// Takes secrets out of a folder's path. Gives the hash of it as it was, if something was taken out.
pub(crate) fn redact(path: &mut String, redactor: &Redactor) -> Option<String> {
    let clean = match redactor.redact(path) {
        Cow::Owned(clean) if clean != *path => clean,
        _ => return None,
    };
    let id = hash(path);
    *path = clean;
    Some(id)
}
