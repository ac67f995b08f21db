//! Reading files into a store.

use std::{
    collections::{BTreeSet, HashMap},
    fmt, mem,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Statement, Transaction};
use sha2::{Digest as _, Sha256};

use super::{
    Chunk, DocumentError, DocumentStore, IngestReport, PdfText, RemoteText, SkipReason, given::given_text,
    sources,
};
use crate::{BoxError, Embedder, SecretFilter, Vector, embed_all, fts, identifiers, languages};

/// The number of chunks after which they are embedded and written, so that a failure loses the work of few requests.
const EMBEDDED_CHUNKS: usize = 256;

/// The number of bytes of text after which documents without vectors are written. Each transaction costs writes to the
/// disk, and a merge of the full-text index. A larger one would keep other writers waiting.
const WRITTEN_BYTES: usize = 8 << 20;

/// The version of the rules that make chunks from a text. A change makes the next ingest read all files again.
const RULES: &[u8] = if cfg!(feature = "grammars") { b"3g\0" } else { b"3\0" };

/// Reads files, folders and texts from elsewhere into a store.
#[derive(Clone, Copy)]
pub struct Ingest<'a> {
    /// The workspace. Sources below it are named relative to it, others by their whole path.
    pub root: &'a Path,
    /// The files and folders to read.
    pub paths: &'a [PathBuf],
    /// Texts that the caller has read elsewhere, such as pages of servers.
    pub texts: &'a [RemoteText],
    /// Finds the text in files whose names end in `.pdf`. Without it, they are binary files like others.
    pub pdf: Option<&'a dyn PdfText>,
    /// Removes secrets before anything is stored.
    pub secrets: &'a dyn SecretFilter,
    /// The embedder, which must be the store's own. A store without an embedder needs none.
    pub embedder: Option<&'a dyn Embedder>,
    /// Whether to drop the sources below the paths that are gone, or that are passed over now. A path may then be gone
    /// itself, if the store has something of it.
    pub prune: bool,
    /// The present time.
    pub now: Timestamp,
}

impl fmt::Debug for Ingest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ingest").field("root", &self.root).field("paths", &self.paths).finish_non_exhaustive()
    }
}

/// A file that differs from the store.
struct Document {
    path: PathBuf,
    name: String,
    /// The digest in the store when the file was read.
    stored: Option<Vec<u8>>,
    digest: Vec<u8>,
    text: String,
    language: &'static str,
}

