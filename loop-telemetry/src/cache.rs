//! Small files that a program can always make again.

use std::{io, path::PathBuf};

use crate::private_folder;

/// The extension of an entry.
const EXTENSION: &str = "json";

/// A private folder of small files, such as the facts that servers report about their models.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// use loop_telemetry::Cache;
/// let cache = Cache::at(folder.path().join("models"));
/// assert_eq!(cache.read("1a2b"), None);
/// cache.write("1a2b", b"{}")?;
/// assert_eq!(cache.read("1a2b").as_deref(), Some(&b"{}"[..]));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Creates a cache in this folder. The folder appears with the first entry.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Returns the entry with this id. An entry that cannot be read counts as missing, because the caller can make it
    /// again.
    pub fn read(&self, id: &str) -> Option<Vec<u8>> {
        private_folder::read_all(&self.path(id)?).ok()
    }

    /// Writes an entry atomically, for the user alone. The id is 1 to 64 letters, digits, `-` and `_`.
    ///
    /// # Errors
    /// The id is invalid, or the file cannot be written.
    pub fn write(&self, id: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.path(id).ok_or(io::ErrorKind::InvalidInput)?;
        private_folder::create_synced(&self.folder)?;
        private_folder::write_synced(&path, bytes)
    }

    fn path(&self, id: &str) -> Option<PathBuf> {
        private_folder::is_id(id).then(|| self.folder.join(id).with_extension(EXTENSION))
    }
}
