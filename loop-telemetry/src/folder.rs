//! Folders and files of their owner's own, and what is still there of them after a crash.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
};

use crate::cut;

/// The extension of a file that is being written.
pub(crate) const DRAFT: &str = "draft";

/// Makes a folder and those above it, for their owner alone (0700). What is there already keeps its mode.
pub(crate) fn create(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    // The parent of a bare file name is the empty path, which is the current folder.
    if path.as_os_str().is_empty() { Ok(()) } else { builder.create(path) }
}

/// [`create`], and each new folder is written to the one above it: else a power cut could take a folder with
/// files in it that were synced.
pub(crate) fn create_synced(path: &Path) -> io::Result<()> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let missing = path.ancestors().take_while(is_missing).count();
    cut::point();
    create(path)?;
    cut::point();
    path.ancestors().skip(1).take(missing).try_for_each(sync)
}

/// Writes a folder's names to the disk.
pub(crate) fn sync(folder: &Path) -> io::Result<()> {
    // Only on Unix can a folder be opened, and elsewhere its names are safe without.
    if cfg!(not(unix)) {
        return Ok(());
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    File::open(folder)?.sync_all()
}

/// Whether an id can be the name of a folder or file on every system, and is no path.
pub(crate) fn is_id(id: &str) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=64).contains(&id.len()) && id.bytes().all(is_name)
}

/// Flags to open a file with that is no link, and no pipe to wait for.
#[cfg(unix)]
pub(crate) const NO_LINK: i32 =
    rustix::fs::OFlags::NOFOLLOW.union(rustix::fs::OFlags::NONBLOCK).bits().cast_signed();

/// How to open a file that is its owner's alone (0600) if it is made, and no link: an agent can put one in its place.
pub(crate) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600).custom_flags(NO_LINK);
    }
    options
}

/// Opens a file to read it, unless it is a link, or no regular file: a pipe that somebody put in its place looks empty.
pub(crate) fn read(path: &Path) -> io::Result<File> {
    plain(private().read(true).open(path)?)
}

/// The file, if it is a regular one.
pub(crate) fn plain(file: File) -> io::Result<File> {
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
    }
}

/// Whether there is something at this path that is not a regular file, such as a link or a pipe.
pub(crate) fn is_other(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| !found.is_file())
}

/// Writes a small file so that it is there as a whole or not at all, also after a power cut.
pub(crate) fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = path.with_extension(DRAFT);
    cut::point();
    let mut file = private().write(true).create(true).truncate(true).open(&draft)?;
    cut::point();
    file.write_all(bytes)?;
    cut::point();
    file.sync_all()?;
    fs::rename(&draft, path)?;
    cut::point();
    path.parent().map_or(Ok(()), sync)
}

/// Whether the file ends with the end of a line, or is empty.
pub(crate) fn ends_whole(file: &mut File) -> io::Result<bool> {
    // What has no length (a pipe, a device) has no last line either.
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}