impl DocumentStore {
    /// Reads files and folders into the store. A source with the same contents is left alone. A changed source has
    /// either its old or its new chunks, even if the process is killed. In folders, files that are hidden, ignored by
    /// git, binary, secret or over 1 MiB are passed over. A source that is binary, secret or too large by now is dropped,
    /// since its old lines are gone.
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
        let found = sources::Sources::find(&root, ingest.paths, ingest.prune)?;
        self.expect_sources_below(&root, &found.gone)?;
        let mut report = IngestReport { skipped: found.skipped, ..IngestReport::default() };
        let mut kept = BTreeSet::new();
        let mut files = found.files;
        files.extend(ingest.texts.iter().map(|text| PathBuf::from(&text.address)));
        let group_bytes = match ingest.embedder {
            Some(_) => EMBEDDED_CHUNKS * super::CHUNK_CHARACTERS,
            None => WRITTEN_BYTES,
        };
        while !files.is_empty() {
            let mut stored = self.database.read(stored_digests)?;
            let (mut group, mut bytes) = (Vec::new(), 0);
            for path in mem::take(&mut files) {
                let given = given_text(&path, &ingest, &mut report).await;
                let read = read(&root, path, given, &ingest, &mut stored, &mut kept, &mut report);
                let Some(document) = read else { continue };
                bytes += document.text.len() + super::CHUNK_CHARACTERS;
                group.push(document);
                if bytes >= group_bytes {
                    files.extend(self.write(&mem::take(&mut group), &ingest, &mut report).await?);
                    bytes = 0;
                }
            }
            files.extend(self.write(&group, &ingest, &mut report).await?);
        }
        let is_below = |name: &str| found.roots.iter().any(|named| place_of(&root, name).starts_with(named));
        let is_replaced = |name: &str| {
            let reason = report.skipped.get(&place_of(&root, name));
            reason.is_some_and(|reason| reason.replaces_contents())
        };
        let is_gone = |name: &str| ingest.prune && !kept.contains(name) && is_below(name);
        let dropped = self.drop_sources(|name| is_replaced(name) || is_gone(name))?;
        report.dropped = dropped;
        if report.changed + report.dropped > 0 {
            self.database.erase_deleted(&["chunk_texts"])?;
            self.database.erase_copies()?;
        }
        Ok(report)
    }

    /// Refuses paths that are gone and of which the store has nothing: they may be misspelled.
    fn expect_sources_below(&mut self, root: &Path, gone: &[PathBuf]) -> Result<(), DocumentError> {
        let names = if gone.is_empty() { Vec::new() } else { self.database.read(source_names)? };
        for path in gone {
            if !names.iter().any(|name| place_of(root, name).starts_with(path)) {
                let source = "it is not there, and the store has nothing of it".into();
                return Err(DocumentError::Path { path: path.clone(), source });
            }
        }
        Ok(())
    }

    /// Embeds and writes a group of documents in one transaction. Returns the files that another process wrote in the
    /// meantime with other contents: one of the two has read an old text, so they are read again.
    async fn write(
        &mut self,
        group: &[Document],
        ingest: &Ingest<'_>,
        report: &mut IngestReport,
    ) -> Result<Vec<PathBuf>, DocumentError> {
        let chunks: Vec<_> =
            group.iter().map(|document| languages::chunks(&document.text, document.language)).collect();
        let all: Vec<_> = chunks.iter().flatten().collect();
        let indexed: Result<Vec<_>, _> = all.iter().map(|chunk| indexed(chunk, ingest.secrets)).collect();
        let root = || ingest.root.to_owned();
        let indexed = indexed.map_err(|source| DocumentError::Path { path: root(), source })?;
        let texts: Vec<_> = all.iter().map(|chunk| chunk.text).collect();
        let vectors = match ingest.embedder {
            Some(embedder) => embed_all(embedder, &texts).await?,
            None => Vec::new(),
        };
        let now = ingest.now.to_string();
        let (mut counted, mut again) = (report.clone(), Vec::new());
        self.database.write(|change| {
            let mut writer = Writer::new(change)?;
            let mut number = 0;
            let mut replaced = Vec::new();
            for (document, chunks) in group.iter().zip(&chunks) {
                let first = number;
                number += chunks.len();
                let stored = writer.digest(&document.name)?;
                if stored.as_ref() == Some(&document.digest) {
                    counted.unchanged += 1;
                } else if stored != document.stored {
                    again.push(document.path.clone());
                } else {
                    replaced.push((writer.replace(document, &now)?, first, chunks));
                    counted.chunks += chunks.len() as u64;
                    *if stored.is_none() { &mut counted.added } else { &mut counted.changed } += 1;
                }
            }
            // A statement with a trigger makes FTS5 write what it has, so all of them come before the texts.
            for (source, first, chunks) in replaced {
                for (number, chunk) in (first..).zip(chunks) {
                    writer.insert(source, chunk, &indexed[number], vectors.get(number))?;
                }
            }
            Ok(())
        })?;
        *report = counted;
        Ok(again)
    }

    fn drop_sources(&mut self, is_dropped: impl Fn(&str) -> bool) -> Result<u64, DocumentError> {
        let dropped = self.database.write(|change| {
            let mut dropped = 0;
            for name in source_names(change)?.iter().filter(|name| is_dropped(name)) {
                dropped += change.execute("DELETE FROM sources WHERE name = ?1", [name])?;
            }
            Ok(dropped)
        })?;
        Ok(dropped as u64)
    }
}

fn source_names(read: &Transaction<'_>) -> rusqlite::Result<Vec<String>> {
    let mut names = read.prepare("SELECT name FROM sources")?;
    names.query_map([], |row| row.get(0))?.collect()
}

