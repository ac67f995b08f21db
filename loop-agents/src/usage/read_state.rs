//! Reads a usage file piece by piece, whatever commands do to it meanwhile.

use std::{
    fs::{self, File, Metadata},
    io,
    os::unix::fs::{FileExt, MetadataExt},
    path::Path,
};

use loop_core::{Meter, Usage};

use super::{
    at_least_nothing,
    file_reports::FileReports,
    rotation::{Rotation, lost_if},
};
use crate::regular_file;

/// The number of bytes to read after the end of a command. During that time we notice no limit and no signal, and a
/// sparse file can be larger than any disk.
const LAST_BYTES: u64 = 16 * 1024 * 1024;

/// A usage file that is being read.
#[derive(Debug, Default)]
pub(super) struct ReadState {
    /// `None` before the file exists.
    file: Option<File>,
    /// Where to read next.
    position: u64,
    /// The last look at the file.
    metadata: Option<Metadata>,
    pub(super) reports: FileReports,
    /// The end of the bytes read so far, to recognise them later.
    recent: Vec<u8>,
    /// The position where reading began after the last command ended, if anything was read.
    from: Option<u64>,
    /// Whether the last command that wrote anything wrote the whole file.
    is_whole: bool,
    /// The modification time when we last looked at it.
    modified: Option<(i64, i64)>,
    rotation: Rotation,
    pub(super) last_error: Option<io::Error>,
}

/// The number of bytes to recognise.
const RECENT_BYTES: u64 = 256;

impl ReadState {
    /// Reads this file at `path` from its beginning.
    pub(super) fn of(file: File, path: &Path) -> Self {
        let mut state = Self { file: Some(file), ..Self::default() };
        state.watch(path);
        state
    }

    /// Counts the files at `path` from now on. Without a watch, the usage after a replacement is a lower bound.
    fn watch(&mut self, path: &Path) {
        match self.rotation.watch(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => self.last_error = Some(error),
            _ => {}
        }
    }

    /// Goes to the end of the file at `path`, before a command starts. A file that appears only later is read from its
    /// beginning.
    pub(super) fn go_to_end(&mut self, path: &Path) {
        let read = std::mem::take(&mut self.position);
        (self.file, self.metadata, self.from, self.modified) = (None, None, None, None);
        self.recent.clear();
        self.watch(path);
        if let Err(error) = self.open_at_end(path, read) {
            self.last_error = Some(error);
        }
        self.rotation.begin();
    }

    fn open_at_end(&mut self, path: &Path, read: u64) -> io::Result<()> {
        let file = open(path)?;
        let metadata = file.metadata()?;
        self.position = metadata.len();
        // Somebody else may have written to it since.
        self.is_whole &= self.position == read;
        self.modified = Some(modified(&metadata));
        self.file = Some(file);
        self.remember_end()
    }

    /// Reads about `most` bytes of the text that was appended since the last time. Also returns whether there is more.
    pub(super) fn read(&mut self, path: &Path, most: u64) -> (Usage, bool) {
        let mut usage = Usage::unknown();
        let read = self.read_into(&mut usage, path, most);
        // Usage from before an error counts all the same.
        let more = read.unwrap_or_else(|error| {
            self.last_error = Some(error);
            false
        });
        (usage, more)
    }

    /// Reports the rest to `meter` after a command has ended, including a last line without its newline.
    pub(super) fn finish(&mut self, path: &Path, meter: &Meter) {
        let (usage, more) = self.read(path, LAST_BYTES);
        if more {
            self.skip_rest();
            meter.add(at_least_nothing());
        }
        let left = self.leave();
        meter.add(usage + self.reports.finish() + left + self.rotation.finish());
    }

    /// Skips the part that is too long to read.
    fn skip_rest(&mut self) {
        let why = format!("more than {LAST_BYTES} bytes were left in it when a command ended");
        let metadata = self.file.as_ref().map(File::metadata).transpose();
        self.last_error = Some(match metadata {
            Ok(metadata) => {
                self.position = metadata.map_or(self.position, |metadata| metadata.len());
                io::Error::other(why)
            }
            Err(error) => error,
        });
        self.recent.clear();
    }

