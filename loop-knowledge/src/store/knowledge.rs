//! The files of one workspace: `knowledge.db`, the stores of documents, and the memories.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::{ffi::OsStrExt as _, fs::DirBuilderExt as _},
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

use super::{Database, Health, Schema, check, expect_private};
use crate::{
    Error,
    documents::{self, selection},
    memory, notes,
};

const KNOWLEDGE: Schema = Schema {
    mark: 0x6c6b_6e6f,
    migrations: &[
        &[selection::TABLES, notes::TABLES, memory::TABLES],
        &[notes::WORD_FORMS, memory::WORD_FORMS],
    ],
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

    /// The knowledge about the workspace `root`, in a folder of its own below `state`. The name of that folder is a
    /// digest of the workspace's path without links: a path may have a secret in it.
    ///
    /// # Errors
    ///
    /// Fails if the workspace cannot be found.
    pub fn of_workspace(state: &Path, root: &Path) -> io::Result<Self> {
        let digest = Sha256::digest(fs::canonicalize(root)?.as_os_str().as_bytes());
        let key: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Ok(Self(state.join(key)))
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

    /// Makes the empty folder, so that others can tell that somebody began here. Returns whether it was missing.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be made.
    pub fn begin(&self) -> Result<bool, Error> {
        let is_missing = self.0.symlink_metadata().is_err();
        if is_missing {
            DirBuilder::new().recursive(true).mode(0o700).create(&self.0).map_err(Error::file(&self.0))?;
        }
        Ok(is_missing)
    }

    /// Returns whether nothing is known about the workspace.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        ![self.database(), self.stores(), self.memories()].iter().any(|path| path.exists())
    }

    /// Reads all databases to their end, and checks their formats, and that only their owner can use them and their
    /// folders. Changes nothing. Returns one result for each database, and one for each folder that others can use.
    #[must_use]
    pub fn check(&self) -> Vec<Result<Health, Error>> {
        let known = match self.0.canonicalize() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
            Err(error) => return vec![Err(Error::file(&self.0)(error))],
            Ok(folder) => Self(folder),
        };
        let folders = [known.0.clone(), known.stores(), known.memories()];
        let exposed = folders.iter().filter_map(|folder| expect_private(folder).err().map(Err));
        let exposed: Vec<_> = exposed.collect();
        let database = Some(known.database()).filter(|path| path.symlink_metadata().is_ok());
        let database = database.iter().map(|path| check(path, &KNOWLEDGE));
        let stores = match documents::names(&known) {
            Ok(names) => names.iter().map(|name| documents::check(&known, name)).collect(),
            Err(error) => vec![Err(error)],
        };
        database.chain(stores).chain(exposed).collect()
    }

    /// Opens `knowledge.db`.
    pub(crate) fn open(&self) -> Result<Database, Error> {
        Database::open(&self.database(), &KNOWLEDGE)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use jiff::Timestamp;

    use super::*;
    use crate::{
        memory::{Memories, tests::Filter},
        notes::Notes,
    };

    const FIRST: Schema =
        Schema { migrations: &[&[selection::TABLES, notes::TABLES, memory::TABLES]], ..KNOWLEDGE };

    #[test]
    fn an_earlier_index_finds_other_forms_of_words_after_its_migration() {
        let dir = tempfile::tempdir().unwrap();
        let folder = KnowledgeFolder::at(dir.path());
        let mut first = Database::open(&folder.database(), &FIRST).unwrap();
        let file = folder.memories().join("tool_use/hang.md");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "---\nsummary: cargo test hangs without a server\n---\n").unwrap();
        let written = first.write(|change| {
            change.execute_batch(
                "INSERT INTO concepts (id, name, key) VALUES (7, 'Parsers', 'parsers');
                 INSERT INTO note_texts (text, silo, item) VALUES ('Parsers', 'concept', 7);
                 INSERT INTO memory_files (path, stamp, digest) VALUES ('tool_use/hang.md', 'x', x'00');
                 INSERT INTO memories (file, id, state, type, confidence, json)
                 VALUES (1, 'hang', 'active', 'tool_use', 5, '{}');
                 INSERT INTO memory_texts (rowid, text) VALUES (1, 'old');
                 INSERT INTO memory_uses (id, used) VALUES ('hang', '2026-01-01T00:00:00Z');",
            )
        });
        written.unwrap();
        drop(first);
        let found = Notes::open(&folder, &Filter).unwrap().search("a parser", 5).unwrap();
        assert_eq!(found.iter().map(|note| note.id).collect::<Vec<_>>(), [7]);
        let mut memories = Memories::open(&folder, &Filter).unwrap();
        assert_eq!(memories.all().unwrap()[0].content.summary, "cargo test hangs without a server");
        assert_eq!(memories.last_used("hang").unwrap(), "2026-01-01T00:00:00Z".parse::<Timestamp>().ok());
        assert!(folder.path().join("knowledge.db.format-1").exists());
    }

    #[test]
    fn an_empty_folder_is_made_once_and_is_private() {
        let dir = tempfile::tempdir().unwrap();
        let folder = KnowledgeFolder::at(dir.path().join("knowledge/key"));
        assert!(folder.begin().unwrap() && !folder.begin().unwrap() && folder.is_empty());
        assert!(folder.check().is_empty(), "it is private, and has no database");
        Memories::open(&folder, &Filter).unwrap();
        assert!(!folder.is_empty());
    }

    #[test]
    fn a_workspace_has_one_folder_by_whichever_name() {
        let dir = tempfile::tempdir().unwrap();
        let (root, link) = (dir.path().join("root"), dir.path().join("link"));
        fs::create_dir(&root).unwrap();
        symlink(&root, &link).unwrap();
        let of = |root: &Path| KnowledgeFolder::of_workspace(Path::new("/state"), root);
        assert_eq!(of(&root).unwrap(), of(&link).unwrap());
        assert_ne!(of(&root).unwrap(), of(dir.path()).unwrap());
        assert!(of(&dir.path().join("missing")).is_err());
    }
}
