//! Writes what the user allows or forbids in a folder into their own settings.
//!
//! A person wrote the file, with comments and in their own order, so everything else in it stays byte for byte. The
//! file is replaced as a whole, and only by one that reads as intended: a damaged file would end every later command.
//! Two processes that change it at the same time wait for each other, so that neither loses the change of the other.

mod commands;
mod error;
mod folder_table;
mod permissions;

use std::{
    io::{self, ErrorKind},
    path::Path,
};

pub use self::{
    commands::{CommandRule, keep_command},
    error::KeepError,
    permissions::keep_permissions,
};
use super::{FolderSettings, SettingsLayer, read_bounded, user_file};

/// Changes the text of the settings file, if the result gives the folder what `is_meant` expects. `change` gets the path
/// of the file, its text and the name of the folder.
fn change_file(
    file: &Path,
    folder: &Path,
    change: impl FnOnce(&Path, String, &str) -> Result<String, KeepError>,
    is_meant: impl FnOnce(&FolderSettings) -> bool,
) -> Result<(), KeepError> {
    // The file may be a link into a folder with other settings, which has to stay a link.
    let path = user_file::resolved(file);
    let io = |source| KeepError::Io { path: path.clone(), source };
    let _turn = user_file::lock_folder(&path).map_err(io)?;
    let text = match read_bounded(&path) {
        Ok(bytes) => {
            String::from_utf8(bytes).map_err(|error| io(io::Error::new(ErrorKind::InvalidData, error)))?
        }
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => return Err(io(error)),
    };
    let name = folder.to_str().ok_or(KeepError::Folder)?;
    let changed = change(&path, text, name)?;
    // The new text has to mean what the person said, and nothing may be wrong in it.
    let tables = SettingsLayer::tables_in(&path, &changed)?;
    if !tables.folders.get(folder).is_some_and(is_meant) {
        return Err(KeepError::Form { path });
    }
    user_file::replace(&path, changed.as_bytes()).map_err(io)
}

#[cfg(test)]
mod test_file {
    use std::fs;

    use super::*;

    /// Runs `keep` on a settings file with this text, for the folder `/work/a b`, and returns the new text. A failure
    /// must not change the file.
    pub(super) fn kept(
        text: &str,
        keep: impl FnOnce(&Path, &Path) -> Result<(), KeepError>,
    ) -> Result<String, KeepError> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("config/loop.toml");
        if !text.is_empty() {
            fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
            fs::write(&file, text).expect("a file");
        }
        let kept = keep(&file, Path::new("/work/a b"));
        let now = fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(
            fs::read_dir(folder.path().join("config")).map_or(1, Iterator::count),
            1,
            "a draft is left"
        );
        if kept.is_err() {
            assert_eq!(now, text);
        }
        kept.map(|()| now)
    }
}
