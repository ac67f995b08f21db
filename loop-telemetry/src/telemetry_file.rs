//! The file to which records are appended.
//!
//! Loops run side by side and can end at the same time. If two programs append carelessly, lines get lost or mixed. If
//! a program is killed while it writes, the next one continues on its half line. Sums over such a file are wrong. So we
//! write each record in a single write at the end of the file, with one writer at a time.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

#[cfg(unix)]
use crate::open_without_links;
use crate::{Record, private_folder};

/// A file of records, one line of JSON each. Any number of threads and processes may append to it.
///
/// We open the file for each record. So you can move it away during a run: the next record starts a new file. On Unix,
/// new folders (0700) and files (0600) belong to their owner only; existing ones keep their mode.
///
/// We follow only links that exist when you call [`named`](Self::named) or [`in_folder`](Self::in_folder). The agent of
/// a run could create a link later, and our record would go into a file of its choice.
#[derive(Debug, Clone)]
pub struct TelemetryFile {
    path: PathBuf,
    /// The same file by an absolute path without links, if we resolved it.
    resolved: Option<PathBuf>,
    /// The open device or pipe, if the path named one.
    stream: Option<Arc<File>>,
    /// Whether the file had more than one name when we first opened it. That is the owner's choice.
    has_names: Arc<OnceLock<bool>>,
}

