//! Files of the user in the state directory. An agent may put a link, or a pipe that nobody writes to, in their place.

use std::{
    fs::OpenOptions,
    io::{self, Read},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use rustix::fs::OFlags;

/// The largest file to read: 64 MiB. Such files are shortened long before that.
const MAX_BYTES: u64 = 64 << 20;

/// Returns options to open a private file (0600 if new), which must not be a link or a blocking pipe.
///
/// ```
/// use std::io::Write as _;
/// use loop_telemetry::own_file;
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("inputs");
/// own_file::options().append(true).create(true).open(&file)?.write_all(b"hello")?;
/// assert_eq!(own_file::read(&file)?, b"hello");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600).custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    options
}

/// Returns the content of a regular file as [`read`] does; `None` if there is no file.
///
/// # Errors
/// Those of [`read`].
pub fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        bytes => bytes.map(Some),
    }
}

/// Returns the content of a regular file.
///
/// ```
/// use loop_telemetry::own_file;
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("history");
/// std::fs::write(&file, "one\n")?;
/// assert_eq!(own_file::read(&file)?, b"one\n");
/// std::os::unix::fs::symlink(&file, folder.path().join("link"))?;
/// assert!(own_file::read(&folder.path().join("link")).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Fails if it cannot be read, is a link or no regular file, or is larger than 64 MiB.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = options().read(true).open(path)?;
    let refused = |why| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    if !file.metadata()?.is_file() {
        return refused("it is not a regular file");
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES { refused("it is larger than 64 MiB") } else { Ok(bytes) }
}
