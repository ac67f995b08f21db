//! Memories of earlier work. Each is a file with YAML front matter and Markdown, which a person may edit. The tables of
//! `knowledge.db` are an index of the files.

mod change;
mod digest;
mod error;
mod file;
mod folder;
#[cfg(test)]
mod hostile_tests;
mod index;
mod item;
pub mod mining;
#[cfg(test)]
mod mining_tests;
mod profile;
mod propose;
mod receipts;
mod retrieve;
mod scope;
#[cfg(test)]
pub(crate) mod tests;
mod yaml;

use std::{
    collections::BTreeSet,
    fmt,
    path::{Path, PathBuf},
};

use serde::Serialize;

pub use self::{
    error::{MemoryError, MemoryFault},
    item::{
        BODY_BYTES, Confidence, Memory, MemoryKind, MemoryState, MemoryType, NewMemory, SUMMARY_CHARACTERS,
        UnknownWord,
    },
    profile::{ProfileTemplate, UnknownTemplate},
    propose::MOST_WAITING,
};
use crate::{KnowledgeFolder, SecretFilter, store::Database};

/// The tables of the index.
pub(crate) const TABLES: &str = include_str!("tables.sql");

/// The change of format 2.
pub(crate) const WORD_FORMS: &str = include_str!("word_forms.sql");

/// The memories of a workspace. Texts are redacted before they are stored, and files that a person wrote are redacted
/// before they are indexed.
pub struct Memories<'a> {
    database: Database,
    root: PathBuf,
    secrets: &'a dyn SecretFilter,
}

impl fmt::Debug for Memories<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memories").field("root", &self.root).finish_non_exhaustive()
    }
}

/// The numbers of memories.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MemoryStatus {
    /// Recalled memories.
    pub active: usize,
    /// Proposals that nobody has accepted or rejected yet.
    pub proposed: usize,
    /// Memories of low confidence.
    pub archived: usize,
    /// Rejected proposals.
    pub rejected: usize,
    /// Whether the workspace has a profile.
    pub has_profile: bool,
    /// Files that are skipped.
    pub faults: Vec<MemoryFault>,
}

impl<'a> Memories<'a> {
    /// Opens the memories, and brings their index up to date with the files.
    ///
    /// # Errors
    ///
    /// Fails if the files or the database cannot be used, and if secrets cannot be recognised.
    pub fn open(folder: &KnowledgeFolder, secrets: &'a dyn SecretFilter) -> Result<Self, MemoryError> {
        let mut memories = Self { database: folder.open()?, root: folder.memories(), secrets };
        memories.synchronise()?;
        memories.renew_digest()?;
        Ok(memories)
    }

    /// Returns the folder of the files.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns all memories, sorted by state, type and id.
    ///
    /// # Errors
    ///
    /// Fails if the files or the database cannot be used.
    pub fn all(&mut self) -> Result<Vec<Memory>, MemoryError> {
        self.synchronise()?;
        Ok(self.indexed()?)
    }

    /// Returns the files that are not memories. They are skipped everywhere else.
    ///
    /// # Errors
    ///
    /// Fails if the files or the database cannot be used.
    pub fn faults(&mut self) -> Result<Vec<MemoryFault>, MemoryError> {
        self.synchronise()?;
        Ok(self.indexed_faults()?)
    }

    /// Counts the memories by state.
    ///
    /// # Errors
    ///
    /// Fails if the files or the database cannot be used.
    pub fn status(&mut self) -> Result<MemoryStatus, MemoryError> {
        let memories = self.all()?;
        let count = |state| memories.iter().filter(|memory| memory.state == state).count();
        Ok(MemoryStatus {
            active: count(MemoryState::Active),
            proposed: count(MemoryState::Proposed),
            archived: count(MemoryState::Archived),
            rejected: count(MemoryState::Rejected),
            has_profile: memories.iter().any(is_profile),
            faults: self.indexed_faults()?,
        })
    }

    /// Returns the memory whose id is, or begins like, `id`.
    ///
    /// # Errors
    ///
    /// Fails if no memory has this id, if several ids begin with it, or if the file with this id is not a memory.
    pub fn find(&mut self, id: &str) -> Result<Memory, MemoryError> {
        self.synchronise()?;
        self.find_indexed(id)
    }

    fn find_indexed(&mut self, id: &str) -> Result<Memory, MemoryError> {
        let memories = self.indexed()?;
        // Files that are no memories count: whoever names one of them means no other.
        let faults = self.indexed_faults()?;
        let stems = faults.iter().filter_map(|fault| fault.path.file_stem()?.to_str());
        let ids: BTreeSet<_> = memories.iter().map(|memory| &*memory.id).chain(stems).collect();
        let mut found: Vec<_> =
            ids.into_iter().filter(|known| known.starts_with(id) && !id.is_empty()).collect();
        if found.first() == Some(&id) {
            found.truncate(1);
        }
        let [found] = found[..] else {
            let [first, second, ..] = found[..] else { return Err(MemoryError::Unknown(id.to_owned())) };
            let (first, second) = (first.to_owned(), second.to_owned());
            return Err(MemoryError::Ambiguous { id: id.to_owned(), count: found.len(), first, second });
        };
        if let Some(memory) = memories.iter().find(|memory| memory.id == found) {
            return Ok(memory.clone());
        }
        let is_found = |fault: &&MemoryFault| fault.path.file_stem().is_some_and(|stem| stem == found);
        let fault = faults.iter().find(is_found).cloned();
        Err(fault.map_or_else(|| MemoryError::Unknown(id.to_owned()), MemoryError::Faulty))
    }

    /// Returns the file of a memory.
    #[must_use]
    pub fn path(&self, memory: &Memory) -> PathBuf {
        let folder = folder::folder_of(memory.state, memory.content.memory_type);
        self.root.join(folder).join(format!("{}.md", memory.id))
    }

    /// Returns the profile of the workspace, if a person made one.
    ///
    /// # Errors
    ///
    /// Fails if the files or the database cannot be used.
    pub fn profile(&mut self) -> Result<Option<Memory>, MemoryError> {
        Ok(self.all()?.into_iter().find(is_profile))
    }

    /// Returns the filter of secrets.
    pub(crate) fn secrets(&self) -> &'a dyn SecretFilter {
        self.secrets
    }

    /// Removes secrets from all texts.
    fn without_secrets(&self, content: NewMemory) -> Result<NewMemory, MemoryError> {
        let redact = |text: String| self.secrets.redact(&text).map_err(MemoryError::Secrets);
        Ok(NewMemory {
            summary: redact(content.summary)?,
            body: redact(content.body)?,
            origin: content.origin.map(redact).transpose()?,
            replaces: content.replaces.map(redact).transpose()?,
            removes: content.removes.map(redact).transpose()?,
            applies_to: content.applies_to.into_iter().map(redact).collect::<Result<_, _>>()?,
            ..content
        })
    }
}

fn is_profile(memory: &Memory) -> bool {
    memory.state == MemoryState::Active && memory.content.memory_type == MemoryType::WorkspaceProfile
}
