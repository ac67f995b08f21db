//! Files and folders that belong to their owner alone, never reached through a link.
//!
//! If an attacker can make the scheduler read another file, they can make it run other prompts.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Read, Write},
    path::Path,
};

use super::StoreError;

/// Creates a folder and those above it, with access for the owner alone (0700). Existing folders keep their mode.
pub(super) fn create_folder(path: &Path) -> Result<(), StoreError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    at(path, builder.create(path))
}

/// Returns whether the folder exists.
///
/// # Errors
/// [`StoreError::NotPlain`] if the path is something else, such as a link.
pub(super) fn is_folder(path: &Path) -> Result<bool, StoreError> {
    is_there(path, fs::Metadata::is_dir)
}

/// Refuses a path that is not a plain file. A missing file is fine.
fn refuse_link(path: &Path) -> Result<(), StoreError> {
    is_there(path, fs::Metadata::is_file).map(drop)
}

fn is_there(path: &Path, is_right: impl Fn(&fs::Metadata) -> bool) -> Result<bool, StoreError> {
    match fs::symlink_metadata(path) {
        Ok(found) if is_right(&found) => Ok(true),
        Ok(_) => Err(StoreError::NotPlain { path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(StoreError::File { path: path.to_owned(), source }),
    }
}

/// Returns the first name in a folder with this suffix; `None` if there is none, or no folder.
pub(super) fn ending_with(folder: &Path, end: &str) -> Result<Option<String>, StoreError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        entries => at(folder, entries)?,
    };
    let mut found: Option<String> = None;
    for entry in entries {
        let Ok(name) = at(folder, entry)?.file_name().into_string() else { continue };
        if name.ends_with(end) && found.as_ref().is_none_or(|found| name < *found) {
            found = Some(name);
        }
    }
    Ok(found)
}

/// Returns when a file was last changed; `None` if there is none.
pub(super) fn modified(path: &Path) -> Result<Option<std::time::SystemTime>, StoreError> {
    if !is_there(path, fs::Metadata::is_file)? {
        return Ok(None);
    }
    at(path, fs::symlink_metadata(path).and_then(|found| found.modified())).map(Some)
}

/// Opens a file, and creates it with access for the owner alone (0600) if it is missing.
pub(super) fn open_lock(path: &Path) -> Result<File, StoreError> {
    refuse_link(path)?;
    at(path, private().read(true).write(true).create(true).truncate(false).open(path))
}

/// The largest file to read: 64 MiB. Jobs take a few kilobytes.
const MAX_BYTES: u64 = 64 << 20;

/// Returns the content of a file; `None` if there is none.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    refuse_link(path)?;
    let mut bytes = Vec::new();
    let file = match private().read(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => at(path, opened)?,
    };
    if !at(path, file.metadata())?.is_file() {
        return Err(StoreError::NotPlain { path: path.to_owned() });
    }
    at(path, file.take(MAX_BYTES + 1).read_to_end(&mut bytes))?;
    if bytes.len() as u64 > MAX_BYTES {
        let why = format!("it is longer than {MAX_BYTES} bytes");
        return at(path, Err(io::Error::new(io::ErrorKind::FileTooLarge, why)));
    }
    Ok(Some(bytes))
}

/// Writes a file atomically, so that even after a power cut it is either complete or absent.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let draft = path.with_extension("draft");
    refuse_link(&draft)?;
    refuse_link(path)?;
    let mut file = at(&draft, private().write(true).create(true).truncate(true).open(&draft))?;
    at(&draft, file.write_all(bytes).and_then(|()| file.sync_all()))?;
    at(path, fs::rename(&draft, path))?;
    sync_folder_of(path)
}

/// Syncs the folder's entries to the disk.
fn sync_folder_of(path: &Path) -> Result<(), StoreError> {
    match path.parent() {
        // Only Unix can open a folder; other systems need no sync for its entries.
        Some(folder) if cfg!(unix) => at(folder, File::open(folder).and_then(|folder| folder.sync_all())),
        _ => Ok(()),
    }
}

/// Returns the options to open a file that belongs to its owner alone and is not a link.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // We checked before, but the file might become a link in between, or a pipe without a writer.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    options
}

pub(super) fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, StoreError> {
    result.map_err(|source| StoreError::File { path: path.to_owned(), source })
}
