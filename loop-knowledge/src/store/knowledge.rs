//! The files of one workspace: `knowledge.db`, the stores of documents, and the memories.

use std::path::{Path, PathBuf};

use super::{Database, Schema};
use crate::{Error, documents::selection, memory, notes};

const KNOWLEDGE: Schema = Schema {
    mark: 0x6c6b_6e6f,
    migrations: &[&[selection::TABLES, notes::TABLES, memory::TABLES]],
    is_durable: true,
};

/// The folder with everything that is known about one workspace. Making a value touches no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnowledgeFolder(PathBuf);

impl KnowledgeFolder {
    /// The knowledge in this folder, which may be missing so far.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The database with the notes and the index of the memories.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.0.join("knowledge.db")
    }

    /// The folder with one database for each store of documents.
    #[must_use]
    pub fn stores(&self) -> PathBuf {
        self.0.join("rag")
    }

    /// The folder with one file for each memory.
    #[must_use]
    pub fn memories(&self) -> PathBuf {
        self.0.join("memories")
    }

    /// Opens `knowledge.db`.
    pub(crate) fn open(&self) -> Result<Database, Error> {
        Database::open(&self.database(), &KNOWLEDGE)
    }
}
