//! The store that a workspace uses.

use rusqlite::OptionalExtension as _;
use serde::Serialize;

use crate::{Error, KnowledgeFolder};

/// The table in `knowledge.db`.
pub(crate) const TABLES: &str = include_str!("selection.sql");

/// The store that a workspace uses, and whether its hits are added to prompts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Selection {
    /// The name of the store in use.
    pub store: Option<String>,
    /// Whether hits are added to prompts. Default: no.
    pub is_on: bool,
}

impl Selection {
    /// Reads the selection. Without a database it is the default, and no file is created.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    pub fn load(folder: &KnowledgeFolder) -> Result<Self, Error> {
        if !folder.database().exists() {
            return Ok(Self::default());
        }
        folder.open()?.read(|read| {
            let row = read.query_row("SELECT store, is_on FROM retrieval", [], |row| {
                Ok(Self { store: row.get(0)?, is_on: row.get(1)? })
            });
            Ok(row.optional()?.unwrap_or_default())
        })
    }

    /// Stores the selection.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be written.
    pub fn save(&self, folder: &KnowledgeFolder) -> Result<(), Error> {
        let statement = "INSERT OR REPLACE INTO retrieval (only, store, is_on) VALUES (1, ?1, ?2)";
        folder.open()?.write(|change| change.execute(statement, (&self.store, self.is_on))).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_is_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let folder = KnowledgeFolder::at(folder.path().join("knowledge"));
        assert_eq!(Selection::load(&folder).unwrap(), Selection::default());
        assert!(!folder.path().exists());
        for selection in [
            Selection { store: Some("docs".to_owned()), is_on: true },
            Selection { store: None, is_on: false },
        ] {
            selection.save(&folder).unwrap();
            assert_eq!(Selection::load(&folder).unwrap(), selection);
        }
    }
}
