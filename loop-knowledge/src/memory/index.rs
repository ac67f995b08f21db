//! The index of the files in `knowledge.db`. It is brought up to date before each use, so a person can edit the files.

use std::{collections::HashMap, path::PathBuf};

use rusqlite::Transaction;
use sha2::{Digest as _, Sha256};

use super::{
    Memories, Memory, MemoryError, MemoryFault, MemoryState, digest,
    file::{self, Parsed},
    folder::{self, MemoryPath},
};
use crate::{Error, fts};

/// The facts in the index about a file.
struct Known {
    stamp: String,
    digest: Vec<u8>,
}

/// The text of a memory as the full-text index has it.
struct Indexed(String);

/// A file that differs from what the index knows.
struct Changed {
    file: MemoryPath,
    digest: Vec<u8>,
    /// `None` if only the stamp differs.
    content: Option<Result<(Memory, Indexed), String>>,
}

impl Memories<'_> {
    /// Brings the index and `DIGEST.md` up to date with the files. Waits while another process changes them.
    pub(super) fn synchronise(&mut self) -> Result<(), MemoryError> {
        let found = self.files()?;
        let known = self.known()?;
        let is_known = |file: &MemoryPath| {
            known.get(&file.path).is_some_and(|known| !file.stamp.is_empty() && known.stamp == file.stamp)
        };
        if found.len() == known.len() && found.iter().all(is_known) {
            return Ok(());
        }
        let _lock = folder::lock(&self.root)?;
        self.synchronise_locked()
    }

    /// Does the same for a caller that holds the lock.
    pub(super) fn synchronise_locked(&mut self) -> Result<(), MemoryError> {
        let mut known = self.known()?;
        let mut changed = Vec::new();
        for file in self.files()? {
            let before = known.remove(&file.path);
            if before.as_ref().is_some_and(|known| !file.stamp.is_empty() && known.stamp == file.stamp) {
                continue;
            }
            let Some(file) = self.archived(file)? else { continue };
            changed.extend(self.compare(file, before)?);
        }
        if changed.is_empty() && known.is_empty() {
            return Ok(());
        }
        let is_content_same = known.is_empty() && changed.iter().all(|file| file.content.is_none());
        let (root, secrets) = (&self.root, self.secrets);
        let mut failure = None;
        let written = self.database.write(|change| {
            for path in known.keys() {
                change.execute("DELETE FROM memory_files WHERE path = ?1", [path.to_string_lossy()])?;
            }
            changed.iter().try_for_each(|file| file.write(change))?;
            if is_content_same {
                return Ok(());
            }
            // Before the index counts as current: whoever is killed in between leaves both to the next one.
            digest::write(root, &indexed(change)?, secrets).map_err(|error| {
                failure = Some(error);
                rusqlite::Error::StatementChangedRows(0)
            })
        });
        if is_content_same {
            // A stamp only saves work later. On a full disk, memories can still be read.
            return Ok(());
        }
        failure.map_or(written.map_err(MemoryError::from), Err)?;
        self.database.erase_deleted(&["memory_texts"])?;
        Ok(())
    }

    /// Writes `DIGEST.md` again if it is not what it should be: a secret may have become known after it was written.
    pub(super) fn renew_digest(&mut self) -> Result<(), MemoryError> {
        let memories = self.indexed()?;
        if memories.is_empty() || digest::is_current(&self.root, &memories, self.secrets)? {
            return Ok(());
        }
        let _lock = folder::lock(&self.root)?;
        self.synchronise_locked()?;
        let memories = self.indexed()?;
        digest::write(&self.root, &memories, self.secrets)
    }

    /// Returns all files. One with a secret in its name is faulty, and goes by a name without it.
    fn files(&self) -> Result<Vec<MemoryPath>, MemoryError> {
        let mut files = folder::list(&self.root)?;
        for file in &mut files {
            let redacted = self.secrets.redact(&file.path.to_string_lossy()).map_err(MemoryError::Secrets)?;
            if redacted != file.path.to_string_lossy() {
                file.fault = Some("its name has a secret in it: rename the file".to_owned());
                file.path = redacted.into();
            }
        }
        Ok(files)
    }

    /// Moves an active file of low confidence into the archive: a person lowered it, or a flag was interrupted.
    fn archived(&self, file: MemoryPath) -> Result<Option<MemoryPath>, MemoryError> {
        if file.state != MemoryState::Active || file.fault.is_some() {
            return Ok(Some(file));
        }
        let path = self.root.join(&file.path);
        let Some(text) = folder::read(&path)? else { return Ok(None) };
        let parsed = text.and_then(|text| file::parse(file.memory_type, &text));
        let archive = folder::folder_of(MemoryState::Archived, file.memory_type);
        let to = archive.join(file.path.file_name().unwrap_or_default());
        let is_low = parsed.is_ok_and(|parsed| parsed.confidence.is_archived());
        // A person may have put another file there.
        let is_free = self.root.join(&to).symlink_metadata().is_err();
        if !is_low || !is_free || folder::folder_fault(&self.root, &archive).is_some() {
            return Ok(Some(file));
        }
        folder::rename(&path, &self.root.join(&to))?;
        // Its stamp is that of a moved file. The next look reads it once more.
        Ok(Some(MemoryPath { path: to, state: MemoryState::Archived, stamp: String::new(), ..file }))
    }

    fn compare(&self, file: MemoryPath, before: Option<Known>) -> Result<Option<Changed>, MemoryError> {
        let path = self.root.join(&file.path);
        let read = match &file.fault {
            Some(fault) => Err(fault.clone()),
            None => match folder::read(&path)? {
                Some(read) => read,
                None => return Ok(None),
            },
        };
        let bytes = match &read {
            Ok(text) => text.as_bytes(),
            Err(fault) => fault.as_bytes(),
        };
        let digest = Sha256::digest(bytes).to_vec();
        if let Some(before) = before.filter(|before| before.digest == digest) {
            let is_same = before.stamp == file.stamp;
            return Ok((!is_same).then_some(Changed { file, digest, content: None }));
        }
        let parsed = read.and_then(|text| file::parse(file.memory_type, &text));
        let content = match parsed {
            Ok(parsed) => {
                let memory = self.redacted(&file, parsed)?;
                let text =
                    fts::indexed(&memory.content.text(), self.secrets).map_err(MemoryError::Secrets)?;
                Ok((memory, Indexed(text)))
            }
            Err(fault) => Err(self.secrets.redact(&fault).map_err(MemoryError::Secrets)?),
        };
        Ok(Some(Changed { file, digest, content: Some(content) }))
    }

    fn redacted(&self, file: &MemoryPath, parsed: Parsed) -> Result<Memory, MemoryError> {
        Ok(Memory {
            id: file.id.clone(),
            state: file.state,
            confidence: parsed.confidence,
            created: parsed.created,
            content: self.without_secrets(parsed.content)?,
        })
    }

    fn known(&mut self) -> Result<HashMap<PathBuf, Known>, Error> {
        self.database.read(|read| {
            let mut statement = read.prepare("SELECT path, stamp, digest FROM memory_files")?;
            let rows = statement.query_map([], |row| {
                let path: String = row.get(0)?;
                Ok((PathBuf::from(path), Known { stamp: row.get(1)?, digest: row.get(2)? }))
            })?;
            rows.collect()
        })
    }

    /// Returns all memories of the index, sorted by state, type and id.
    pub(super) fn indexed(&mut self) -> Result<Vec<Memory>, Error> {
        self.database.read(indexed)
    }

    pub(super) fn indexed_faults(&mut self) -> Result<Vec<MemoryFault>, Error> {
        let root = self.root.clone();
        self.database.read(|read| {
            let statement = "SELECT path, fault FROM memory_files WHERE fault IS NOT NULL ORDER BY path";
            let fault = |row: &rusqlite::Row<'_>| {
                Ok(MemoryFault { path: root.join(row.get::<_, String>(0)?), why: row.get(1)? })
            };
            read.prepare(statement)?.query_map([], fault)?.collect()
        })
    }
}