impl TelemetryFile {
    /// Returns the file at this path, which must not be a link. Opens nothing yet: see [`probe`](Self::probe).
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), resolved: None, stream: None, has_names: Arc::default() }
    }

    /// Returns the file that a person names. Follows links now, and never again. It may also be a device, or a pipe
    /// with a reader: we open it now and keep it open.
    ///
    /// # Errors
    /// [`TelemetryError::Folder`] if the folder cannot be created, [`TelemetryError::Open`] if the pipe has no reader,
    /// and [`TelemetryError::Link`] if it is a dangling link.
    pub fn named(path: impl Into<PathBuf>) -> Result<Self, TelemetryError> {
        let path = path.into();
        #[cfg(unix)]
        if open_without_links::is_stream(&path) {
            let stream = open_without_links::stream(&path).map_err(|source| cannot_open(&path, source))?;
            return Ok(Self { stream: Some(Arc::new(stream)), ..Self::at(path) });
        }
        match path.canonicalize() {
            Ok(resolved) => Ok(Self { resolved: Some(resolved), ..Self::at(path) }),
            Err(_) if path.is_symlink() => Err(TelemetryError::Link { path }),
            Err(_) => Self::in_folder(path),
        }
    }

    /// Returns the file at this path, which must not be a link. Creates its folder, and follows links on the way to it
    /// now, and never again.
    ///
    /// # Errors
    /// [`TelemetryError::Folder`] if the folder cannot be created.
    pub fn in_folder(path: impl Into<PathBuf>) -> Result<Self, TelemetryError> {
        let path = path.into();
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else { return Ok(Self::at(path)) };
        let failed = |source| TelemetryError::Folder { path: above.to_owned(), source };
        private_folder::create(above).map_err(failed)?;
        let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        let resolved = above.canonicalize().map_err(failed)?.join(name);
        Ok(Self { resolved: Some(resolved), ..Self::at(path) })
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that a record can be appended, so that you do not learn after a night's run that it cannot. Creates the
    /// folders and an empty file, and writes no record.
    ///
    /// Blocks on disk I/O, and on the file's lock while other processes append. In async code, call it from a blocking
    /// thread.
    ///
    /// # Errors
    /// [`TelemetryError`], as [`append`](Self::append) would.
    pub fn probe(&self) -> Result<(), TelemetryError> {
        self.locked().map(drop)
    }

    /// Appends a record. Waits while other processes append. If the last line is torn because its writer died, this
    /// first ends that line, so that the record gets its own line.
    ///
    /// It does not sync the file, because no run needs a record to continue. It blocks, like [`probe`](Self::probe).
    ///
    /// # Errors
    /// [`TelemetryError`] if the folder cannot be created, or the file cannot be opened, locked or written.
    pub fn append(&self, record: &Record) -> Result<(), TelemetryError> {
        self.write(self.locked()?, record)
    }

    /// [Appends](Self::append) a record unless the file already has a record of the same ending. Returns whether it
    /// did. Use it if a process finds an ended run and cannot know whether its writer stored the record. The run's id
    /// and its run time in microseconds identify an ending. Reads the whole file.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn append_once(&self, record: &Record) -> Result<bool, TelemetryError> {
        let file = self.locked()?;
        if self.stream.is_some() {
            // A pipe or a device cannot be read back.
            return self.write(file, record).map(|()| true);
        }
        let failed = |source| TelemetryError::Write { path: self.path.clone(), source };
        let id = record.run_id.as_deref().unwrap_or_default();
        for line in BufReader::new(&file).split(b'\n') {
            let line = line.map_err(failed)?;
            let is_same = |other: Record| other.run_id == record.run_id && other.elapsed == record.elapsed;
            // Most lines belong to other runs, so we do not parse them.
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
        private_folder::ends_whole(&mut file)
            .and_then(|whole| {
                if !whole {
                    line.insert(0, '\n');
                }
                file.write_all(line.as_bytes())
            })
            .map_err(|source| TelemetryError::Write { path: self.path.clone(), source })
        // Closing the file releases the lock.
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
            open_without_links::append_behind(resolved)
        } else {
            self.make_folder()?;
            private_folder::private().read(true).append(true).create(true).open(path)
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
        // A second name of another file is a link too, if it was added after we first opened the file.
        let has_names = found.is_file() && open_without_links::has_names(&found);
        if has_names && !*self.has_names.get_or_init(|| has_names) {
            return Err(TelemetryError::Link { path: path.clone() });
        }
        self.has_names.get_or_init(|| has_names);
        Ok(file)
    }

    #[cfg(not(unix))]
    fn open(&self) -> Result<File, TelemetryError> {
        self.make_folder()?;
        let file = private_folder::private().read(true).append(true).create(true).open(&self.path);
        file.map_err(|source| cannot_open(&self.path, source))
    }

    fn make_folder(&self) -> Result<(), TelemetryError> {
        let Some(above) = self.path.parent() else { return Ok(()) };
        private_folder::create(above)
            .map_err(|source| TelemetryError::Folder { path: above.to_owned(), source })
    }

    /// Returns the first link on the way to the file.
    fn link(&self) -> Option<PathBuf> {
        let parts = if self.resolved.is_some() { usize::MAX } else { 1 };
        let path = self.resolved.as_ref().unwrap_or(&self.path);
        path.ancestors().take(parts).find(|part| part.is_symlink()).map(Path::to_owned)
    }
}

fn cannot_open(path: &Path, source: io::Error) -> TelemetryError {
    TelemetryError::Open { path: path.to_owned(), source }
}

/// The reason why a record cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TelemetryError {
    /// The folder is missing and cannot be created.
    #[error("the folder {} for telemetry cannot be created (choose another, or create one that you can write \
             to)", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file cannot be opened.
    #[error("the telemetry file {} cannot be opened (choose another, or check that you may read and write it)", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A link appeared in the path after the file was named.
    #[error(
        "{} is a link, and records are not written through one: it could lead to any file of yours (find out \
         what created it, perhaps the run's own commands, and remove it)",
        path.display()
    )]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// Another kind of file, such as a pipe, appeared after the file was named.
    #[error("{} is not a regular file any more, so no record is written to it (remove it)", path.display())]
    NotPlain {
        /// The path.
        path: PathBuf,
    },
    /// The file cannot be locked.
    #[error("the telemetry file {} cannot be locked (choose one on a file system that has locks)", path.display())]
    Lock {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("a record cannot be appended to the telemetry file {} (check that the disk is not full)", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}