fn stored_digests(read: &Transaction<'_>) -> rusqlite::Result<HashMap<String, Vec<u8>>> {
    let mut digests = read.prepare("SELECT name, digest FROM sources")?;
    digests.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// Reads a file, unless its text is given. Returns `None` if it is passed over, or if the store has it as it is.
fn read(
    root: &Path,
    path: PathBuf,
    given: Option<Result<String, SkipReason>>,
    ingest: &Ingest<'_>,
    stored: &mut HashMap<String, Vec<u8>>,
    kept: &mut BTreeSet<String>,
    report: &mut IngestReport,
) -> Option<Document> {
    let name = name_of(root, &path).ok_or(SkipReason::Unreadable);
    let read = name.and_then(|name| {
        let text = match given {
            Some(given) => sources::accepted(&given?, &name, ingest.secrets)?,
            None => sources::read(&path, &name, ingest.secrets)?,
        };
        Ok((text, name))
    });
    let (text, name) = match read {
        Ok(read) => read,
        Err(reason) => {
            report.skipped.insert(path, reason);
            return None;
        }
    };
    kept.insert(name.clone());
    let digest = Sha256::new().chain_update(RULES).chain_update(&text).finalize().to_vec();
    let stored = stored.remove(&name);
    if stored.as_ref() == Some(&digest) {
        report.unchanged += 1;
        return None;
    }
    let language = languages::language(&path, &text);
    Some(Document { path, name, stored, digest, text, language })
}

/// Returns the words of a chunk for the index. Those of a heading count for each chunk below it.
fn indexed(chunk: &Chunk<'_>, secrets: &dyn SecretFilter) -> Result<String, BoxError> {
    let label = chunk.label.as_deref().filter(|label| !chunk.text.contains(label)).unwrap_or_default();
    fts::indexed(&format!("{label}\n{}", chunk.text), secrets)
}

/// Returns the name of a source.
fn name_of(root: &Path, path: &Path) -> Option<String> {
    path.strip_prefix(root).unwrap_or(path).to_str().map(str::to_owned)
}

/// Returns the place of a source: a path, or an address as it is.
fn place_of(root: &Path, name: &str) -> PathBuf {
    if name.contains("://") { PathBuf::from(name) } else { root.join(name) }
}

/// The statements that write a group, prepared once.
struct Writer<'a> {
    digest: Statement<'a>,
    forget: Statement<'a>,
    source: Statement<'a>,
    chunk: Statement<'a>,
    text: Statement<'a>,
    vector: Statement<'a>,
    tag: Statement<'a>,
}

impl<'a> Writer<'a> {
    fn new(change: &'a Transaction<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            digest: change.prepare("SELECT digest FROM sources WHERE name = ?1")?,
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
            tag: change.prepare("INSERT OR IGNORE INTO tags (chunk, identifier) VALUES (?1, ?2)")?,
        })
    }

    /// Returns the digest of a source, if the store has it.
    fn digest(&mut self, name: &str) -> rusqlite::Result<Option<Vec<u8>>> {
        self.digest.query_row([name], |row| row.get(0)).optional()
    }

    /// Removes the old chunks of a source, and returns its id.
    fn replace(&mut self, document: &Document, now: &str) -> rusqlite::Result<i64> {
        if document.stored.is_some() {
            self.forget.execute([&document.name])?;
        }
        let values = (&document.name, &document.digest, document.language, now);
        self.source.query_row(values, |row| row.get(0))
    }

    fn insert(
        &mut self,
        source: i64,
        chunk: &Chunk<'_>,
        indexed: &str,
        vector: Option<&Vector>,
    ) -> rusqlite::Result<()> {
        let (first, last) = (chunk.first_line as i64, chunk.last_line as i64);
        let id = self.chunk.insert((source, chunk.text, first, last, &chunk.label))?;
        self.text.execute((id, indexed))?;
        if let Some(vector) = vector {
            self.vector.execute((id, vector.to_bytes()))?;
        }
        for found in identifiers::find(chunk.text) {
            self.tag.execute((id, found.identifier.to_string()))?;
        }
        Ok(())
    }
}
