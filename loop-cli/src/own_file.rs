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
pub(crate) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600).custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    options
}

/// Returns the content of a regular file.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = options().read(true).open(path)?;
    let refused = |why| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    if !file.metadata()?.is_file() {
        return refused("it is not a regular file");
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES { refused("it is larger than 64 MiB") } else { Ok(bytes) }
}
