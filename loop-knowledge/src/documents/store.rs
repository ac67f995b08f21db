//! A store of documents: one database with an embedder of its own.

use std::{fs, io::ErrorKind, path::PathBuf};

use jiff::Timestamp;
use rusqlite::OptionalExtension as _;
use serde::{Serialize, Serializer};

use super::DocumentError;
use crate::{
    Embedder, Error, KnowledgeFolder,
    store::{self, Database, Health, Schema},
};

pub(super) const SCHEMA: Schema = Schema {
    mark: 0x6c6b_646f,
    migrations: &[
        &[include_str!("tables.sql")],
        &[include_str!("word_forms.sql")],
        &[include_str!("tags.sql")],
    ],
    is_durable: false,
};

/// The embedder of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EmbedderId {
    /// Its name.
    pub name: String,
    /// The number of values of its vectors.
    pub length: usize,
}

impl EmbedderId {
    /// Returns the name and length of an embedder.
    #[must_use]
    pub fn of(embedder: &dyn Embedder) -> Self {
        Self { name: embedder.name().to_owned(), length: embedder.length() }
    }

    fn described(this: Option<&Self>) -> String {
        this.map_or_else(
            || "no embedder".to_owned(),
            |embedder| format!("`{}` (length {})", embedder.name, embedder.length),
        )
    }
}

/// The facts about a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoreStatus {
    /// Its name.
    pub name: String,
    /// Its embedder, or `None` if it has full text alone.
    pub embedder: Option<EmbedderId>,
    /// The time of its creation.
    #[serde(serialize_with = "as_text")]
    pub created: Timestamp,
    /// The number of sources.
    pub sources: u64,
    /// The number of chunks.
    pub chunks: u64,
}

fn as_text<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(time)
}

/// A store of documents. Its embedder, or that it has none, is settled when it is created.
#[derive(Debug)]
pub struct DocumentStore {
    pub(super) database: Database,
    name: String,
    embedder: Option<EmbedderId>,
    created: Timestamp,
}

impl DocumentStore {
    /// Creates a store. Without an embedder it finds documents by full text alone.
    ///
    /// # Errors
    ///
    /// Fails if the name cannot be used, and if there is such a store.
    pub fn create(
        folder: &KnowledgeFolder,
        name: &str,
        embedder: Option<EmbedderId>,
        now: Timestamp,
    ) -> Result<Self, DocumentError> {
        let mut database = Database::open(&path(folder, name)?, &SCHEMA)?;
        let length = embedder.as_ref().map_or(0, |embedder| embedder.length);
        let statement =
            "INSERT OR IGNORE INTO store (only, embedder, length, created) VALUES (1, ?1, ?2, ?3)";
        let values = (embedder.as_ref().map(|embedder| &embedder.name), length as i64, now.to_string());
        if database.write(|change| change.execute(statement, values))? == 0 {
            return Err(DocumentError::Exists(name.to_owned()));
        }
        Ok(Self { database, name: name.to_owned(), embedder, created: now })
    }

