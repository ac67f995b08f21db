//! A file of lines, held by its only writer.

use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    IoErrorContext, JournalError, line_reader::TornLine, lock::lock, tamper_check::check_untampered,
};
use crate::{failpoint, private_folder};

/// A file for appending, which stays locked while this lives.
pub(crate) struct Appender {
    path: PathBuf,
    file: Arc<File>,
    /// The expected length of the file.
    length: u64,
    /// Whether a failed write may have left bytes past `length`.
    is_torn: bool,
}

impl Appender {
    /// Creates a new file, and its folder if needed.
    pub(crate) fn create(path: PathBuf) -> Result<Self, JournalError> {
        let above = path.parent().unwrap_or(Path::new(""));
        private_folder::create_synced(above).cannot_create(above)?;
        let file = private_folder::private().read(true).append(true).create_new(true).open(&path);
        let file = file.cannot_create(&path)?;
        failpoint::point();
        lock(&file, &path)?;
        private_folder::sync(above).cannot_create(above)?;
        failpoint::point();
        Ok(Self { path, file: Arc::new(file), length: 0, is_torn: false })
    }

    /// Opens an existing file.
    pub(crate) fn open(path: PathBuf) -> Result<Self, JournalError> {
        let file = private_folder::private().read(true).append(true).open(&path);
        let file = file.and_then(private_folder::plain).cannot_read(&path)?;
        lock(&file, &path)?;
        let length = file.metadata().cannot_read(&path)?.len();
        Ok(Self { path, file: Arc::new(file), length, is_torn: false })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends lines in one write, so that a killed process leaves complete lines. On a full disk we remove the partly
    /// written lines, because lines after them would count as damaged.
    pub(crate) fn append(&mut self, lines: &[u8]) -> Result<(), JournalError> {
        self.mend()?;
        if let Err(error) = (&*self.file).write_all(lines) {
            self.take_back(0);
            return Err(error).cannot_write(&self.path);
        }
        self.length += lines.len() as u64;
        Ok(())
    }

    /// Removes the last `bytes` bytes, and any bytes after them.
    pub(crate) fn take_back(&mut self, bytes: u64) {
        self.length -= bytes;
        self.is_torn = true;
        // If this fails, we retry before the next write.
        let _ = self.mend();
    }

    fn mend(&mut self) -> Result<(), JournalError> {
        if self.is_torn {
            self.file.set_len(self.length).cannot_write(&self.path)?;
            self.is_torn = false;
        }
        Ok(())
    }

    /// Cuts off a torn last line.
    pub(crate) fn cut(&mut self, torn: &TornLine) -> Result<(), JournalError> {
        self.file.set_len(torn.whole).and_then(|()| self.file.sync_all()).cannot_write(&self.path)?;
        self.length = torn.whole;
        Ok(())
    }

    /// Returns a closure that syncs the file. The closure can run on any thread that may block.
    pub(crate) fn sync(&self) -> impl FnOnce() -> Result<(), JournalError> + Send + 'static {
        let (file, path) = (Arc::clone(&self.file), self.path.clone());
        move || file.sync_data().cannot_write(&path)
    }

    /// Checks that nobody else changed the file.
    pub(crate) fn check(&self) -> Result<(), JournalError> {
        check_untampered(&self.file, &self.path, self.length)
    }
}