    fn read_into(&mut self, usage: &mut Usage, path: &Path, most: u64) -> io::Result<bool> {
        // Read the file that we hold first. A process that deletes or replaces it may just have written to it.
        if self.read_held(usage, most)? {
            return Ok(true);
        }
        let id = |metadata: &Metadata| (metadata.dev(), metadata.ino());
        if self.metadata.as_ref().map(id) == Some(id(&fs::symlink_metadata(path)?)) {
            return Ok(false);
        }
        // Another file replaced it. Read that one from its beginning.
        *usage += self.reports.finish();
        let old = self.file.replace(open(path).inspect_err(|_| self.rotation.block())?);
        self.rotation.replace(old.map(|old| (old, self.position)));
        self.position = 0;
        self.recent.clear();
        self.read_held(usage, most)
    }

    // Dropping a run reads its file on the executor, so this makes no system call that it does not need.
    fn read_held(&mut self, usage: &mut Usage, most: u64) -> io::Result<bool> {
        let Some(file) = &self.file else { return Ok(false) };
        let before = self.metadata.replace(file.metadata()?);
        let length = self.metadata.as_ref().map_or(0, Metadata::len);
        let is_touched = before.as_ref().map(modified) != self.metadata.as_ref().map(modified);
        let changes = self.rotation.take();
        if length < self.position || !self.goes_on(self.position) {
            // The file was overwritten, not appended to: several times, if it changed several times.
            *usage += self.reports.finish() + lost_if(changes > 1);
            self.position = 0;
            self.recent.clear();
        } else if length == self.position && length > 0 && is_touched {
            // A command that only sets the time of the file is no change.
            self.rotation.repeated = self.rotation.repeated.saturating_add(changes);
        }
        let before = self.position;
        let end = length.min(before.saturating_add(most));
        let mut buffer = [0; 8192];
        while self.position < end {
            let size = buffer.len().min((end - self.position) as usize);
            let Some(file) = &self.file else { return Ok(false) };
            match file.read_at(&mut buffer[..size], self.position) {
                Ok(0) => break,
                Ok(count) => {
                    *usage += self.reports.feed(&buffer[..count]);
                    self.position += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.remember(before)?;
        Ok(length > end)
    }

    /// Returns true if the bytes that we read before this position are still there.
    fn goes_on(&self, position: u64) -> bool {
        let mut there = vec![0; self.recent.len()];
        let start = position.saturating_sub(self.recent.len() as u64);
        let file = self.file.as_ref();
        file.is_some_and(|file| file.read_exact_at(&mut there, start).is_ok()) && there == self.recent
    }

    /// Remembers the last bytes since this position.
    fn remember(&mut self, before: u64) -> io::Result<()> {
        if self.position > before {
            self.from.get_or_insert(before);
            self.remember_end()?;
        }
        Ok(())
    }

    /// Remembers the last bytes before this position.
    fn remember_end(&mut self) -> io::Result<()> {
        let start = self.position.saturating_sub(RECENT_BYTES);
        self.recent.resize((self.position - start) as usize, 0);
        self.file.as_ref().map_or(Ok(()), |file| file.read_exact_at(&mut self.recent, start))
    }

    /// Handles the end of a command whose usage has been read completely. If the command overwrote the file with
    /// exactly the same text as the last one, it has reported that text again. Only the modification time shows this.
    /// For commands that append, as they should, it is not needed.
    fn leave(&mut self) -> Usage {
        let Some(metadata) = &self.metadata else { return Usage::unknown() };
        let length = metadata.len();
        let modified = modified(metadata);
        let is_written = self.modified.replace(modified).is_some_and(|before| before != modified);
        let repeated = self.rotation.repeated;
        if let Some(from) = self.from.take() {
            self.is_whole = from == 0;
            return lost_if(repeated > 0);
        }
        if !is_written || !self.is_whole || !self.goes_on(length) {
            return lost_if(repeated > 0);
        }
        self.recent.clear();
        self.position = 0;
        let mut usage = lost_if(repeated > 1);
        let read = self.read_held(&mut usage, LAST_BYTES);
        self.from = None;
        if let Err(error) = read {
            self.last_error = Some(error);
        }
        usage + self.reports.finish()
    }
}

fn modified(metadata: &Metadata) -> (i64, i64) {
    (metadata.mtime(), metadata.mtime_nsec())
}

/// Opens the file, if it is a regular one. Warnings show lines of it.
pub(super) fn open(path: &Path) -> io::Result<File> {
    regular_file::open(path, "it is a link", "it is no regular file")
}
