//! The file that records are appended to.
//!
//! Loops run side by side, and end when they like. Two programs that append without care lose lines,
//! or write one into the middle of the other, and a program that is killed while it writes leaves half a
//! line for the next one to write behind. Sums over such a file are wrong. So a record goes out
//! whole, in one write, at the end of the file, by one writer at a time.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
};

use crate::{Record, folder};

/// A file of records, one line of JSON each. Any number of threads and processes may append to it.
///
/// It is opened for each record, so it may be moved away while a run goes on: the next record begins a
/// new one. On Unix its folders are made for their owner alone (0700), and so is it (0600); what is there
/// already keeps its mode. A link is followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TelemetryFile {
    path: PathBuf,
}

impl TelemetryFile {
    /// The file at this path. Nothing is opened yet: see [`probe`](Self::probe).
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Tries whether a record could be appended, so that nobody learns after a night's run that it could
    /// not. Makes the folders and the empty file, and writes no record.
    ///
    /// It blocks: for the disk, and for the file's lock while others append. In async code call it from
    /// a thread that may wait.
    ///
    /// # Errors
    /// [`TelemetryError`], as [`append`](Self::append) would.
    pub fn probe(&self) -> Result<(), TelemetryError> {
        self.locked().map(drop)
    }

    /// Appends a record, waiting while others append theirs. If the last line is torn, because its writer
    /// died, it is ended first, so that this record stands on a line of its own.
    ///
    /// The file is not synced to the disk: nothing depends on a record to go on. It blocks, as
    /// [`probe`](Self::probe) does.
    ///
    /// # Errors
    /// [`TelemetryError`] if the folder cannot be made, or the file not be opened, locked or written.
    pub fn append(&self, record: &Record) -> Result<(), TelemetryError> {
        self.write(self.locked()?, record)
    }

    /// [Appends](Self::append) a record unless the file has one of the same ending; gives whether it did. For a
    /// process that finds a run which had ended, and cannot know how far its writer came. An ending is told by
    /// the run's id and its run time, whose microseconds two endings do not share. It reads the whole file.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn append_once(&self, record: &Record) -> Result<bool, TelemetryError> {
        let file = self.locked()?;
        let failed = |source| TelemetryError::Write { path: self.path.clone(), source };
        let id = record.run_id.as_deref().unwrap_or_default();
        for line in BufReader::new(&file).split(b'\n') {
            let line = line.map_err(failed)?;
            let is_same = |other: Record| other.run_id == record.run_id && other.elapsed == record.elapsed;
            // Most lines are of other runs, and need not be understood.
            if line.windows(id.len().max(1)).any(|part| part == id.as_bytes())
                && serde_json::from_slice(&line).is_ok_and(is_same)
            {
                return Ok(false);
            }
        }
        self.write(file, record).map(|()| true)
    }

    fn write(&self, mut file: File, record: &Record) -> Result<(), TelemetryError> {
        let mut line = record.to_line();
        line.push('\n');
        folder::ends_whole(&mut file)
            .and_then(|whole| {
                if !whole {
                    line.insert(0, '\n');
                }
                file.write_all(line.as_bytes())
            })
            .map_err(|source| TelemetryError::Write { path: self.path.clone(), source })
        // Closing the file gives the lock back.
    }

    fn locked(&self) -> Result<File, TelemetryError> {
        if let Some(above) = self.path.parent() {
            folder::create(above)
                .map_err(|source| TelemetryError::Folder { path: above.to_owned(), source })?;
        }
        let file =
            open(&self.path).map_err(|source| TelemetryError::Open { path: self.path.clone(), source })?;
        file.lock().map_err(|source| TelemetryError::Lock { path: self.path.clone(), source })?;
        Ok(file)
    }
}

fn open(path: &Path) -> io::Result<File> {
    // Read as well: the last byte says whether the last line is torn.
    folder::private().read(true).append(true).create(true).open(path)
}

/// Why a record cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TelemetryError {
    /// The folder is not there and cannot be made.
    #[error("the folder {} for telemetry cannot be made (choose another, or make one that you can write to)", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file cannot be opened.
    #[error("the telemetry file {} cannot be opened (choose another, or check that you may read and write it)", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file cannot be locked.
    #[error("the telemetry file {} cannot be locked (choose one on a file system that has locks)", path.display())]
    Lock {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("a record cannot be appended to the telemetry file {} (check that the disk is not full)", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}
