//! Creates private folders and files that survive a crash.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, BufRead, ErrorKind, Read, Seek, SeekFrom, Write},
    path::Path,
};

use crate::failpoint;

/// The extension of a file that is being written.
pub(crate) const DRAFT: &str = "draft";

/// The longest line, and the largest file that is read as a whole: 256 MiB. Our own are far smaller.
const MAX_BYTES: usize = 256 << 20;

/// Creates a folder and its parents for their owner only (0700). Existing folders keep their mode.
pub(crate) fn create(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    // The parent of a bare file name is the empty path, which is the current folder.
    if path.as_os_str().is_empty() { Ok(()) } else { builder.create(path) }
}

/// Like [`create`], but also syncs the parent of each new folder. Without this, a power cut could remove a folder whose
/// files were synced.
///
/// # Errors
/// Also if the folder is a link, which somebody may have put there since it was first used.
pub(crate) fn create_synced(path: &Path) -> io::Result<()> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let missing = path.ancestors().take_while(is_missing).count();
    failpoint::point();
    create(path)?;
    if path.is_symlink() {
        let why =
            "it is a link, and nothing is written behind one (find out what put it there, and remove it)";
        return Err(io::Error::new(ErrorKind::InvalidInput, why));
    }
    failpoint::point();
    path.ancestors().skip(1).take(missing).try_for_each(sync)
}

/// Syncs a folder's entries to disk.
pub(crate) fn sync(folder: &Path) -> io::Result<()> {
    // Only Unix can open a folder; other systems do not need this sync.
    if cfg!(not(unix)) {
        return Ok(());
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    File::open(folder)?.sync_all()
}

/// Returns whether an id can be a file name on every system, and is not a path.
pub(crate) fn is_id(id: &str) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=64).contains(&id.len()) && id.bytes().all(is_name)
}

/// Flags for opening a file without following a link or waiting for a pipe.
#[cfg(unix)]
pub(crate) const NO_LINK: i32 =
    rustix::fs::OFlags::NOFOLLOW.union(rustix::fs::OFlags::NONBLOCK).bits().cast_signed();

/// Returns the options for opening a private file (0600 if new). Does not follow links, because an agent can put one in
/// the file's place.
pub(crate) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600).custom_flags(NO_LINK);
    }
    options
}

/// Opens a file for reading if it is a regular file. A pipe in its place would look empty, and a link could lead
/// anywhere.
pub(crate) fn read(path: &Path) -> io::Result<File> {
    plain(private().read(true).open(path)?)
}

/// Reads a file as a whole, as [`read`] opens it.
pub(crate) fn read_all(path: &Path) -> io::Result<Vec<u8>> {
    all_of(&read(path)?)
}

/// Reads an open file as a whole.
pub(crate) fn all_of(file: &File) -> io::Result<Vec<u8>> {
    bounded(file, MAX_BYTES)
}

fn bounded(file: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most { Err(too_large("it is", most)) } else { Ok(bytes) }
}

/// Reads up to a line end, or to the end of the file. A damaged file can have a line that does not fit into memory.
///
/// # Errors
/// [`ErrorKind::FileTooLarge`] if `line` becomes longer than any of our lines.
pub(crate) fn read_line(file: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    read_line_of(file, line, MAX_BYTES)
}

fn read_line_of(file: &mut impl BufRead, line: &mut Vec<u8>, most: usize) -> io::Result<usize> {
    let room = most.saturating_sub(line.len());
    let read = file.take(room as u64 + 1).read_until(b'\n', line)?;
    if line.len() > most { Err(too_large("a line of it is", most)) } else { Ok(read) }
}

fn too_large(what: &str, most: usize) -> io::Error {
    io::Error::new(ErrorKind::FileTooLarge, format!("{what} longer than {most} bytes"))
}

/// Returns the file if it is a regular one.
pub(crate) fn plain(file: File) -> io::Result<File> {
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file")),
    }
}

/// Returns whether the path exists but is not a regular file, for example a link or a pipe.
pub(crate) fn is_other(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| !found.is_file())
}

/// Writes a small file atomically: it exists completely or not at all, also after a power cut.
pub(crate) fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = path.with_extension(DRAFT);
    failpoint::point();
    let mut file = private().write(true).create(true).truncate(true).open(&draft)?;
    failpoint::point();
    file.write_all(bytes)?;
    failpoint::point();
    file.sync_all()?;
    fs::rename(&draft, path)?;
    failpoint::point();
    path.parent().map_or(Ok(()), sync)
}

/// Returns whether the file is empty or ends with a line end.
pub(crate) fn ends_whole(file: &mut File) -> io::Result<bool> {
    // Pipes and devices have no length, and no last line.
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oversized_files_and_lines_are_not_read_into_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("it");
        fs::write(&path, "one\ntwo").unwrap();
        assert_eq!(read_all(&path).unwrap(), b"one\ntwo");
        assert_eq!(bounded(&b"one"[..], 2).unwrap_err().kind(), ErrorKind::FileTooLarge);
        let (mut file, mut line) = (&b"one\ntwo\nthree"[..], Vec::new());
        for end in ["one\n", "two\n"] {
            line.clear();
            assert_eq!((read_line_of(&mut file, &mut line, 4).unwrap(), &*line), (4, end.as_bytes()));
        }
        line.clear();
        assert_eq!(read_line_of(&mut file, &mut line, 4).unwrap_err().kind(), ErrorKind::FileTooLarge);
        // A line that was begun before counts as a whole.
        let mut line = b"1234".to_vec();
        assert_eq!(read_line_of(&mut &b""[..], &mut line, 4).unwrap(), 0);
        assert!(read_line_of(&mut &b"5"[..], &mut line, 4).is_err());
    }
}
