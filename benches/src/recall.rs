//! Measures recall beside the SQL queries that it runs.

use std::{
    fs,
    hint::black_box,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use loop_knowledge::{
    HashedEmbedder, KnowledgeFolder,
    documents::DocumentStore,
    fts,
    memory::Memories,
    recall::{RecallEmbedders, RecallOptions, RecallSources, recall},
};
use rusqlite::Connection;
use tokio::runtime::Runtime;

use crate::{
    knowledge::{CHUNKS_PER_FILE, Documents, GOAL, NoSecrets, QUERY, bare_query},
    pairs::in_turn,
    table::{Row, Table},
};

const MEMORIES: usize = 1_000;
const CHUNKS: usize = 10_000;

/// The most seconds that recall may take.
const MOST_SECONDS: f64 = 0.01;

/// The queries of the index of memories: its files, those that are always recalled, and those with a word of the text.
const QUERIES: [&str; 2] = [
    "SELECT path, stamp, digest FROM memory_files",
    "SELECT json FROM memories WHERE type IN ('workspace_profile', 'project_fact')",
];
const BY_WORDS: &str = "SELECT json, bm25(memory_texts) FROM memory_texts \
                        JOIN memories ON memories.file = memory_texts.rowid WHERE memory_texts MATCH ?1";

pub(crate) fn measure(table: &mut Table, runtime: &Runtime) -> Result<()> {
    let documents = Documents::new(CHUNKS / CHUNKS_PER_FILE, CHUNKS_PER_FILE)?;
    let (_, mut store, place) = documents.ingest(runtime, Some(&HashedEmbedder))?;
    let folder = KnowledgeFolder::at(place.path());
    write_memories(&folder)?;
    // Memories reads files again that changed in the last two seconds.
    thread::sleep(Duration::from_secs(3));
    let mut memories = Memories::open(&folder, &NoSecrets)?;
    ensure!(memories.all()?.len() == MEMORIES, "not all memories were read");
    let index = Connection::open(folder.database())?;
    let chunks = Connection::open(folder.stores().join("docs.db"))?;
    let pairs = in_turn(
        || recalled(runtime, &mut memories, &mut store, documents.root()),
        || Ok(bare_queries(&index)? + bare_query(&chunks)?),
    )?;
    let what = format!("recall with {MEMORIES} memories and {CHUNKS} chunks");
    let note = format!("{:.1} ms over {:.1} ms", pairs.first.median * 1e3, pairs.second.median * 1e3);
    table.add(Row::new(format!("{what} / the queries that it runs"), pairs.ratio).at_most(GOAL).note(note));
    table.add(Row::new(format!("{what} / 10 ms"), pairs.first.times(1.0 / MOST_SECONDS)).at_most(1.0));
    Ok(())
}

/// Writes memories that all have a word of the text, as those of a person have many common words.
fn write_memories(folder: &KnowledgeFolder) -> Result<()> {
    let place = folder.memories().join("tool_use");
    fs::create_dir_all(&place)?;
    for number in 0..MEMORIES {
        let words: String = (0..40).map(|word| format!("word{} ", (number * 31 + word) % 5_000)).collect();
        let text = format!(
            "---\nsummary: \"word{number} does not follow\"\nkind: pitfall\nconfidence: 0.5\n\
             created: 2026-01-01T00:00:00Z\n---\n{words}\n"
        );
        fs::write(place.join(format!("{number:08x}.md")), text)?;
    }
    Ok(())
}

fn recalled(
    runtime: &Runtime,
    memories: &mut Memories<'_>,
    store: &mut DocumentStore,
    workspace: &Path,
) -> Result<Duration> {
    let began = Instant::now();
    let sources = RecallSources { memories, workspace, documents: Some(store), notes: None };
    let options = RecallOptions { budget_tokens: 4_096, ..RecallOptions::default() };
    let embedders = RecallEmbedders { memories: None, documents: Some(&HashedEmbedder) };
    let found = runtime.block_on(recall(QUERY, sources, embedders, options))?;
    let elapsed = began.elapsed();
    ensure!(found.failure.is_none() && found.items.len() > 5, "{} items were recalled", found.items.len());
    Ok(elapsed)
}

fn bare_queries(index: &Connection) -> Result<Duration> {
    let began = Instant::now();
    for query in QUERIES {
        let mut rows = index.prepare(query)?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            black_box(row.get_ref(0)?);
        }
    }
    let mut statement = index.prepare(BY_WORDS)?;
    let mut rows = statement.query([fts::query(QUERY).context("a query")?])?;
    let mut found = 0;
    while let Some(row) = rows.next()? {
        black_box((row.get_ref(0)?, row.get_ref(1)?));
        found += 1;
    }
    ensure!(found == MEMORIES, "{found} memories have a word of the text");
    Ok(began.elapsed())
}
