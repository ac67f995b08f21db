//! Mining: a model reads what happened, and proposes memories. A person decides about each of them.
//!
//! A proposal has to quote the words that it rests on. A model that makes something up has no such words, so `loop` drops
//! the proposal.

mod manifest;
mod proposals;

use std::fmt;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

pub use self::{
    manifest::MinedText,
    proposals::{Dropped, MOST_PROPOSALS, schema},
};
use super::{Memories, Memory, MemoryError, MemoryState};
use crate::{Embedder, Extractor};

/// The lines of a record that tell whose words follow. They are not words to quote.
pub const SPEAKERS: [&str; 2] = ["The agent:", "The check:"];

/// The most texts that are mined at once.
pub const MOST_TEXTS: usize = 10;

/// A text that can be mined: a transcript, or the journal of a run.
#[derive(Clone, PartialEq, Eq)]
pub struct MiningText {
    /// Its name, such as `run 0198f00d`. The memories state it as their origin.
    pub key: String,
    /// When it was written last. The newest texts are mined first.
    pub time: Timestamp,
    /// A digest of its source. A text is mined again only if this differs.
    pub digest: String,
    /// The text. It is redacted before anything else happens with it.
    pub text: String,
}

impl fmt::Debug for MiningText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The text is not redacted yet.
        f.debug_struct("MiningText").field("key", &self.key).field("time", &self.time).finish_non_exhaustive()
    }
}

/// The options of mining.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MiningOptions {
    /// The most bytes of a text that the extractor receives: half of the window of the model. The end of a longer text is
    /// kept, and its beginning is left out.
    pub most_bytes: usize,
    /// Whether to mine texts that were mined before.
    pub again: bool,
}

/// The result of mining one text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mined {
    /// The name of the text.
    pub key: String,
    /// The new proposals.
    pub proposed: Vec<Memory>,
    /// The proposals that were dropped.
    pub dropped: Dropped,
    /// Whether the reply had a list of proposals, which may be empty. Otherwise the text is mined again the next time.
    pub has_reply: bool,
}

/// The result of mining.
#[derive(Debug, Default)]
pub struct MiningReport {
    /// The texts that were mined.
    pub mined: Vec<Mined>,
    /// The number of texts that were mined before.
    pub known: usize,
    /// The number of texts that are left for the next time.
    pub left: usize,
    /// The reason why mining stopped early. The text at which it stopped is left for the next time.
    pub failure: Option<MiningFailure>,
}

/// The reason why mining stopped early.
#[derive(Debug, thiserror::Error)]
#[error("`{key}` was not mined, since the model gave no reply")]
pub struct MiningFailure {
    /// The name of the text.
    pub key: String,
    /// The error of the extractor.
    pub source: crate::BoxError,
}

impl Memories<'_> {
    /// Mines at most 10 texts, the newest first. The proposals become memories only if a person accepts them.
    ///
    /// # Errors
    ///
    /// Fails if a file or the database cannot be used, and if secrets cannot be removed. Everything before the failure
    /// is kept.
    pub async fn mine(
        &mut self,
        mut texts: Vec<MiningText>,
        extractor: &dyn Extractor,
        embedder: Option<&dyn Embedder>,
        options: MiningOptions,
        now: Timestamp,
    ) -> Result<MiningReport, MemoryError> {
        let mut report = MiningReport::default();
        let before = texts.len();
        for text in &mut texts {
            text.key = self.secrets.redact(&text.key).map_err(MemoryError::Secrets)?;
        }
        if !options.again {
            let known = self.mined_texts()?;
            let digest = |text: &MiningText| known.get(&text.key).map(|known| known.digest.as_str());
            texts.retain(|text| digest(text) != Some(&text.digest));
        }
        report.known = before - texts.len();
        texts.sort_by(|left, right| right.time.cmp(&left.time).then_with(|| left.key.cmp(&right.key)));
        report.left = texts.len().saturating_sub(MOST_TEXTS);
        for text in texts.into_iter().take(MOST_TEXTS) {
            let redacted = self.secrets.redact(&text.text).map_err(MemoryError::Secrets)?;
            let sent = last_bytes(&redacted, options.most_bytes);
            let reply = match extractor.extract(sent, &schema()).await {
                Ok(reply) => reply,
                Err(source) => {
                    report.failure = Some(MiningFailure { key: text.key, source });
                    break;
                }
            };
            let mined = self.keep_proposals(&text, sent, &reply, embedder, now).await?;
            if mined.has_reply {
                self.note_mined(&text, mined.proposed.len(), now)?;
            }
            report.mined.push(mined);
        }
        Ok(report)
    }

    async fn keep_proposals(
        &mut self,
        text: &MiningText,
        sent: &str,
        reply: &str,
        embedder: Option<&dyn Embedder>,
        now: Timestamp,
    ) -> Result<Mined, MemoryError> {
        let origin = format!("{} of {}", text.key, text.time.round(jiff::Unit::Second).unwrap_or(text.time));
        let mut dropped = Dropped::default();
        let found = proposals::read(reply, sent, &mut dropped);
        let (key, has_reply) = (text.key.clone(), found.is_some());
        let mut mined = Mined { key, proposed: Vec::new(), dropped, has_reply };
        for mut content in found.unwrap_or_default() {
            content.origin = Some(origin.clone());
            if self.is_known(&content, embedder).await? {
                mined.dropped.duplicates += 1;
                continue;
            }
            mined.proposed.push(self.add(content, MemoryState::Proposed, now)?);
        }
        Ok(mined)
    }

    /// Returns the proposals that wait for a person.
    ///
    /// # Errors
    ///
    /// Fails if the files or the database cannot be used.
    pub fn proposals(&mut self) -> Result<Vec<Memory>, MemoryError> {
        let mut all = self.all()?;
        all.retain(|memory| memory.state == MemoryState::Proposed);
        Ok(all)
    }
}

/// Returns the last bytes of a text, from the beginning of a line if there is one.
fn last_bytes(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let end = &text[text.ceil_char_boundary(text.len() - most)..];
    end.split_once('\n').map_or(end, |(_, lines)| lines)
}

/// The most places of a reply at which its JSON object may begin.
const MOST_BEGINNINGS: usize = 100;

/// Returns the first JSON object of a reply that has proposals. Models like to put it into a fence, and to say something
/// before and after it.
fn json(reply: &str) -> Option<Value> {
    let beginnings = reply.match_indices('{').take(MOST_BEGINNINGS);
    let object = |at: usize| serde_json::Deserializer::from_str(&reply[at..]).into_iter().next()?.ok();
    beginnings.filter_map(|(at, _)| object(at)).find(|object: &Value| object.get("proposals").is_some())
}
