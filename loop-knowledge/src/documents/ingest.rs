//! Reading files into a store.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, mem,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Statement, Transaction};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::{Chunk, DocumentError, DocumentStore, SkipReason, sources};
use crate::{Embedder, SecretFilter, Vector, embed_all, fts, languages};

/// The number of chunks after which they are embedded and written. Each transaction costs a write to the disk.
const GROUP: usize = 256;

/// The version of the rules that make chunks from a text. A change makes the next ingest read all files again.
const RULES: &[u8] = b"1\0";

/// Reads files and folders into a store.
#[derive(Clone, Copy)]
pub struct Ingest<'a> {
    /// The workspace. Sources below it are named relative to it, others by their whole path.
    pub root: &'a Path,
    /// The files and folders to read.
    pub paths: &'a [PathBuf],
    /// Removes secrets before anything is stored.
    pub secrets: &'a dyn SecretFilter,
    /// The embedder, which must be the store's own. A store without an embedder needs none.
    pub embedder: Option<&'a dyn Embedder>,
    /// Whether to drop the sources below the paths that are gone, or that are passed over now.
    pub prune: bool,
    /// The present time.
    pub now: Timestamp,
}

/// The result of an ingest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct IngestReport {
    /// The number of sources that were added.
    pub added: u64,
    /// The number of sources that were replaced.
    pub changed: u64,
    /// The number of sources that were left alone, since they have the same contents.
    pub unchanged: u64,
    /// The number of sources that were dropped.
    pub dropped: u64,
    /// The number of chunks that were written.
    pub chunks: u64,
    /// The files and folders that were passed over, with the reason. Nothing below such a folder was looked at.
    pub skipped: BTreeMap<PathBuf, SkipReason>,
}

impl IngestReport {
    /// Returns how many files and folders were passed over for each reason.
    #[must_use]
    pub fn skipped_by_reason(&self) -> BTreeMap<SkipReason, u64> {
        let mut counts = BTreeMap::new();
        for reason in self.skipped.values() {
            *counts.entry(*reason).or_default() += 1;
        }
        counts
    }
}

impl fmt::Debug for Ingest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ingest").field("root", &self.root).field("paths", &self.paths).finish_non_exhaustive()
    }
}

/// A file that differs from the store.
struct Document {
    name: String,
    digest: Vec<u8>,
    text: String,
    language: &'static str,
    is_new: bool,
}

impl DocumentStore {
    /// Reads files and folders into the store. A source with the same contents is left alone. A changed source has
    /// either its old or its new chunks, even if the process is killed. In folders, files that are hidden, ignored by
    /// git, binary, secret or over 1 MiB are passed over.
    ///
    /// # Errors
    ///
    /// Fails if a path cannot be read, if the embedder is missing, fails or is not the store's own, and if the database
    /// cannot be written. Sources that were written before stay.
    pub async fn ingest(&mut self, ingest: Ingest<'_>) -> Result<IngestReport, DocumentError> {
        match ingest.embedder {
            Some(embedder) => self.accept(embedder)?,
            None if self.embedder().is_some() => return Err(self.needs_embedder()),
            None => {}
        }
        let root = ingest.root.canonicalize().unwrap_or_else(|_| ingest.root.to_owned());
        let found = sources::Sources::find(ingest.paths)?;
        let mut report = IngestReport { skipped: found.skipped, ..IngestReport::default() };
        let mut kept = BTreeSet::new();
        let mut group = Vec::new();
        let mut size = 0;
        for path in found.files {
            let name = name_of(&root, &path).ok_or(SkipReason::Unreadable);
            let read = name.and_then(|name| Ok((sources::read(&path, &name, ingest.secrets)?, name)));
            let (text, name) = match read {
                Ok(read) => read,
                Err(reason) => {
                    report.skipped.insert(path, reason);
                    continue;
                }
            };
            kept.insert(name.clone());
            let Some(document) = self.changed(&path, name, text)? else {
                report.unchanged += 1;
                continue;
            };
            size += document.text.len() / super::CHUNK_CHARACTERS + 1;
            group.push(document);
            if size >= GROUP {
                self.write(&mem::take(&mut group), &ingest, &mut report).await?;
                size = 0;
            }
        }
        self.write(&group, &ingest, &mut report).await?;
        if ingest.prune {
            report.dropped = self.prune(&root, &found.roots, &kept)?;
        }
        if report.changed + report.dropped > 0 {
            self.database.erase_deleted(&["chunk_texts"])?;
        }
        Ok(report)
    }

