//! The memories that recall considers.

use std::{cmp::Ordering, collections::HashSet, path::Path};

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Transaction};

use super::{Memories, Memory, MemoryError, MemoryState, MemoryType, index, profile, scope};
use crate::{EmbedError, Embedder, Error, embed_all, fts};

/// The condition for a memory that recall may return. A file that is about to be archived does not count.
const IS_RECALLED: &str = "state = 'active' AND confidence > 2";

/// Experiences that fit a query.
#[derive(Debug, Default)]
pub(crate) struct Experiences {
    /// The experiences with their scores, the best first.
    pub(crate) found: Vec<(Memory, f64)>,
    /// The reason why vectors were not used, if there is an embedder.
    pub(crate) failure: Option<EmbedError>,
}

/// A row of the index with the similarity of its text.
struct Candidate {
    memory: Memory,
    score: f64,
}

impl Memories<'_> {
    /// Returns the profile and then the facts, each the newest first.
    pub(crate) fn profile_and_facts(&mut self) -> Result<Vec<Memory>, MemoryError> {
        self.synchronise()?;
        let statement = format!(
            "SELECT json FROM memories WHERE type IN ('workspace_profile', 'project_fact') AND {IS_RECALLED}"
        );
        let mut found = self.database.read(|read| {
            let mut statement = read.prepare(&statement)?;
            let rows = statement.query_map([], |row| index::memory(row.get_ref(0)?.as_str()?))?;
            rows.collect::<Result<Vec<Memory>, _>>()
        })?;
        found.sort_by(|left, right| {
            let key = |memory: &Memory| memory.content.memory_type;
            let newest_first = right.created.cmp(&left.created);
            key(left).cmp(&key(right)).then(newest_first).then_with(|| left.id.cmp(&right.id))
        });
        found.retain(|memory| !is_unedited_profile(memory));
        Ok(found)
    }

    /// Returns at most `top_k` experiences: those with words of the query, then those with a similar vector.
    pub(crate) async fn experiences(
        &mut self,
        query: &str,
        top_k: usize,
        workspace: &Path,
        embedder: Option<&dyn Embedder>,
    ) -> Result<Experiences, MemoryError> {
        self.synchronise()?;
        let lexical = self.database.read(|read| by_words(read, query))?;
        let mut found = Experiences { found: chosen(lexical, top_k, workspace, &[]), failure: None };
        if let Some(embedder) = embedder.filter(|_| found.found.len() < top_k) {
            let known: Vec<_> = found.found.iter().map(|(memory, _)| memory.id.clone()).collect();
            match self.by_vector(query, embedder).await {
                Ok(similar) => {
                    let room = top_k - found.found.len();
                    found.found.extend(chosen(similar, room, workspace, &known));
                }
                Err(MemoryError::Embed(error)) => found.failure = Some(error),
                Err(error) => return Err(error),
            }
        }
        found.found.sort_by(|left, right| best_first((&left.0, left.1), (&right.0, right.1)));
        Ok(found)
    }

    /// Compares all vectors of experiences. Computes those that are missing.
    async fn by_vector(
        &mut self,
        query: &str,
        embedder: &dyn Embedder,
    ) -> Result<Vec<Candidate>, MemoryError> {
        self.add_vectors(embedder).await?;
        let Some(vector) = embed_all(embedder, &[query]).await?.pop() else { return Ok(Vec::new()) };
        let statement = format!(
            "SELECT json, vector FROM memories JOIN memory_vectors USING (file)
             WHERE embedder = ?1 AND type NOT IN ('workspace_profile', 'project_fact') AND {IS_RECALLED}"
        );
        let found = self.database.read(|read| {
            let mut statement = read.prepare(&statement)?;
            let rows = statement.query_map([embedder.name()], |row| {
                let similarity = vector.cosine_of_bytes(row.get_ref(1)?.as_blob()?);
                let memory = index::memory(row.get_ref(0)?.as_str()?)?;
                Ok(Candidate { score: f64::from(similarity) * memory.confidence.as_f64(), memory })
            })?;
            rows.collect::<Result<Vec<_>, _>>()
        })?;
        Ok(found)
    }

    /// Computes the vectors that are missing, or that are of another embedder.
    pub(super) async fn add_vectors(&mut self, embedder: &dyn Embedder) -> Result<(), MemoryError> {
        let missing = self.database.read(|read| {
            let mut statement = read.prepare(
                "SELECT memories.file, json FROM memories
                 LEFT JOIN memory_vectors ON memory_vectors.file = memories.file AND embedder = ?1
                 WHERE vector IS NULL",
            )?;
            let rows = statement.query_map([embedder.name()], |row| {
                Ok((row.get::<_, i64>(0)?, index::memory(row.get_ref(1)?.as_str()?)?.content.text()))
            })?;
            rows.collect::<Result<Vec<_>, _>>()
        })?;
        if missing.is_empty() {
            return Ok(());
        }
        let texts: Vec<_> = missing.iter().map(|(_, text)| text.as_str()).collect();
        let vectors = embed_all(embedder, &texts).await?;
        self.database.write(|change| {
            // The memory may be gone by now.
            let mut statement = change.prepare(
                "INSERT OR REPLACE INTO memory_vectors (file, embedder, vector)
                 SELECT file, ?2, ?3 FROM memories WHERE file = ?1",
            )?;
            missing.iter().zip(&vectors).try_for_each(|((file, _), vector)| {
                statement.execute((file, embedder.name(), vector.to_bytes())).map(drop)
            })
        })?;
        Ok(())
    }

    /// Stores that these memories were used.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be written.
    pub fn mark_used<'i>(
        &mut self,
        ids: impl IntoIterator<Item = &'i str>,
        now: Timestamp,
    ) -> Result<(), MemoryError> {
        let ids: Vec<_> = ids.into_iter().collect();
        if ids.is_empty() {
            return Ok(());
        }
        let statement = "INSERT OR REPLACE INTO memory_uses (id, used) VALUES (?1, ?2)";
        let now = now.to_string();
        let write = |change: &Transaction<'_>| {
            ids.iter().try_for_each(|id| change.execute(statement, (id, &now)).map(drop))
        };
        Ok(self.database.write(write)?)
    }

    /// Returns when a memory was last recalled for a session or a run, if the database knows it.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    pub fn last_used(&mut self, id: &str) -> Result<Option<Timestamp>, MemoryError> {
        let statement = "SELECT used FROM memory_uses WHERE id = ?1";
        let used: Result<Option<String>, Error> =
            self.database.read(|read| read.query_row(statement, [id], |row| row.get(0)).optional());
        Ok(used?.and_then(|time| time.parse().ok()))
    }
}

