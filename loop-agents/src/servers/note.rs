//! The file that says where a server of this user is, with the lock of the program that started it.
//!
//! A program that is killed cannot remove its file. So the file alone says nothing: the lock shows whether its owner
//! lives, and the server itself whether it answers.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

/// Where a server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotedServer {
    /// Its port of 127.0.0.1.
    pub port: u16,
    /// The number of its process, which leads a group of its own.
    pub process: u32,
}

/// The file about one server.
#[derive(Debug, Clone)]
pub(super) struct ServerFile(PathBuf);

impl ServerFile {
    /// Returns the file for the server with this name.
    pub(super) fn new(folder: &Path, name: &str) -> Self {
        Self(folder.join(format!("{name}.json")))
    }

    /// Returns what the file says; `None` also for a damaged file.
    pub(super) fn read(&self) -> Option<NotedServer> {
        serde_json::from_slice(&fs::read(&self.0).ok()?).ok()
    }

    /// Writes the file.
    pub(super) fn write(&self, noted: NotedServer) -> io::Result<()> {
        fs::write(&self.0, serde_json::to_vec(&noted)?)
    }

    /// Removes the file.
    pub(super) fn remove(&self) -> io::Result<()> {
        match fs::remove_file(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Locks the server for this program until the file is dropped. Returns `None` if another program has the lock.
    pub(super) fn lock(&self) -> io::Result<Option<File>> {
        let folder = self.0.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let path = self.0.with_extension("lock");
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}
