//! Files and folders of their owner's own, never through a link.
//!
//! Whoever can make the scheduler read another file can make it run other prompts.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    path::Path,
};

use super::StoreError;

/// Makes a folder and those above it, for their owner alone (0700). What is there already keeps its mode.
pub(super) fn create_folder(path: &Path) -> Result<(), StoreError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    at(path, builder.create(path))
}

/// Whether a folder is there.
///
/// # Errors
/// [`StoreError::NotPlain`] if something else is there, such as a link.
pub(super) fn is_folder(path: &Path) -> Result<bool, StoreError> {
    is_there(path, fs::Metadata::is_dir)
}

/// Refuses what is not a plain file. What is not there is fine.
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

/// The first name in a folder that ends so; `None` if there is none, or no folder.
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

/// When a file was changed last; `None` if there is none.
pub(super) fn modified(path: &Path) -> Result<Option<std::time::SystemTime>, StoreError> {
    if !is_there(path, fs::Metadata::is_file)? {
        return Ok(None);
    }
    at(path, fs::symlink_metadata(path).and_then(|found| found.modified())).map(Some)
}

/// Opens a file that is made for its owner alone (0600) if it is not there.
pub(super) fn open_lock(path: &Path) -> Result<File, StoreError> {
    refuse_link(path)?;
    at(path, private().read(true).write(true).create(true).truncate(false).open(path))
}

/// What is in a file; `None` if there is none.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    refuse_link(path)?;
    let mut bytes = Vec::new();
    let mut file = match private().read(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => at(path, opened)?,
    };
    at(path, io::Read::read_to_end(&mut file, &mut bytes))?;
    Ok(Some(bytes))
}

/// Writes a file so that it is there as a whole or not at all, also after a power cut.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let draft = path.with_extension("draft");
    refuse_link(&draft)?;
    refuse_link(path)?;
    let mut file = at(&draft, private().write(true).create(true).truncate(true).open(&draft))?;
    at(&draft, file.write_all(bytes).and_then(|()| file.sync_all()))?;
    at(path, fs::rename(&draft, path))?;
    sync_folder_of(path)
}

/// Writes a folder's names to the disk.
fn sync_folder_of(path: &Path) -> Result<(), StoreError> {
    match path.parent() {
        // Only on Unix can a folder be opened, and elsewhere its names are safe without.
        Some(folder) if cfg!(unix) => at(folder, File::open(folder).and_then(|folder| folder.sync_all())),
        _ => Ok(()),
    }
}

/// How to open a file that is its owner's alone, and no link.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // It is looked at before, but might become a link in between, or a pipe that nobody ever writes to.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    options
}

pub(super) fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, StoreError> {
    result.map_err(|source| StoreError::File { path: path.to_owned(), source })
}
