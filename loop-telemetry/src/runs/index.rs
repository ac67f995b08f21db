//! The index: what is to be listed of all runs, in one file.
//!
//! Ten thousand journals are gigabytes, and even to open ten thousand files takes a while. So who lists runs
//! reads one file, to which each run adds a line when it begins and one when it ends. It holds nothing that is
//! not in the runs' own files: if a line cannot be read, or a run is lacking, the list is made of those.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{RunEntry, StoreError};
use crate::{Record, always_json, checksum, cut, folder, record::format};

/// The newest format of the index and of `run.json`.
pub(super) const FORMAT: u32 = 1;

/// One line: `{"v":1,"change":{"began":{...}},"crc":"1a2b3c4d"}`. Earlier versions wrote no [`checksum`].
#[derive(Serialize, Deserialize)]
struct Line {
    v: u32,
    change: Change,
}

/// What happened to a run.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Change {
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

/// What is in the index.
pub(super) struct Indexed {
    pub(super) entries: Vec<RunEntry>,
    /// The first line that is damaged, from 1, and what is wrong with it.
    pub(super) damage: Option<(u64, String)>,
}

/// The index of the runs in a folder.
#[derive(Debug, Clone)]
pub(super) struct Index {
    path: PathBuf,
}

/// The index, held by this process: nobody else changes it.
pub(super) struct HeldIndex<'a> {
    index: &'a Index,
    _lock: File,
}

impl Index {
    pub(super) fn of(runs: &Path) -> Self {
        Self { path: runs.join("index.jsonl") }
    }

    /// Whether there is one.
    pub(super) fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// All runs, in the order in which they began; `None` if there is no index.
    pub(super) fn read(&self) -> Result<Option<Indexed>, StoreError> {
        let file = match folder::read(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => self.at(opened)?,
        };
        let (mut runs, mut damage) = (Runs::default(), None);
        let mut lines = BufReader::with_capacity(64 * 1024, file);
        let (mut line, mut number) = (Vec::new(), 0);
        while self.at(lines.read_until(b'\n', &mut line))? > 0 {
            number += 1;
            match serde_json::from_slice(&line) {
                _ if !checksum::fits(&line) => {
                    damage.get_or_insert((number, "its checksum does not fit".to_owned()));
                }
                Ok(Line { change, .. }) => runs.apply(change),
                Err(error) => match format_of(&line).filter(|found| *found > FORMAT) {
                    Some(found) => {
                        return Err(StoreError::Newer { path: self.path.clone(), found, known: FORMAT });
                    }
                    None => drop(damage.get_or_insert((number, error.to_string()))),
                },
            }
            line.clear();
        }
        Ok(Some(Indexed { entries: runs.entries, damage }))
    }

    /// Waits for the index while others change it. It is given back when what is returned is dropped.
    pub(super) fn hold(&self) -> Result<HeldIndex<'_>, StoreError> {
        if let Some(runs) = self.path.parent() {
            self.at(folder::create_synced(runs))?;
        }
        // A file of its own: the index itself is replaced by another when runs are removed.
        let path = self.path.with_extension("lock");
        let file = folder::private().read(true).write(true).create(true).truncate(false).open(path);
        let file = self.at(file)?;
        self.at(file.lock())?;
        Ok(HeldIndex { index: self, _lock: file })
    }

    fn at<T>(&self, result: io::Result<T>) -> Result<T, StoreError> {
        result.map_err(|source| StoreError::File { path: self.path.clone(), source })
    }
}

impl HeldIndex<'_> {
    /// Adds a line, and makes it safe.
    pub(super) fn add(&self, change: Change) -> Result<(), StoreError> {
        let mut line = Vec::new();
        write_line(&mut line, change);
        self.append(&line)
    }

    /// Adds a run that has a past, and makes it safe.
    pub(super) fn add_run(&self, entry: RunEntry) -> Result<(), StoreError> {
        let mut lines = Vec::new();
        write_run(&mut lines, entry);
        self.append(&lines)
    }

    fn append(&self, lines: &[u8]) -> Result<(), StoreError> {
        let index = self.index;
        let file = folder::private().read(true).append(true).create(true).open(&index.path);
        let mut file = index.at(file)?;
        cut::point();
        // Its writer died in the middle of the last line.
        let end: &[u8] = if index.at(folder::ends_whole(&mut file))? { b"" } else { b"\n" };
        index.at(file.write_all(&[end, lines].concat()))?;
        cut::point();
        index.at(file.sync_data())
    }

    /// Puts these runs in the place of those that are there.
    pub(super) fn replace(&self, entries: Vec<RunEntry>) -> Result<(), StoreError> {
        let mut lines = Vec::new();
        entries.into_iter().for_each(|entry| write_run(&mut lines, entry));
        let path = &self.index.path;
        self.index.at(folder::write_synced(path, &lines))
    }
}

/// The lines that make an index with this run in it.
fn write_run(to: &mut Vec<u8>, entry: RunEntry) {
    let RunEntry { id, name, folder, folder_id, started_at, manifest, last_ending, is_open } = entry;
    let resumed =
        (is_open && last_ending.is_some()).then(|| Change::Resumed { id: id.clone(), at: started_at });
    write_line(to, Change::Began { id, name, folder, folder_id, started_at, manifest });
    last_ending.into_iter().for_each(|record| write_line(to, Change::Ended(Box::new(record))));
    resumed.into_iter().for_each(|resumed| write_line(to, resumed));
}

fn write_line(to: &mut Vec<u8>, change: Change) {
    let json = always_json(serde_json::to_string(&Line { v: FORMAT, change }));
    to.extend_from_slice(checksum::seal(&json).as_bytes());
    to.push(b'\n');
}

/// The format that a line or a file says it has.
pub(super) fn format_of(json: &[u8]) -> Option<u32> {
    #[derive(Deserialize)]
    struct Format {
        v: u32,
    }
    serde_json::from_slice::<Format>(json).ok().map(|format| format.v)
}

/// The fold of the lines.
#[derive(Default)]
struct Runs {
    entries: Vec<RunEntry>,
    places: HashMap<String, usize>,
}

impl Runs {
    fn apply(&mut self, change: Change) {
        match change {
            Change::Began { id, name, folder, folder_id, started_at, manifest } => {
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
            Change::Resumed { id, at: _ } => {
                if let Some(entry) = self.entry(Some(&id)) {
                    entry.is_open = true;
                }
            }
            Change::Ended(record) => {
                if let Some(entry) = self.entry(record.run_id.as_deref()) {
                    entry.is_open = false;
                    entry.last_ending = Some(*record);
                }
            }
        }
    }

    fn entry(&mut self, id: Option<&str>) -> Option<&mut RunEntry> {
        let place = *self.places.get(id?)?;
        self.entries.get_mut(place)
    }
}
