//! Measures an ingest beside reading and tokenising the same files, and a query beside the bare SQL query and one pass
//! over all vectors. Then measures `recall`.

use std::{
    fs,
    hint::black_box,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use jiff::Timestamp;
use loop_knowledge::{
    BoxError, Embedder, HashedEmbedder, KnowledgeFolder, SecretFilter,
    documents::{DocumentStore, EmbedderId, Ingest, QueryOptions},
    fts,
};
use rusqlite::Connection;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

use crate::{
    pairs::in_turn,
    recall,
    table::{Row, Table},
};

/// The number of files that are read, each with a few chunks.
const FILES: usize = 10_000;
const PARAGRAPHS: usize = 4;

/// The number of chunks that are searched, and how many are in each file.
const CHUNKS: usize = 100_000;
pub(crate) const CHUNKS_PER_FILE: usize = 1_000;

/// The most that both may take of their floors.
pub(crate) const GOAL: f64 = 3.0;

/// The text that is searched.
pub(crate) const QUERY: &str = "why does word17 follow word4711?";

/// Runs the measurements.
///
/// # Errors
/// If an ingest or a query fails, or did not do the measured work.
pub fn measure(table: &mut Table) -> Result<()> {
    let runtime = Builder::new_current_thread().build()?;
    let folder = Documents::new(FILES, PARAGRAPHS)?;
    let pairs = in_turn(|| folder.ingest(&runtime, None).map(|done| done.0), || folder.tokenise())?;
    let what = format!("ingest of {FILES} files / reading and tokenising them");
    let note = format!("{:.1} s over {:.1} s", pairs.first.median, pairs.second.median);
    table.add(Row::new(what, pairs.ratio).at_most(GOAL).note(note));

    let folder = Documents::new(CHUNKS / CHUNKS_PER_FILE, CHUNKS_PER_FILE)?;
    let (_, mut store, place) = folder.ingest(&runtime, Some(&HashedEmbedder))?;
    let chunks = store.status()?.chunks;
    ensure!(chunks as usize == CHUNKS, "{chunks} chunks instead of {CHUNKS}");
    let floor = Connection::open(KnowledgeFolder::at(place.path()).stores().join("docs.db"))?;
    let pairs = in_turn(|| query(&runtime, &mut store), || bare_query(&floor))?;
    let what = format!("query of {CHUNKS} chunks / the bare SQL query and one pass over all vectors");
    let note = format!("{:.1} ms over {:.1} ms", pairs.first.median * 1e3, pairs.second.median * 1e3);
    table.add(Row::new(what, pairs.ratio).at_most(GOAL).note(note));
    recall::measure(table, &runtime)
}

/// Knows no secrets.
pub(crate) struct NoSecrets;

impl SecretFilter for NoSecrets {
    fn is_secret(&self, _: &Path) -> bool {
        false
    }

    fn redact(&self, text: &str) -> Result<String, BoxError> {
        Ok(text.to_owned())
    }
}

/// A folder of files, whose paragraphs have the length of a chunk.
pub(crate) struct Documents {
    files: Vec<PathBuf>,
    folder: TempDir,
}

impl Documents {
    pub(crate) fn new(files: usize, paragraphs: usize) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let path = |number| folder.path().join(format!("{number}.txt"));
        let files: Vec<_> = (0..files).map(path).collect();
        for (number, file) in files.iter().enumerate() {
            let paragraph = |part: usize| {
                let first = number * 7 + part * 60;
                let words: String =
                    (first..first + 45).map(|word| format!("word{} ", word % 5_000)).collect();
                format!("{words}\n\n")
            };
            fs::write(file, (0..paragraphs).map(paragraph).collect::<String>())?;
        }
        Ok(Self { files, folder })
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Reads all files into a new store.
    pub(crate) fn ingest(
        &self,
        runtime: &Runtime,
        embedder: Option<&dyn Embedder>,
    ) -> Result<(Duration, DocumentStore, TempDir)> {
        let place = tempfile::tempdir()?;
        let (root, now) = (self.folder.path(), Timestamp::UNIX_EPOCH);
        let known = KnowledgeFolder::at(place.path());
        let mut store = DocumentStore::create(&known, "docs", embedder.map(EmbedderId::of), now)?;
        let paths = [root.to_owned()];
        let began = Instant::now();
        let ingest = Ingest {
            root,
            paths: &paths,
            texts: &[],
            pdf: None,
            secrets: &NoSecrets,
            embedder,
            prune: false,
            now,
        };
        let report = runtime.block_on(store.ingest(ingest))?;
        let elapsed = began.elapsed();
        ensure!(report.added as usize == self.files.len(), "{} files were read", report.added);
        Ok((elapsed, store, place))
    }

    /// Reads all files into a full-text index in memory, with the tokenizer of the store.
    fn tokenise(&self) -> Result<Duration> {
        let began = Instant::now();
        let index = Connection::open_in_memory()?;
        let tokenizer = "porter unicode61 remove_diacritics 2";
        let table =
            format!("CREATE VIRTUAL TABLE texts USING fts5(text, content = '', tokenize = '{tokenizer}')");
        index.execute_batch(&format!("{table}; BEGIN"))?;
        let mut insert = index.prepare("INSERT INTO texts (text) VALUES (?1)")?;
        for file in &self.files {
            insert.execute([fs::read_to_string(file)?])?;
        }
        index.execute_batch("COMMIT")?;
        Ok(began.elapsed())
    }
}

fn query(runtime: &Runtime, store: &mut DocumentStore) -> Result<Duration> {
    let began = Instant::now();
    let found = runtime.block_on(store.query(QUERY, QueryOptions::default(), Some(&HashedEmbedder)))?;
    let elapsed = began.elapsed();
    ensure!(!found.is_lexical, "the query had no vector");
    black_box(found);
    Ok(elapsed)
}

/// Makes the full-text query of the store, and multiplies each of its vectors with another.
pub(crate) fn bare_query(store: &Connection) -> Result<Duration> {
    let began = Instant::now();
    let query = fts::query(QUERY).context("a query")?;
    let mut best =
        store.prepare("SELECT rowid FROM chunk_texts WHERE chunk_texts MATCH ?1 ORDER BY rank LIMIT 50")?;
    let hits: Vec<i64> = best.query_map([query], |row| row.get(0))?.collect::<Result<_, _>>()?;
    ensure!(!hits.is_empty(), "nothing was found");
    let mut vectors = store.prepare("SELECT vector FROM vectors")?;
    let mut rows = vectors.query([])?;
    let mut sum = 0.0;
    while let Some(row) = rows.next()? {
        let (values, _) = row.get_ref(0)?.as_blob()?.as_chunks::<4>();
        sum += values.iter().map(|value| f32::from_le_bytes(*value) * 0.5).sum::<f32>();
    }
    black_box(sum);
    Ok(began.elapsed())
}
