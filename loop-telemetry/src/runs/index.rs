//! The index: the listed data of all runs, in one file.
//!
//! Ten thousand journals take gigabytes, and even opening ten thousand files is slow. So listing runs reads a single
//! file, to which each run adds a line when it begins and one when it ends. It contains only data that is also in the
//! runs' own files: if a line is damaged, or a run is missing, we rebuild the list from those.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, BufReader, ErrorKind, Write},
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{RunEntry, StoreError};
use crate::{Record, always_json, checksum, failpoint, private_folder, record::format};

/// The newest format of the index and of `run.json`.
pub(super) const FORMAT: u32 = 1;

/// One line: `{"v":1,"change":{"began":{...}},"crc":"1a2b3c4d"}`. Earlier versions wrote no [`checksum`].
#[derive(Serialize, Deserialize)]
struct IndexLine {
    v: u32,
    change: IndexChange,
}

/// A change to a run.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum IndexChange {
    Began {
        id: String,
        name: String,
        folder: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        folder_id: Option<String>,
        #[serde(with = "format::millis")]
        started_at: Timestamp,
        manifest: Option<String>,
    },
    Resumed {
        id: String,
        #[serde(with = "format::millis")]
        at: Timestamp,
    },
    Ended(Box<Record>),
}

/// The content of the index.
pub(super) struct IndexContent {
    pub(super) entries: Vec<RunEntry>,
    /// The number of the first damaged line, from 1, and the damage.
    pub(super) damage: Option<(u64, String)>,
}

/// The index of the runs in a folder.
#[derive(Debug, Clone)]
pub(super) struct Index {
    path: PathBuf,
}

/// The index, locked by this process, so that no other process changes it.
pub(super) struct LockedIndex<'a> {
    index: &'a Index,
    _lock: File,
}

impl Index {
    pub(super) fn of(runs: &Path) -> Self {
        Self { path: runs.join("index.jsonl") }
    }

    /// Returns whether the index exists.
    pub(super) fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Returns its path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns all runs, in the order in which they began; `None` if there is no index.
    pub(super) fn read(&self) -> Result<Option<IndexContent>, StoreError> {
        let file = match private_folder::read(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => self.at(opened)?,
        };
        let (mut runs, mut damage) = (RunTable::default(), None);
        let mut lines = BufReader::with_capacity(64 * 1024, file);
        let (mut line, mut number) = (Vec::new(), 0);
        loop {
            number += 1;
            match private_folder::read_line(&mut lines, &mut line) {
                Ok(0) => break,
                Err(error) if error.kind() == ErrorKind::FileTooLarge => {
                    damage.get_or_insert((number, error.to_string()));
                    break;
                }
                read => self.at(read)?,
            };
            match serde_json::from_slice(&line) {
                _ if !checksum::fits(&line) => {
                    damage.get_or_insert((number, "its checksum does not match".to_owned()));
                }
                Ok(IndexLine { change, .. }) => {
                    if !runs.apply(change) {
                        damage.get_or_insert((number, "its run began in an earlier line".to_owned()));
                    }
                }
                Err(error) => match format_of(&line).filter(|found| *found > FORMAT) {
                    Some(found) => {
                        return Err(StoreError::Newer { path: self.path.clone(), found, known: FORMAT });
                    }
                    None => drop(damage.get_or_insert((number, error.to_string()))),
                },
            }
            line.clear();
        }
        Ok(Some(IndexContent { entries: runs.entries, damage }))
    }

    /// Waits for the lock on the index. Dropping the returned value releases it.
    pub(super) fn hold(&self) -> Result<LockedIndex<'_>, StoreError> {
        if let Some(runs) = self.path.parent() {
            self.at(private_folder::create_synced(runs))?;
        }
        // The lock needs its own file, because removing runs replaces the index itself.
        let path = self.path.with_extension("lock");
        let file = private_folder::private().read(true).write(true).create(true).truncate(false).open(path);
        let file = self.at(file)?;
        self.at(file.lock())?;
        Ok(LockedIndex { index: self, _lock: file })
    }

    fn at<T>(&self, result: io::Result<T>) -> Result<T, StoreError> {
        result.map_err(|source| StoreError::File { path: self.path.clone(), source })
    }
}

