//! Opens files in places where an agent can put something else.

use std::{fs::File, io, os::unix::fs::OpenOptionsExt as _, path::Path};

use rustix::{fs::OFlags, io::Errno};

/// Opens a regular file to read it. The texts of the errors are `if_link` for a link, and `if_other` for anything else
/// that is no regular file.
///
/// A link could lead to a file that only we can read. Opening a named pipe would block us until a writer comes.
pub(crate) fn open(path: &Path, if_link: &str, if_other: &str) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let opened = File::options().read(true).custom_flags(flags).open(path);
    let file = opened.map_err(|error| match Errno::from_io_error(&error) {
        Some(Errno::LOOP) => io::Error::other(if_link.to_owned()),
        _ => error,
    })?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other(if_other.to_owned())) }
}
