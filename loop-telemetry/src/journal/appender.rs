//! A file of lines, as its one writer has it.

use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    At, JournalError,
    lines::Torn,
    lock::{RunLock, lock},
    untouched::untouched,
};
use crate::{cut, folder};

/// A file that is appended to, and locked for as long as this lives.
pub(crate) struct Appender {
    path: PathBuf,
    file: Arc<File>,
    /// The length that the file has if nobody else writes it.
    length: u64,
    /// What a write left that failed may stand behind that.
    is_torn: bool,
}

impl Appender {
    /// A new file, in a folder that is made if it is not there.
    pub(crate) fn create(path: PathBuf) -> Result<Self, JournalError> {
        let above = path.parent().unwrap_or(Path::new(""));
        folder::create_synced(above).cannot_create(above)?;
        let file = folder::private().read(true).append(true).create_new(true).open(&path);
        let file = file.cannot_create(&path)?;
        cut::point();
        lock(&file, &path)?;
        folder::sync(above).cannot_create(above)?;
        cut::point();
        Ok(Self { path, file: Arc::new(file), length: 0, is_torn: false })
    }

    /// A file that is there.
    pub(crate) fn open(path: PathBuf) -> Result<Self, JournalError> {
        let file = folder::private().read(true).append(true).open(&path);
        let file = file.and_then(folder::plain).cannot_read(&path)?;
        lock(&file, &path)?;
        let length = file.metadata().cannot_read(&path)?.len();
        Ok(Self { path, file: Arc::new(file), length, is_torn: false })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Its lock, to hold it for longer.
    pub(super) fn hold(&self) -> RunLock {
        RunLock::of(&self.file)
    }

    /// Appends lines, in one write, so that a killed process leaves them whole. On a full disk the part that was
    /// written is taken back: what comes after it later would be a damaged line.
    pub(crate) fn append(&mut self, lines: &[u8]) -> Result<(), JournalError> {
        self.mend()?;
        if let Err(error) = (&*self.file).write_all(lines) {
            self.take_back(0);
            return Err(error).cannot_write(&self.path);
        }
        self.length += lines.len() as u64;
        Ok(())
    }

    /// Takes the last lines back, of so many bytes, and what stands behind them.
    pub(crate) fn take_back(&mut self, bytes: u64) {
        self.length -= bytes;
        self.is_torn = true;
        // If this fails, it is done before anything else is written.
        let _ = self.mend();
    }

    fn mend(&mut self) -> Result<(), JournalError> {
        if self.is_torn {
            self.file.set_len(self.length).cannot_write(&self.path)?;
            self.is_torn = false;
        }
        Ok(())
    }

    /// Cuts a torn last line off.
    pub(crate) fn cut(&mut self, torn: &Torn) -> Result<(), JournalError> {
        self.file.set_len(torn.whole).and_then(|()| self.file.sync_all()).cannot_write(&self.path)?;
        self.length = torn.whole;
        Ok(())
    }

    /// What writes it to the disk and looks whether it is what was written, on whatever thread may wait for that.
    pub(crate) fn sync(&self) -> impl FnOnce() -> Result<(), JournalError> + Send + 'static {
        let (file, path, length) = (Arc::clone(&self.file), self.path.clone(), self.length);
        move || {
            file.sync_data().cannot_write(&path)?;
            untouched(&file, &path, length)
        }
    }
}