fn indexed(read: &Transaction<'_>) -> rusqlite::Result<Vec<Memory>> {
    let mut statement = read.prepare("SELECT json FROM memories")?;
    let rows = statement.query_map([], |row| memory(row.get_ref(0)?.as_str()?))?;
    let mut memories = rows.collect::<Result<Vec<_>, _>>()?;
    memories.sort_by(|left, right| {
        let key = |memory: &Memory| (memory.state, memory.content.memory_type);
        key(left).cmp(&key(right)).then_with(|| left.id.cmp(&right.id))
    });
    Ok(memories)
}

/// Reads a memory from a row.
pub(super) fn memory(json: &str) -> rusqlite::Result<Memory> {
    serde_json::from_str(json).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(error))
    })
}

impl Changed {
    fn write(&self, change: &Transaction<'_>) -> rusqlite::Result<()> {
        let path = self.file.path.to_string_lossy();
        let Some(content) = &self.content else {
            let statement = "UPDATE memory_files SET stamp = ?2 WHERE path = ?1";
            return change.execute(statement, (path, &self.file.stamp)).map(drop);
        };
        change.execute("DELETE FROM memory_files WHERE path = ?1", [&path])?;
        let statement = "INSERT INTO memory_files (path, stamp, digest, fault) VALUES (?1, ?2, ?3, ?4)";
        change.execute(statement, (&path, &self.file.stamp, &self.digest, content.as_ref().err()))?;
        let Ok((memory, Indexed(text))) = content else { return Ok(()) };
        let file = change.last_insert_rowid();
        let json = serde_json::to_string(memory)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
        let (state, memory_type) = (memory.state.as_str(), memory.content.memory_type.as_str());
        // The memory moved here from another path.
        change.execute(
            "DELETE FROM memory_files WHERE id IN (SELECT file FROM memories WHERE id = ?1)",
            [&memory.id],
        )?;
        let statement =
            "INSERT INTO memories (file, id, state, type, confidence, json) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        change
            .execute(statement, (file, &memory.id, state, memory_type, memory.confidence.tenths(), json))?;
        let statement = "INSERT INTO memory_texts (rowid, text) VALUES (?1, ?2)";
        change.execute(statement, (file, text)).map(drop)
    }
}