/// Returns all experiences with a word of the query.
fn by_words(read: &Transaction<'_>, query: &str) -> rusqlite::Result<Vec<Candidate>> {
    let Some(query) = fts::query(query) else { return Ok(Vec::new()) };
    let mut statement = read.prepare(&format!(
        "SELECT json, bm25(memory_texts) FROM memory_texts JOIN memories ON memories.file = memory_texts.rowid
         WHERE memory_texts MATCH ?1 AND type NOT IN ('workspace_profile', 'project_fact') AND {IS_RECALLED}"
    ))?;
    let rows = statement.query_map([query], |row| {
        let memory = index::memory(row.get_ref(0)?.as_str()?)?;
        let strength = row.get::<_, f64>(1)?.abs();
        Ok(Candidate { score: strength / (1.0 + strength) * memory.confidence.as_f64(), memory })
    })?;
    rows.collect()
}

/// Returns the best candidates that apply to the workspace and are not known. It looks at the files of the workspace
/// only if that decides.
fn chosen(
    mut candidates: Vec<Candidate>,
    most: usize,
    workspace: &Path,
    known: &[String],
) -> Vec<(Memory, f64)> {
    candidates.retain(|candidate| candidate.score > 0.0 && !known.contains(&candidate.memory.id));
    candidates.sort_by(|left, right| best_first((&left.memory, left.score), (&right.memory, right.score)));
    let globs = |candidate: &Candidate| !candidate.memory.content.applies_to.is_empty();
    let matching = if candidates.iter().take(most).any(globs) {
        let lists: Vec<_> =
            candidates.iter().map(|found| found.memory.content.applies_to.as_slice()).collect();
        scope::matching(workspace, &lists)
    } else {
        HashSet::new()
    };
    let applies = |(at, candidate): &(usize, Candidate)| !globs(candidate) || matching.contains(at);
    let chosen = candidates.into_iter().enumerate().filter(applies).take(most);
    chosen.map(|(_, candidate)| (candidate.memory, candidate.score)).collect()
}

fn best_first(left: (&Memory, f64), right: (&Memory, f64)) -> Ordering {
    right.1.total_cmp(&left.1).then_with(|| left.0.id.cmp(&right.0.id))
}

/// A template that nobody filled in has nothing to say.
fn is_unedited_profile(memory: &Memory) -> bool {
    let is_heading = |line: &str| line.trim().is_empty() || line.starts_with('#');
    debug_assert_eq!(memory.state, MemoryState::Active);
    memory.content.memory_type == MemoryType::WorkspaceProfile
        && (!memory.content.body.is_empty() || memory.content.summary == profile::SUMMARY)
        && memory.content.body.lines().all(is_heading)
}
