//! Finding chunks: by words, by vectors, or by both.

use std::collections::{BTreeSet, HashMap};

use rusqlite::{OptionalExtension as _, Statement, Transaction};
use serde::Serialize;

use super::{DocumentError, DocumentStore};
use crate::{EmbedError, Embedder, Vector, embed_all, fts, identifiers};

/// The lowest cosine of a hit, in a session and everywhere else.
pub const MIN_SCORE: f32 = 0.3;

/// The number of hits that a query returns unless it says otherwise.
pub const TOP_K: usize = 5;

/// The most vectors that a query compares.
pub const MOST_VECTORS: usize = 100_000;

/// How many hits by words, and how many by vectors, are merged.
const CANDIDATES: usize = 50;

/// Dampens the difference between the first ranks of a list.
const RANK_OFFSET: f64 = 60.0;

/// The options of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueryOptions {
    /// The most hits. Default: [`TOP_K`].
    pub top_k: usize,
    /// The lowest cosine of a hit. Default: [`MIN_SCORE`]. Without vectors there is no threshold.
    pub min_score: f32,
}

impl Default for QueryOptions {
    fn default() -> Self {
        Self { top_k: TOP_K, min_score: MIN_SCORE }
    }
}

/// A chunk that a query found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hit {
    /// The id of the chunk.
    pub id: i64,
    /// The cosine, or without vectors b / (1 + b) where b is the absolute value of BM25; 1 for a chunk with an identifier
    /// that the query names.
    pub score: f32,
    /// The name of its source.
    pub source: String,
    /// The number of its first line, from 1.
    pub first_line: u64,
    /// The number of its last line.
    pub last_line: u64,
    /// The heading or symbol to which it belongs.
    pub label: Option<String>,
    /// Its text.
    pub content: String,
    /// The identifiers of works, people and organisations in it, such as `doi:10.1000/182`, sorted.
    pub tags: Vec<String>,
}

/// The result of a query.
#[derive(Debug, Default)]
pub struct Retrieved {
    /// The hits, the best first. With vectors, the order follows from the ranks in both lists.
    pub hits: Vec<Hit>,
    /// Whether the hits are those of full text alone.
    pub is_lexical: bool,
    /// The reason why there was no vector of the query, if the store has an embedder.
    pub failure: Option<EmbedError>,
}

impl DocumentStore {
    /// Returns the chunks that fit a text best. The caller has removed secrets from the text. Any text is a valid query. With vectors, 50 hits by words and 50 by
    /// cosine are merged by reciprocal rank. Without an embedder, or if it fails, the query uses words alone.
    ///
    /// # Errors
    ///
    /// Fails if the embedder is not the store's own, and if the database cannot be read.
    pub async fn query(
        &mut self,
        text: &str,
        options: QueryOptions,
        embedder: Option<&dyn Embedder>,
    ) -> Result<Retrieved, DocumentError> {
        let mut failure = None;
        let mut vector = None;
        if let Some(embedder) = embedder {
            self.accept(embedder)?;
            match embed_all(embedder, &[text]).await {
                Ok(found) => vector = found.into_iter().next(),
                Err(error) => failure = Some(error),
            }
        }
        let is_lexical = vector.is_none();
        let hits = self.database.read(|read| {
            let lexical = lexical(read, text)?;
            let ranked = match &vector {
                Some(vector) => merged(read, &lexical, vector, options.min_score)?,
                None => lexical,
            };
            let (mut chunk, mut tags) = (read.prepare(CHUNK)?, read.prepare(TAGS)?);
            let ranked = ranked.iter().take(options.top_k);
            ranked.map(|ranked| hit(&mut chunk, &mut tags, *ranked)).collect()
        })?;
        Ok(Retrieved { hits, is_lexical, failure })
    }
}

/// Returns the chunks with an identifier of the text, then the best hits by words, with their scores.
fn lexical(read: &Transaction<'_>, text: &str) -> rusqlite::Result<Vec<(i64, f32)>> {
    let mut found = tagged(read, text)?;
    let by_words = by_words(read, text)?;
    let new = by_words.into_iter().filter(|(id, _)| found.iter().all(|(tagged, _)| tagged != id));
    let new: Vec<_> = new.collect();
    found.extend(new);
    found.truncate(CANDIDATES);
    Ok(found)
}