    /// Returns the document, unless the store has it as it is.
    fn changed(
        &mut self,
        path: &Path,
        name: String,
        text: String,
    ) -> Result<Option<Document>, DocumentError> {
        let digest = Sha256::new().chain_update(RULES).chain_update(&text).finalize().to_vec();
        let statement = "SELECT digest FROM sources WHERE name = ?1";
        let stored = self
            .database
            .read(|read| read.query_row(statement, [&name], |row| row.get::<_, Vec<u8>>(0)).optional())?;
        if stored.as_ref() == Some(&digest) {
            return Ok(None);
        }
        let language = languages::language(path, &text);
        Ok(Some(Document { name, digest, text, language, is_new: stored.is_none() }))
    }

    /// Embeds and writes a group of documents in one transaction.
    async fn write(
        &mut self,
        group: &[Document],
        ingest: &Ingest<'_>,
        report: &mut IngestReport,
    ) -> Result<(), DocumentError> {
        let chunks: Vec<_> =
            group.iter().map(|document| languages::chunks(&document.text, document.language)).collect();
        let texts: Vec<_> = chunks.iter().flatten().map(|chunk| chunk.text).collect();
        let vectors = match ingest.embedder {
            Some(embedder) => embed_all(embedder, &texts).await?,
            None => Vec::new(),
        };
        let now = ingest.now.to_string();
        self.database.write(|change| {
            let mut writer = Writer::new(change)?;
            let mut vectors = vectors.iter();
            for (document, chunks) in group.iter().zip(&chunks) {
                let source = writer.replace(document, &now)?;
                for chunk in chunks {
                    writer.insert(source, chunk, vectors.next())?;
                }
            }
            Ok(())
        })?;
        report.chunks += texts.len() as u64;
        report.added += group.iter().filter(|document| document.is_new).count() as u64;
        report.changed += group.iter().filter(|document| !document.is_new).count() as u64;
        Ok(())
    }

    /// Drops the sources below the roots that the ingest did not keep.
    fn prune(
        &mut self,
        root: &Path,
        roots: &[PathBuf],
        kept: &BTreeSet<String>,
    ) -> Result<u64, DocumentError> {
        let is_below = |name: &str| roots.iter().any(|named| root.join(name).starts_with(named));
        let dropped = self.database.write(|change| {
            let mut names = change.prepare("SELECT name FROM sources")?;
            let names: Vec<String> = names.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            let mut dropped = 0;
            for name in names.iter().filter(|name| !kept.contains(*name) && is_below(name)) {
                dropped += change.execute("DELETE FROM sources WHERE name = ?1", [name])?;
            }
            Ok(dropped)
        })?;
        Ok(dropped as u64)
    }
}

/// Returns the name of a source.
fn name_of(root: &Path, path: &Path) -> Option<String> {
    path.strip_prefix(root).unwrap_or(path).to_str().map(str::to_owned)
}

/// The statements that write a group, prepared once.
struct Writer<'a> {
    forget: Statement<'a>,
    source: Statement<'a>,
    chunk: Statement<'a>,
    text: Statement<'a>,
    vector: Statement<'a>,
}

impl<'a> Writer<'a> {
    fn new(change: &'a Transaction<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            forget: change
                .prepare("DELETE FROM chunks WHERE source = (SELECT id FROM sources WHERE name = ?1)")?,
            source: change.prepare(
                "INSERT INTO sources (name, digest, language, ingested) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (name) DO UPDATE SET digest = ?2, language = ?3, ingested = ?4 RETURNING id",
            )?,
            chunk: change.prepare(
                "INSERT INTO chunks (source, content, first_line, last_line, label) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?,
            text: change.prepare("INSERT INTO chunk_texts (rowid, text) VALUES (?1, ?2)")?,
            vector: change.prepare("INSERT INTO vectors (chunk, vector) VALUES (?1, ?2)")?,
        })
    }

    /// Removes the old chunks of a source, and returns its id.
    fn replace(&mut self, document: &Document, now: &str) -> rusqlite::Result<i64> {
        self.forget.execute([&document.name])?;
        let values = (&document.name, &document.digest, document.language, now);
        self.source.query_row(values, |row| row.get(0))
    }

    fn insert(&mut self, source: i64, chunk: &Chunk<'_>, vector: Option<&Vector>) -> rusqlite::Result<()> {
        let (first, last) = (chunk.first_line as i64, chunk.last_line as i64);
        let id = self.chunk.insert((source, chunk.text, first, last, &chunk.label))?;
        // The words of a heading count for each chunk below it.
        let label = chunk.label.as_deref().filter(|label| !chunk.text.contains(label)).unwrap_or_default();
        self.text.execute((id, fts::index_text(&format!("{label}\n{}", chunk.text))))?;
        if let Some(vector) = vector {
            self.vector.execute((id, vector.to_bytes()))?;
        }
        Ok(())
    }
}
