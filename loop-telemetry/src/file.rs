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
    sync::{Arc, OnceLock},
};

#[cfg(unix)]
use crate::unlinked;
use crate::{Record, folder};

/// A file of records, one line of JSON each. Any number of threads and processes may append to it.
///
/// It is opened for each record, so it may be moved away while a run goes on: the next record begins a
/// new one. On Unix its folders are made for their owner alone (0700), and so is it (0600); what is there
/// already keeps its mode.
///
/// No link is followed but those that are there when [`named`](Self::named) or [`in_folder`](Self::in_folder) is called:
/// the agent of a run can put one there later, and the record would go into whatever file it chooses.
#[derive(Debug, Clone)]
pub struct TelemetryFile {
    path: PathBuf,
    /// The same file by an absolute path that leads through no links, if that was looked for.
    resolved: Option<PathBuf>,
    /// What is no file and was opened when it was named.
    stream: Option<Arc<File>>,
    /// Whether it had more than one name when it was opened first: that is its owner's affair.
    has_names: Arc<OnceLock<bool>>,
}

impl TelemetryFile {
    /// The file at this path, which must not be a link itself. Nothing is opened yet: see [`probe`](Self::probe).
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), resolved: None, stream: None, has_names: Arc::default() }
    }

    /// The file that a person names. Links are followed now, and never again. It may also be a device, or a pipe that
    /// somebody reads: that is opened now, and kept open.
    ///
    /// # Errors
    /// [`TelemetryError::Folder`] if its folder cannot be made, [`TelemetryError::Open`] if nobody reads the pipe, and
    /// [`TelemetryError::Link`] if it is a link that leads nowhere.
    pub fn named(path: impl Into<PathBuf>) -> Result<Self, TelemetryError> {
        let path = path.into();
        #[cfg(unix)]
        if unlinked::is_stream(&path) {
            let stream = unlinked::stream(&path).map_err(|source| cannot_open(&path, source))?;
            return Ok(Self { stream: Some(Arc::new(stream)), ..Self::at(path) });
        }
        match path.canonicalize() {
            Ok(resolved) => Ok(Self { resolved: Some(resolved), ..Self::at(path) }),
            Err(_) if path.is_symlink() => Err(TelemetryError::Link { path }),
            Err(_) => Self::in_folder(path),
        }
    }

    /// The file at this path, which must not be a link itself. Its folder is made, and the links on the way to that are
    /// followed now, and never again.
    ///
    /// # Errors
    /// [`TelemetryError::Folder`] if its folder cannot be made.
    pub fn in_folder(path: impl Into<PathBuf>) -> Result<Self, TelemetryError> {
        let path = path.into();
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else { return Ok(Self::at(path)) };
        let failed = |source| TelemetryError::Folder { path: above.to_owned(), source };
        folder::create(above).map_err(failed)?;
        let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        let resolved = above.canonicalize().map_err(failed)?.join(name);
        Ok(Self { resolved: Some(resolved), ..Self::at(path) })
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
        if self.stream.is_some() {
            // What went into a pipe or a device is not there to be looked at.
            return self.write(file, record).map(|()| true);
        }
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
        if let Some(stream) = &self.stream {
            return stream.try_clone().map_err(|source| cannot_open(&self.path, source));
        }
        let file = self.open()?;
        file.lock().map_err(|source| TelemetryError::Lock { path: self.path.clone(), source })?;
        Ok(file)
    }

    #[cfg(unix)]
    fn open(&self) -> Result<File, TelemetryError> {
        let path = &self.path;
        let opened = if let Some(resolved) = &self.resolved {
            unlinked::append_behind(resolved)
        } else {
            self.make_folder()?;
            folder::private().read(true).append(true).create(true).open(path)
        };
        let file = opened.map_err(|source| match self.link() {
            Some(path) => TelemetryError::Link { path },
            None => cannot_open(path, source),
        })?;
        let found = file.metadata().map_err(|source| cannot_open(path, source))?;
        let is_stream = self.resolved.is_none() && !found.is_dir();
        if !found.is_file() && !is_stream {
            return Err(TelemetryError::NotPlain { path: path.clone() });
        }
        // A second name of another file is a link as well, if somebody put it there since the first time.
        let has_names = found.is_file() && unlinked::has_names(&found);
        if has_names && !*self.has_names.get_or_init(|| has_names) {
            return Err(TelemetryError::Link { path: path.clone() });
        }
        self.has_names.get_or_init(|| has_names);
        Ok(file)
    }

    #[cfg(not(unix))]
    fn open(&self) -> Result<File, TelemetryError> {
        self.make_folder()?;
        let file = folder::private().read(true).append(true).create(true).open(&self.path);
        file.map_err(|source| cannot_open(&self.path, source))
    }

    fn make_folder(&self) -> Result<(), TelemetryError> {
        let Some(above) = self.path.parent() else { return Ok(()) };
        folder::create(above).map_err(|source| TelemetryError::Folder { path: above.to_owned(), source })
    }

    /// The link on the way to it, if there is one.
    fn link(&self) -> Option<PathBuf> {
        let parts = if self.resolved.is_some() { usize::MAX } else { 1 };
        let path = self.resolved.as_ref().unwrap_or(&self.path);
        path.ancestors().take(parts).find(|part| part.is_symlink()).map(Path::to_owned)
    }
}

fn cannot_open(path: &Path, source: io::Error) -> TelemetryError {
    TelemetryError::Open { path: path.to_owned(), source }
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
    /// A link is in the way, which was not there when the file was named.
    #[error(
        "{} is a link, and records are not written through one: it could lead into any file of yours (find out what made \
         it, the run's own commands perhaps, and remove it)",
        path.display()
    )]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// There is something else than a file, such as a pipe, which was not there when the file was named.
    #[error("{} is not a plain file any more, so that no record is written to it (remove it)", path.display())]
    NotPlain {
        /// What is there.
        path: PathBuf,
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
