mod ingest;
mod kill;
mod pdf;
mod query;
mod transactions;
mod word_forms;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use async_trait::async_trait;
use jiff::Timestamp;
use tempfile::TempDir;

use super::*;
use crate::{BoxError, Embedder, HashedEmbedder, KnowledgeFolder, SecretFilter};

const PLANTED: &str = "sk-planted-0123456789";

/// Knows one key, and one kind of file.
struct Filter;

impl SecretFilter for Filter {
    fn is_secret(&self, path: &Path) -> bool {
        path.extension().is_some_and(|extension| extension == "pem")
    }

    fn redact(&self, text: &str) -> Result<String, BoxError> {
        if text.contains("unknowable") {
            return Err("it cannot be known which words are secret".into());
        }
        Ok(text.replace(PLANTED, "[redacted]"))
    }
}

/// Fails while it is switched off, and records the texts that it got.
#[derive(Default)]
struct Switched {
    is_off: AtomicBool,
    calls: AtomicUsize,
}

#[async_trait]
impl Embedder for Switched {
    fn name(&self) -> &str {
        HashedEmbedder::NAME
    }

    fn length(&self) -> usize {
        HashedEmbedder.length()
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, BoxError> {
        assert!(texts.iter().all(|text| !text.contains(PLANTED)), "no key is embedded");
        // A large file needs several calls.
        let calls = self.calls.fetch_add(1, Ordering::Relaxed);
        if self.is_off.load(Ordering::Relaxed) && calls > 0 {
            return Err("the server is gone".into());
        }
        HashedEmbedder.embed(texts).await
    }
}

struct Fixture {
    dir: TempDir,
    folder: KnowledgeFolder,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("project")).unwrap();
        let folder = KnowledgeFolder::at(dir.path().join("knowledge"));
        Self { dir, folder }
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("project").canonicalize().unwrap()
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    fn store(&self, embedder: Option<&dyn Embedder>) -> DocumentStore {
        DocumentStore::create(&self.folder, "docs", embedder.map(EmbedderId::of), Timestamp::UNIX_EPOCH)
            .unwrap()
    }

    async fn ingest(
        &self,
        store: &mut DocumentStore,
        embedder: Option<&dyn Embedder>,
        prune: bool,
    ) -> Result<IngestReport, DocumentError> {
        let root = self.root();
        let paths = [root.clone()];
        store.ingest(Ingest { embedder, prune, ..request(&root, &paths) }).await
    }
}

/// Reads these paths without an embedder, and prunes nothing.
fn request<'a>(root: &'a Path, paths: &'a [PathBuf]) -> Ingest<'a> {
    let now = Timestamp::UNIX_EPOCH;
    Ingest { root, paths, texts: &[], pdf: None, secrets: &Filter, embedder: None, prune: false, now }
}

/// Returns the chunks of a source, in order.
fn contents(store: &mut DocumentStore, source: &str) -> Vec<String> {
    let statement = "SELECT content FROM chunks JOIN sources ON sources.id = chunks.source WHERE name = ?1 ORDER BY chunks.id";
    let read = store.database.read(|read| {
        read.prepare(statement)?.query_map([source], |row| row.get(0))?.collect::<Result<_, _>>()
    });
    read.unwrap()
}

/// Checks that the texts and the vectors of the index are those of the chunks.
fn check_index(store: &mut DocumentStore) {
    let counts = store.database.read(|read| {
        let count = |query: &str| read.query_row(query, [], |row| row.get::<_, i64>(0));
        Ok([
            count("SELECT count(*) FROM chunks")?,
            count("SELECT count(*) FROM chunk_texts")?,
            count("SELECT count(*) FROM chunks JOIN chunk_texts ON chunk_texts.rowid = chunks.id")?,
        ])
    });
    let [chunks, texts, joined] = counts.unwrap();
    assert_eq!((chunks, chunks), (texts, joined));
    let vectors = store.database.read(|read| {
        read.query_row("SELECT count(*) FROM vectors JOIN chunks ON chunks.id = vectors.chunk", [], |row| {
            row.get::<_, i64>(0)
        })
    });
    let expected = if store.embedder().is_some() { chunks } else { 0 };
    assert_eq!(vectors.unwrap(), expected);
}
