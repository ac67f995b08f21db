//! The store's changes on disk, each of which a test can make fail.

use std::{
    fmt,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read as _, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use rustix::fs::OFlags;

use crate::error::{AtPath as _, Error};

/// An agent that is not confined can change the store and the files beside it: a pipe in the place of a file would block
/// its reader for ever, and a link would lead elsewhere.
const PLAIN: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// Opens a file for reading, unless something else is in its place.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    plain(OpenOptions::new().read(true).custom_flags(PLAIN.bits().cast_signed()).open(path)?)
}

/// Reads a file, unless something else is in its place.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a folder. Links may lead to it.
pub(crate) fn open_folder(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(OFlags::DIRECTORY.bits().cast_signed()).open(path)
}

/// Opens or creates a file whose lock keeps other processes out, and waits for that lock.
pub(crate) fn lock(path: &Path) -> io::Result<File> {
    let flags = PLAIN.bits().cast_signed();
    let file =
        plain(OpenOptions::new().create(true).truncate(false).write(true).custom_flags(flags).open(path)?)?;
    let begin = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if begin.elapsed() < PATIENCE => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::other("another process has held its lock for two minutes"));
            }
            Err(TryLockError::Error(error)) => return Err(error),
            Ok(()) => return Ok(file),
        }
    }
}

/// How long to wait for a lock. A capture of another run takes less time; an agent may hold the lock for ever.
const PATIENCE: Duration = Duration::from_secs(120);

/// The time between two attempts to get a lock.
const PAUSE: Duration = Duration::from_millis(5);

fn plain(file: File) -> io::Result<File> {
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a plain file")),
    }
}

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
