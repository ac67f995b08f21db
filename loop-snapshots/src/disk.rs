//! The store's changes on disk, each of which a test can make fail.

use std::{
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::Path,
    sync::Arc,
};

use crate::error::{AtPath as _, Error};

type Hook = dyn Fn(&Path) -> io::Result<()> + Send + Sync;

/// Writes files of the store. Other users cannot read them, since they contain the files of a folder.
#[derive(Clone, Default)]
pub(crate) struct Disk {
    pub(crate) before: Option<Arc<Hook>>,
}

impl fmt::Debug for Disk {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Disk").finish_non_exhaustive()
    }
}

impl Disk {
    pub(crate) fn check(&self, path: &Path) -> Result<(), Error> {
        self.before.as_ref().map_or(Ok(()), |before| before(path)).at(path)
    }

    pub(crate) fn create_folder(&self, path: &Path) -> Result<(), Error> {
        self.check(path)?;
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path).at(path)
    }

    /// Creates a file, replacing what a killed process left under its name.
    pub(crate) fn create(&self, path: &Path) -> Result<File, Error> {
        self.check(path)?;
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error).at(path),
            _ => {}
        }
        OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path).at(path)
    }

    pub(crate) fn write(&self, mut file: &File, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        self.check(path)?;
        file.write_all(bytes).at(path)
    }

    pub(crate) fn rename(&self, from: &Path, to: &Path) -> Result<(), Error> {
        self.check(to)?;
        fs::rename(from, to).at(to)
    }

    pub(crate) fn remove(&self, path: &Path) -> Result<(), Error> {
        self.check(path)?;
        fs::remove_file(path).at(path)
    }

    /// Replaces a file by one with this content, or leaves it as it was.
    pub(crate) fn replace(&self, path: &Path, content: &[u8], durable: bool) -> Result<(), Error> {
        let draft = path.with_extension("draft");
        let file = self.create(&draft)?;
        let (first, second) = content.split_at(content.len() / 2);
        self.write(&file, &draft, first)?;
        self.write(&file, &draft, second)?;
        if durable {
            file.sync_data().at(&draft)?;
        }
        self.rename(&draft, path)
    }
}
