//! The place of a worker, which it has alone.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use uuid::Uuid;

/// The right to be the worker of this name on this host, until it is dropped.
///
/// The files of a run are where its worker is. Two hosts with one name would get each other's steps, so each place has an
/// id of its own, which it keeps across restarts.
#[derive(Debug)]
pub struct WorkerPlace {
    id: String,
    _lock: File,
}

/// A place that a worker cannot have.
#[derive(Debug, thiserror::Error)]
pub enum WorkerPlaceError {
    /// Another worker has it.
    #[error(
        "a worker with the name {0} works on this queue already: give each worker on a host a name with --name"
    )]
    Taken(String),
    /// Its file cannot be used.
    #[error("cannot use {path}, which says which worker this is: {error}")]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        error: io::Error,
    },
}

impl WorkerPlace {
    /// Takes the place of the worker with this name on this queue. Its file is in `folder`.
    ///
    /// # Errors
    /// Another worker has the place, or its file cannot be used.
    pub fn take(folder: &Path, queue: &str, name: &str) -> Result<Self, WorkerPlaceError> {
        let plain =
            |letter: char| if letter.is_alphanumeric() || "-.".contains(letter) { letter } else { '_' };
        let path = folder.join(format!("{queue}@{name}").chars().map(plain).collect::<String>());
        let failed = |error| WorkerPlaceError::File { path: path.clone(), error };
        fs::create_dir_all(folder).map_err(failed)?;
        let file = File::options().read(true).append(true).create(true).open(&path);
        let mut file = file.map_err(failed)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(WorkerPlaceError::Taken(name.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Ok(()) => {}
        }
        let mut id = String::new();
        file.read_to_string(&mut id).map_err(failed)?;
        if Uuid::parse_str(&id).is_err() {
            id = Uuid::now_v7().to_string();
            file.set_len(0).and_then(|()| file.write_all(id.as_bytes())).map_err(failed)?;
        }
        Ok(Self { id, _lock: file })
    }

    /// Returns the id of the place.
    pub fn id(&self) -> &str {
        &self.id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_keeps_its_id_and_has_one_worker() {
        let folder = tempfile::tempdir().expect("a folder");
        let take = |queue: &str| WorkerPlace::take(folder.path(), queue, "w");
        let first = take("a/b").expect("a place");
        assert!(take("a/b").expect_err("taken").to_string().contains("--name"));
        assert_ne!(take("c").expect("another queue").id(), first.id());
        let id = first.id().to_owned();
        drop(first);
        assert_eq!(take("a/b").expect("a place").id(), id);
    }
}