impl LockedIndex<'_> {
    /// Adds a line, and syncs it to the disk.
    pub(super) fn add(&self, change: IndexChange) -> Result<(), StoreError> {
        let mut line = Vec::new();
        write_line(&mut line, change);
        self.append(&line)
    }

    /// Adds a run with its history, and syncs it to the disk.
    pub(super) fn add_run(&self, entry: RunEntry) -> Result<(), StoreError> {
        let mut lines = Vec::new();
        write_run(&mut lines, entry);
        self.append(&lines)
    }

    fn append(&self, lines: &[u8]) -> Result<(), StoreError> {
        let index = self.index;
        let file = private_folder::private().read(true).append(true).create(true).open(&index.path);
        let mut file = index.at(file)?;
        failpoint::point();
        // If the last line is incomplete, its writer died; start a new line.
        let end: &[u8] = if index.at(private_folder::ends_whole(&mut file))? { b"" } else { b"\n" };
        index.at(file.write_all(&[end, lines].concat()))?;
        failpoint::point();
        index.at(file.sync_data())
    }

    /// Replaces all runs in the index.
    pub(super) fn replace(&self, entries: Vec<RunEntry>) -> Result<(), StoreError> {
        let mut lines = Vec::new();
        entries.into_iter().for_each(|entry| write_run(&mut lines, entry));
        let path = &self.index.path;
        self.index.at(private_folder::write_synced(path, &lines))
    }
}

/// Writes the lines that add this run to an index.
fn write_run(to: &mut Vec<u8>, entry: RunEntry) {
    let RunEntry { id, name, folder, folder_id, started_at, manifest, last_ending, is_open } = entry;
    let resumed =
        (is_open && last_ending.is_some()).then(|| IndexChange::Resumed { id: id.clone(), at: started_at });
    write_line(to, IndexChange::Began { id, name, folder, folder_id, started_at, manifest });
    last_ending.into_iter().for_each(|record| write_line(to, IndexChange::Ended(Box::new(record))));
    resumed.into_iter().for_each(|resumed| write_line(to, resumed));
}

fn write_line(to: &mut Vec<u8>, change: IndexChange) {
    let json = always_json(serde_json::to_string(&IndexLine { v: FORMAT, change }));
    to.extend_from_slice(checksum::seal(&json).as_bytes());
    to.push(b'\n');
}

/// Returns the format that a line or a file declares.
pub(super) fn format_of(json: &[u8]) -> Option<u32> {
    #[derive(Deserialize)]
    struct Format {
        v: u32,
    }
    serde_json::from_slice::<Format>(json).ok().map(|format| format.v)
}

/// The state while reading the lines.
#[derive(Default)]
struct RunTable {
    entries: Vec<RunEntry>,
    places: HashMap<String, usize>,
}

impl RunTable {
    /// Applies a change. Returns false if it begins a run that is known already.
    fn apply(&mut self, change: IndexChange) -> bool {
        match change {
            IndexChange::Began { id, .. } if self.places.contains_key(&id) => return false,
            IndexChange::Began { id, name, folder, folder_id, started_at, manifest } => {
                self.places.insert(id.clone(), self.entries.len());
                let (last_ending, is_open) = (None, true);
                self.entries.push(RunEntry {
                    id,
                    name,
                    folder,
                    folder_id,
                    started_at,
                    manifest,
                    last_ending,
                    is_open,
                });
            }
            IndexChange::Resumed { id, at: _ } => {
                if let Some(entry) = self.entry(Some(&id)) {
                    entry.is_open = true;
                }
            }
            IndexChange::Ended(record) => {
                if let Some(entry) = self.entry(record.run_id.as_deref()) {
                    entry.is_open = false;
                    entry.last_ending = Some(*record);
                }
            }
        }
        true
    }

    fn entry(&mut self, id: Option<&str>) -> Option<&mut RunEntry> {
        let place = *self.places.get(id?)?;
        self.entries.get_mut(place)
    }
}
