//! Changes of memories. Each holds the lock of the folder, changes one file, and brings the index up to date.

use std::{
    io::{self, ErrorKind},
    path::PathBuf,
};

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use super::{
    Confidence, Memories, Memory, MemoryError, MemoryState, MemoryType, NewMemory, file,
    folder::{self, folder_of},
    is_profile,
};
use crate::Error;

impl Memories<'_> {
    /// Stores a new memory with confidence 0.5: active, or proposed so that a person decides.
    ///
    /// # Errors
    ///
    /// Fails if a field is faulty, if there is a profile and this is another one, if secrets cannot be removed, and if the file cannot be written.
    pub fn add(
        &mut self,
        content: NewMemory,
        state: MemoryState,
        now: Timestamp,
    ) -> Result<Memory, MemoryError> {
        let content = self.without_secrets(content)?;
        if let Some(fault) = content.fault() {
            return Err(MemoryError::Invalid(fault));
        }
        let _lock = folder::lock(&self.root)?;
        self.synchronise_locked()?;
        if content.memory_type == MemoryType::WorkspaceProfile
            && let Some(profile) = self.indexed()?.iter().find(|memory| is_profile(memory))
        {
            return Err(MemoryError::ProfileExists(self.path(profile)));
        }
        let text = file::compose(&content, Confidence::NEW, now);
        let id = self.new_id(&text)?;
        let folder = self.writable(state, content.memory_type)?;
        folder::write(&folder.join(format!("{id}.md")), &text)?;
        self.synchronise_locked()?;
        self.indexed()?.into_iter().find(|memory| memory.id == id).ok_or(MemoryError::Unknown(id))
    }

    /// Subtracts 0.1 from the confidence in an active memory, and archives it at 0.2.
    ///
    /// # Errors
    ///
    /// Fails if there is no such active memory, and if its file cannot be changed.
    pub fn flag(&mut self, id: &str) -> Result<Memory, MemoryError> {
        self.change(id, |memories, memory| {
            memory.expect(&[MemoryState::Active], "active")?;
            memories.set_confidence(memory, memory.confidence.flagged())
        })
    }

    /// Adds 0.1 to the confidence in a memory, up to 0.9. A memory of the archive becomes active again above 0.2.
    ///
    /// # Errors
    ///
    /// Fails if there is no such active or archived memory, and if its file cannot be changed.
    pub fn keep(&mut self, id: &str) -> Result<Memory, MemoryError> {
        self.change(id, |memories, memory| {
            memory.expect(&[MemoryState::Active, MemoryState::Archived], "active and archived")?;
            let confidence = memory.confidence.kept();
            memories.set_confidence(memory, confidence)?;
            if confidence.is_archived() { Ok(()) } else { memories.move_to(memory, MemoryState::Active) }
        })
    }

    /// Makes a proposal active, and forgets the memory that it replaces. A proposal that removes a memory is forgotten
    /// with it. Returns the proposal.
    ///
    /// # Errors
    ///
    /// Fails if there is no such proposal, and if a file cannot be moved or removed.
    pub fn accept(&mut self, id: &str) -> Result<Memory, MemoryError> {
        let _lock = folder::lock(&self.root)?;
        self.synchronise_locked()?;
        let mut memory = self.find_indexed(id)?;
        memory.expect(&[MemoryState::Proposed], "proposed")?;
        if let Some(other) = &memory.content.removes {
            self.remove(other)?;
            self.remove(&memory.id)?;
        } else {
            self.move_to(&memory, MemoryState::Active)?;
            // A failure in between leaves both of them, so nothing is lost.
            if let Some(other) = &memory.content.replaces {
                self.remove(other)?;
            }
            memory.state = MemoryState::Active;
        }
        self.synchronise_locked()?;
        Ok(memory)
    }

    /// Removes the file of the memory with exactly this id. It may be gone.
    fn remove(&mut self, id: &str) -> Result<(), MemoryError> {
        let Some(memory) = self.indexed()?.into_iter().find(|memory| memory.id == id) else { return Ok(()) };
        let path = self.path(&memory);
        folder::remove(&path).map_err(Error::file(path))?;
        Ok(())
    }

    /// Keeps a proposal so that it is never proposed again.
    ///
    /// # Errors
    ///
    /// Fails if there is no such proposal, and if its file cannot be moved.
    pub fn reject(&mut self, id: &str) -> Result<Memory, MemoryError> {
        self.change(id, |memories, memory| {
            memory.expect(&[MemoryState::Proposed], "proposed")?;
            memories.move_to(memory, MemoryState::Rejected)
        })
    }

    /// Removes the file of a memory of any state. Returns the memory.
    ///
    /// # Errors
    ///
    /// Fails if there is no such memory, and if its file cannot be removed.
    pub fn forget(&mut self, id: &str) -> Result<Memory, MemoryError> {
        let _lock = folder::lock(&self.root)?;
        self.synchronise_locked()?;
        let memory = self.find_indexed(id)?;
        let path = self.path(&memory);
        folder::remove(&path).map_err(Error::file(&path))?;
        self.synchronise_locked()?;
        self.database.erase_copies()?;
        Ok(memory)
    }

    fn change(
        &mut self,
        id: &str,
        change: impl FnOnce(&Self, &Memory) -> Result<(), MemoryError>,
    ) -> Result<Memory, MemoryError> {
        let _lock = folder::lock(&self.root)?;
        self.synchronise_locked()?;
        let memory = self.find_indexed(id)?;
        change(self, &memory)?;
        self.synchronise_locked()?;
        self.find_indexed(&memory.id)
    }

    /// Replaces the confidence in a file. A low one moves it when the index is brought up to date.
    fn set_confidence(&self, memory: &Memory, confidence: Confidence) -> Result<(), MemoryError> {
        if confidence == memory.confidence {
            return Ok(());
        }
        let path = self.path(memory);
        let refused = || MemoryError::Edit { path: path.clone(), key: "confidence" };
        let text = folder::read(&path)?.and_then(Result::ok).ok_or_else(refused)?;
        let changed = file::with_confidence(memory.content.memory_type, &text, confidence);
        Ok(folder::write(&path, &changed.ok_or_else(refused)?)?)
    }

    fn move_to(&self, memory: &Memory, state: MemoryState) -> Result<(), MemoryError> {
        let from = self.path(memory);
        self.writable(state, memory.content.memory_type)?;
        let to = self.path(&Memory { state, ..memory.clone() });
        if from == to { Ok(()) } else { Ok(folder::rename(&from, &to)?) }
    }

    /// Returns the folder for memories of this kind. Refuses a link in its place.
    fn writable(&self, state: MemoryState, memory_type: MemoryType) -> Result<PathBuf, MemoryError> {
        let below = folder_of(state, memory_type);
        let folder = self.root.join(&below);
        match folder::folder_fault(&self.root, &below) {
            Some(why) => Err(Error::file(folder)(io::Error::new(ErrorKind::NotADirectory, why)).into()),
            None => Ok(folder),
        }
    }

    /// Returns 8 hexadecimal digits that no other file has as its name.
    fn new_id(&self, text: &str) -> Result<String, MemoryError> {
        let files = folder::list(&self.root)?;
        let ids = (0_u64..).map(|attempt| {
            let digest = Sha256::new().chain_update(attempt.to_le_bytes()).chain_update(text).finalize();
            digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect::<String>()
        });
        let mut free = ids.filter(|id| files.iter().all(|file| file.id != *id));
        Ok(free.next().unwrap_or_default())
    }
}

impl Memory {
    pub(super) fn expect(&self, states: &[MemoryState], expected: &'static str) -> Result<(), MemoryError> {
        if states.contains(&self.state) {
            return Ok(());
        }
        Err(MemoryError::State { id: self.id.clone(), state: self.state, expected })
    }
}
