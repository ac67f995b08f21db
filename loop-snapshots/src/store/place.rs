//! The place of a folder's store.

use std::{
    fs, io,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use crate::{
    digest::Digest,
    error::{AtPath as _, Error},
};

/// The folder without links, and the place of its store. A removed folder keeps its store: its snapshots are what is
/// left of it.
pub(super) fn place_of(state: &Path, folder: &Path) -> Result<(PathBuf, PathBuf), Error> {
    let place = |folder: &Path| state.join(&Digest::of(folder.as_os_str().as_bytes()).to_string()[..16]);
    match fs::canonicalize(folder) {
        Ok(folder) => Ok((folder.clone(), place(&folder))),
        Err(error) if error.kind() == io::ErrorKind::NotFound && place(folder).exists() => {
            Ok((folder.to_owned(), place(folder)))
        }
        Err(error) => Err(error).at(folder),
    }
}
