//! The proposals in a model's reply, and what is wrong with them.

use std::collections::BTreeSet;

use rusqlite::Transaction;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    super::{
        BODY_BYTES, Memories, Memory, MemoryError, MemoryKind, MemoryType, NewMemory, SUMMARY_CHARACTERS,
    },
    SPEAKERS, json as read_json,
};
use crate::{Embedder, Vector, embed_all, fts};

/// The most proposals of one reply.
pub const MOST_PROPOSALS: usize = 5;

/// The fewest words of a quote, unless it is long enough.
const LEAST_WORDS: usize = 3;

/// The fewest letters of a quote with fewer words.
const LEAST_LETTERS: usize = 12;

/// Texts of this cosine say the same.
const SAME: f32 = 0.9;

/// The numbers of dropped proposals by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Dropped {
    /// They break the schema, or there were too many.
    pub schema: usize,
    /// They repeat a memory, also one that was archived or rejected.
    pub duplicates: usize,
    /// They quote words that are not in the text.
    pub quotes: usize,
}

impl Dropped {
    /// Returns the number of all.
    #[must_use]
    pub const fn total(self) -> usize {
        self.schema + self.duplicates + self.quotes
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Proposal {
    #[serde(rename = "type")]
    memory_type: MemoryType,
    kind: MemoryKind,
    summary: String,
    body: String,
    quote: String,
}

/// Returns the JSON schema of a reply. The profile of a workspace is not among the types: a person writes it.
#[must_use]
pub fn schema() -> Value {
    let types = MemoryType::ALL.iter().filter(|memory_type| **memory_type != MemoryType::WorkspaceProfile);
    let types: Vec<_> = types.map(|memory_type| memory_type.as_str()).collect();
    let kinds: Vec<_> = MemoryKind::ALL.iter().map(|kind| kind.as_str()).collect();
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["proposals"],
        "properties": { "proposals": {
            "type": "array",
            "maxItems": MOST_PROPOSALS,
            "items": {
                "type": "object",
                "additionalProperties": false,
                "required": ["type", "kind", "summary", "body", "quote"],
                "properties": {
                    "type": { "type": "string", "enum": types },
                    "kind": { "type": "string", "enum": kinds },
                    "summary": {
                        "type": "string", "minLength": 1, "maxLength": SUMMARY_CHARACTERS,
                        "description": "one line"
                    },
                    "body": { "type": "string", "maxLength": BODY_BYTES },
                    "quote": {
                        "type": "string", "minLength": 1,
                        "description": "the words of the text on which the proposal rests, copied exactly: 3 words or more"
                    }
                }
            }
        } }
    })
}

/// Returns the proposals of a reply that follow the schema and quote the text; `None` if the reply has no list of them.
pub(super) fn read(reply: &str, text: &str, dropped: &mut Dropped) -> Option<Vec<NewMemory>> {
    let reply = read_json(reply)?;
    let proposals = reply.get("proposals")?.as_array()?;
    dropped.schema += proposals.len().saturating_sub(MOST_PROPOSALS);
    let text = words_of(&without_headings(text));
    let mut found = Vec::new();
    for value in proposals.iter().take(MOST_PROPOSALS) {
        let proposal = Proposal::deserialize(value).ok();
        let Some((content, quote)) =
            proposal.and_then(|proposal| Some((content(&proposal)?, proposal.quote)))
        else {
            dropped.schema += 1;
            continue;
        };
        if !is_quoted(&words_of(&quote), &text) {
            dropped.quotes += 1;
            continue;
        }
        found.push(content);
    }
    Some(found)
}

/// Leaves out the lines that are headings of the record. Nobody said them.
fn without_headings(text: &str) -> String {
    let is_heading = |line: &&str| line.starts_with('#') || SPEAKERS.contains(&line.trim());
    text.lines().filter(|line| !is_heading(line)).collect::<Vec<_>>().join("\n")
}

