//! The size of a folder.

use std::{
    fs,
    io::{self, ErrorKind},
    path::Path,
};

/// Returns the bytes of all files below a folder. Links count as themselves, and a folder that does not exist has none.
pub(super) fn folder_size(folder: &Path) -> io::Result<u64> {
    let mut waiting = vec![folder.to_owned()];
    let mut bytes = 0;
    while let Some(path) = waiting.pop() {
        let entries = match fs::read_dir(&path) {
            // Another process may have removed it.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            match entry.metadata() {
                Ok(found) if found.is_dir() => waiting.push(entry.path()),
                Ok(found) => bytes += found.len(),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(bytes)
}