    /// Opens a store.
    ///
    /// # Errors
    ///
    /// Fails if there is no such store, and if its database cannot be used.
    pub fn open(folder: &KnowledgeFolder, name: &str) -> Result<Self, DocumentError> {
        let path = path(folder, name)?;
        let missing = || DocumentError::NoStore(name.to_owned());
        if path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            return Err(missing());
        }
        let mut database = Database::open(&path, &SCHEMA)?;
        let row = database.read(|read| {
            let row = read.query_row("SELECT embedder, length, created FROM store", [], |row| {
                Ok((row.get::<_, Option<String>>(0)?, row.get::<_, i64>(1)?, row.get::<_, String>(2)?))
            });
            row.optional()
        })?;
        // A process that was killed in `create` leaves no row.
        let (embedder, length, created) = row.ok_or_else(missing)?;
        let damaged = |why: &str| Error::Damaged { path: path.clone(), why: why.to_owned() };
        let created = created.parse().map_err(|_| damaged("its creation time is not a time"))?;
        let length = usize::try_from(length).map_err(|_| damaged("the length of its vectors is negative"))?;
        let embedder = embedder.map(|name| EmbedderId { name, length });
        Ok(Self { database, name: name.to_owned(), embedder, created })
    }

    /// Returns the names of all stores, sorted.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be read.
    pub fn names(folder: &KnowledgeFolder) -> Result<Vec<String>, DocumentError> {
        Ok(names(folder)?)
    }

    /// Deletes a store, also a damaged one.
    ///
    /// # Errors
    ///
    /// Fails if there is no such store, and if a file cannot be deleted.
    pub fn delete(folder: &KnowledgeFolder, name: &str) -> Result<(), DocumentError> {
        let path = path(folder, name)?;
        let mut is_found = false;
        // The database last: without it, changes that are left in its log would count as damage.
        let copies = (1..SCHEMA.format()).map(store::copy_suffix);
        for suffix in copies.chain(["-wal", "-shm", ""].map(str::to_owned)) {
            let file = path.with_file_name(format!("{name}.db{suffix}"));
            match fs::remove_file(&file) {
                Ok(()) => is_found = true,
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(Error::file(&file)(error).into()),
            }
        }
        if is_found { Ok(()) } else { Err(DocumentError::NoStore(name.to_owned())) }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its embedder, or `None` if it has full text alone.
    #[must_use]
    pub const fn embedder(&self) -> Option<&EmbedderId> {
        self.embedder.as_ref()
    }

    /// Returns the facts about the store.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    pub fn status(&mut self) -> Result<StoreStatus, DocumentError> {
        let (sources, chunks) = self.database.read(|read| {
            let count = |table: &str| {
                read.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0))
            };
            Ok((count("sources")?, count("chunks")?))
        })?;
        let (name, embedder) = (self.name.clone(), self.embedder.clone());
        let (sources, chunks) = (sources.unsigned_abs(), chunks.unsigned_abs());
        Ok(StoreStatus { name, embedder, created: self.created, sources, chunks })
    }

    /// Refuses an embedder that is not the store's own.
    pub(super) fn accept(&self, embedder: &dyn Embedder) -> Result<(), DocumentError> {
        let given = EmbedderId::of(embedder);
        if self.embedder.as_ref() == Some(&given) {
            return Ok(());
        }
        Err(DocumentError::OtherEmbedder {
            store: self.name.clone(),
            own: EmbedderId::described(self.embedder.as_ref()),
            given: EmbedderId::described(Some(&given)),
        })
    }

    /// Returns the error for a missing embedder.
    pub(super) fn needs_embedder(&self) -> DocumentError {
        let own = EmbedderId::described(self.embedder.as_ref());
        DocumentError::NoEmbedder { store: self.name.clone(), own }
    }
}

/// Returns the names of all stores, sorted.
pub(crate) fn names(folder: &KnowledgeFolder) -> Result<Vec<String>, Error> {
    let stores = folder.stores();
    let entries = match fs::read_dir(&stores) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(Error::file(&stores))?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(Error::file(&stores))?.file_name();
        let name = name.to_str().and_then(|name| name.strip_suffix(".db"));
        names.extend(name.filter(|name| is_name(name)).map(str::to_owned));
    }
    names.sort_unstable();
    Ok(names)
}

/// Checks the database of a store, whose name is one of [`names`].
pub(crate) fn check(folder: &KnowledgeFolder, name: &str) -> Result<Health, Error> {
    store::check(&folder.stores().join(format!("{name}.db")), &SCHEMA)
}

fn is_name(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=64).contains(&name.len()) && name.bytes().all(is_letter)
}

fn path(folder: &KnowledgeFolder, name: &str) -> Result<PathBuf, DocumentError> {
    if !is_name(name) {
        return Err(DocumentError::Name(name.to_owned()));
    }
    Ok(folder.stores().join(format!("{name}.db")))
}