/// Returns whether the text has these words, as whole words. A few letters occur in every text, so a quote needs 3 words
/// or 12 letters. A Chinese, Japanese or Korean letter says as much as three others.
fn is_quoted(quote: &str, text: &str) -> bool {
    let letters: usize = fts::runs(quote)
        .flat_map(str::chars)
        .map(|letter| if fts::is_syllable(letter) { 3 } else { 1 })
        .sum();
    let is_long = fts::runs(quote).count() >= LEAST_WORDS || letters >= LEAST_LETTERS;
    // Nothing shows where a word ends in a script without spaces.
    let is_in_word = |letter: char| letter.is_alphanumeric() && !fts::is_unspaced(letter);
    let goes_on = |left: Option<char>, right: Option<char>| {
        left.zip(right).is_some_and(|(left, right)| is_in_word(left) && is_in_word(right))
    };
    let is_whole = |(start, found): (usize, &str)| {
        let (before, after) = (&text[..start], &text[start + found.len()..]);
        !goes_on(before.chars().next_back(), found.chars().next())
            && !goes_on(found.chars().next_back(), after.chars().next())
    };
    is_long && text.match_indices(quote).any(is_whole)
}

/// Returns the memory of a proposal; `None` if it breaks the schema.
fn content(proposal: &Proposal) -> Option<NewMemory> {
    let content = NewMemory {
        kind: Some(proposal.kind),
        ..NewMemory::new(proposal.memory_type, proposal.summary.trim(), proposal.body.trim())
    };
    let is_profile = proposal.memory_type == MemoryType::WorkspaceProfile;
    (!is_profile && content.fault().is_none()).then_some(content)
}

/// Returns the text with one space between words: a model that copies words breaks lines as it likes.
fn words_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Memories<'_> {
    /// Tests for a memory of the same type, in any state, with the same words or a vector of cosine 0.9.
    pub(in crate::memory) async fn is_known(
        &mut self,
        content: &NewMemory,
        embedder: Option<&dyn Embedder>,
    ) -> Result<bool, MemoryError> {
        let content = self.without_secrets(content.clone())?;
        let words = word_set(&content);
        let is_same = |memory: &Memory| {
            memory.content.memory_type == content.memory_type
                && memory.content.removes == content.removes
                && word_set(&memory.content) == words
                // Texts without a word, such as emojis, are not all the same.
                && (!words.is_empty() || memory.content.text() == content.text())
        };
        if self.all()?.iter().any(is_same) {
            return Ok(true);
        }
        let Some(embedder) = embedder else { return Ok(false) };
        match self.is_similar(&content, embedder).await {
            // The words differ. The proposal must not be lost because a server is away.
            Err(MemoryError::Embed(_)) => Ok(false),
            other => other,
        }
    }

    async fn is_similar(
        &mut self,
        content: &NewMemory,
        embedder: &dyn Embedder,
    ) -> Result<bool, MemoryError> {
        self.add_vectors(embedder).await?;
        let text = content.text();
        let Some(vector) = embed_all(embedder, &[&text]).await?.pop() else { return Ok(false) };
        let highest =
            self.database.read(|read| highest_cosine(read, content.memory_type, embedder.name(), &vector))?;
        Ok(highest >= SAME)
    }
}

fn word_set(content: &NewMemory) -> BTreeSet<String> {
    fts::runs(&content.text()).map(str::to_lowercase).collect()
}

fn highest_cosine(
    read: &Transaction<'_>,
    memory_type: MemoryType,
    embedder: &str,
    vector: &Vector,
) -> rusqlite::Result<f32> {
    let mut statement = read.prepare(
        "SELECT vector FROM memories JOIN memory_vectors USING (file) WHERE type = ?1 AND embedder = ?2",
    )?;
    let rows = statement.query_map([memory_type.as_str(), embedder], |row| {
        Ok(vector.cosine_of_bytes(row.get_ref(0)?.as_blob()?))
    })?;
    rows.collect::<Result<Vec<_>, _>>().map(|found| found.into_iter().fold(0.0, f32::max))
}
