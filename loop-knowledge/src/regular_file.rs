//! Files in a place where somebody else can put something: a link, or a pipe that makes a reader wait for ever.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use rustix::{fs::OFlags, io::Errno};

/// Opens a file for reading, without waiting. Returns `None` for a link, a folder, a pipe, a socket or a device.
pub(crate) fn open(path: &Path) -> io::Result<Option<File>> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    match opened {
        Ok(file) => Ok(file.metadata()?.is_file().then_some(file)),
        // The second one is that of a socket.
        Err(error) if matches!(Errno::from_io_error(&error), Some(Errno::LOOP | Errno::NXIO)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads a file up to one byte more than `most`. Returns `None` for anything but a regular file.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let Some(file) = open(path)? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::{fs::symlink, net::UnixListener},
    };

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn only_regular_files_are_read_and_nothing_waits() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "text").unwrap();
        mknodat(CWD, at("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        symlink(at("file"), at("link")).unwrap();
        symlink(at("pipe"), at("link to a pipe")).unwrap();
        let _listener = UnixListener::bind(at("socket")).unwrap();
        for name in ["pipe", "link", "link to a pipe", "socket", "."] {
            assert!(read(&at(name), 10).unwrap().is_none(), "{name}");
        }
        assert!(read(Path::new("/dev/zero"), 10).unwrap().is_none());
        assert_eq!(read(&at("file"), 2).unwrap().as_deref(), Some(&b"tex"[..]));
        assert!(read(&at("missing"), 2).is_err());
    }
}