/// Returns the chunks with an identifier that the text names.
fn tagged(read: &Transaction<'_>, text: &str) -> rusqlite::Result<Vec<(i64, f32)>> {
    let mut statement =
        read.prepare("SELECT chunk FROM tags WHERE identifier = ?1 ORDER BY chunk LIMIT ?2")?;
    let mut ids = BTreeSet::new();
    for found in identifiers::find(text).iter().take(CANDIDATES) {
        let values = (found.identifier.to_string(), CANDIDATES as i64);
        for id in statement.query_map(values, |row| row.get::<_, i64>(0))? {
            ids.insert(id?);
        }
    }
    Ok(ids.into_iter().map(|id| (id, 1.0)).collect())
}

fn by_words(read: &Transaction<'_>, text: &str) -> rusqlite::Result<Vec<(i64, f32)>> {
    let Some(query) = fts::query(text) else { return Ok(Vec::new()) };
    let mut statement = read.prepare(
        "SELECT rowid, bm25(chunk_texts) FROM chunk_texts WHERE chunk_texts MATCH ?1 ORDER BY rank, rowid LIMIT ?2",
    )?;
    let rows = statement.query_map((query, CANDIDATES as i64), |row| {
        let strength = row.get::<_, f64>(1)?.abs();
        Ok((row.get(0)?, (strength / (1.0 + strength)) as f32))
    })?;
    rows.collect()
}

/// Returns the best hits by cosine.
fn closest(read: &Transaction<'_>, vector: &Vector) -> rusqlite::Result<Vec<(i64, f32)>> {
    let mut statement = read.prepare("SELECT chunk, vector FROM vectors ORDER BY chunk LIMIT ?1")?;
    let mut rows = statement.query([MOST_VECTORS as i64])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let bytes = row.get_ref(1)?.as_blob().unwrap_or_default();
        found.push((row.get::<_, i64>(0)?, vector.cosine_of_bytes(bytes)));
    }
    let order = |left: &(i64, f32), right: &(i64, f32)| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0));
    if found.len() > CANDIDATES {
        found.select_nth_unstable_by(CANDIDATES, order);
        found.truncate(CANDIDATES);
    }
    found.sort_unstable_by(order);
    Ok(found)
}

/// Merges both lists by reciprocal rank, and drops hits below the threshold. The scores are cosines.
fn merged(
    read: &Transaction<'_>,
    lexical: &[(i64, f32)],
    vector: &Vector,
    min_score: f32,
) -> rusqlite::Result<Vec<(i64, f32)>> {
    let closest = closest(read, vector)?;
    let mut ranks: HashMap<i64, f64> = HashMap::new();
    for list in [lexical, &closest] {
        for (rank, (id, _)) in list.iter().enumerate() {
            *ranks.entry(*id).or_default() += 1.0 / (RANK_OFFSET + rank as f64 + 1.0);
        }
    }
    let mut cosines: HashMap<_, _> = closest.into_iter().collect();
    let mut statement = read.prepare("SELECT vector FROM vectors WHERE chunk = ?1")?;
    for (id, _) in lexical.iter().filter(|(id, _)| ranks.contains_key(id)) {
        if !cosines.contains_key(id) {
            let bytes = statement.query_row([id], |row| row.get::<_, Vec<u8>>(0)).optional()?;
            cosines.insert(*id, bytes.map_or(0.0, |bytes| vector.cosine_of_bytes(&bytes)));
        }
    }
    let mut merged: Vec<_> = ranks.into_iter().filter(|(id, _)| cosines[id] >= min_score).collect();
    merged.sort_unstable_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    Ok(merged.into_iter().map(|(id, _)| (id, cosines[&id])).collect())
}

const CHUNK: &str = "SELECT sources.name, chunks.first_line, chunks.last_line, chunks.label, chunks.content
                     FROM chunks JOIN sources ON sources.id = chunks.source WHERE chunks.id = ?1";

const TAGS: &str = "SELECT identifier FROM tags WHERE chunk = ?1 ORDER BY identifier";

fn hit(
    chunk: &mut Statement<'_>,
    tags: &mut Statement<'_>,
    (id, score): (i64, f32),
) -> rusqlite::Result<Hit> {
    let tags = tags.query_map([id], |row| row.get(0))?.collect::<Result<_, _>>()?;
    chunk.query_row([id], |row| {
        Ok(Hit {
            id,
            score,
            source: row.get(0)?,
            first_line: row.get::<_, i64>(1)?.unsigned_abs(),
            last_line: row.get::<_, i64>(2)?.unsigned_abs(),
            label: row.get(3)?,
            content: row.get(4)?,
            tags,
        })
    })
}
