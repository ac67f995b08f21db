//! Mining of the records of a workspace, one after the other, so that only one of them is in memory.

use loop_core::with_causes;
use loop_knowledge::{
    BoxError, Extractor,
    memory::{
        Memories,
        mining::{MOST_TEXTS, Mined, MiningFailure, MiningOptions, MiningText},
    },
};
use loop_telemetry::words;

use super::super::{KnowledgeError, WorkspaceKnowledge};

/// The most bytes that a model with an unknown window receives.
const UNKNOWN_WINDOW_BYTES: usize = 8 << 10;

/// A record of earlier work: a run or a session.
pub struct MiningRecord {
    /// Its name, such as `run 0198f00d`.
    pub key: String,
    /// Reads its text.
    pub read: Box<dyn FnOnce() -> Result<MiningText, BoxError> + Send>,
}

impl std::fmt::Debug for MiningRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MiningRecord").field("key", &self.key).finish_non_exhaustive()
    }
}

/// Which records are mined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MiningChoice {
    /// All that changed since they were mined.
    Changed,
    /// This run, also if it was mined before.
    Run(String),
    /// This session, also if it was mined before.
    Session(String),
}

/// An event of mining.
#[derive(Debug)]
pub enum MiningEvent {
    /// A record was mined.
    Mined(Mined),
    /// A record cannot be read, its reply has no proposals that can be read, or there are no vectors. The text says so.
    Skipped(String),
    /// This number of records is left for the next time.
    Left(usize),
}

impl WorkspaceKnowledge {
    /// Lets a model propose memories from at most 10 of these records, in order. `window` is that of the model, of which
    /// it receives half. A record that cannot be read is skipped, unless the choice names it.
    ///
    /// # Errors
    /// A named record cannot be read, the model gives no reply, or a file or the database cannot be used. Everything
    /// before the failure is kept.
    pub async fn mine(
        &self,
        memories: &mut Memories<'_>,
        records: Vec<MiningRecord>,
        choice: &MiningChoice,
        extractor: &dyn Extractor,
        window: Option<u64>,
        mut on_event: impl FnMut(MiningEvent) + Send,
    ) -> Result<(), KnowledgeError> {
        let most_bytes = window.map_or(UNKNOWN_WINDOW_BYTES, half_of_window);
        // Without vectors, only a proposal with the same words repeats a memory.
        let embedder = self.embedders.of_memories(false).await.unwrap_or_else(|error| {
            on_event(MiningEvent::Skipped(format!(
                "proposals are compared by words: {}",
                with_causes(&error)
            )));
            None
        });
        let options = MiningOptions { most_bytes, again: *choice != MiningChoice::Changed };
        let mut records = records.into_iter();
        let mut mined = 0;
        while mined < MOST_TEXTS {
            let Some(record) = records.next() else { break };
            let text = match (record.read)() {
                Ok(text) => text,
                Err(error) if options.again => return Err(KnowledgeError::Record(error)),
                // The others can be read, and may teach something.
                Err(error) => {
                    let why = format!("{} is not mined: {}", record.key, with_causes(&*error));
                    on_event(MiningEvent::Skipped(why));
                    continue;
                }
            };
            let report = memories.mine(vec![text], extractor, embedder.as_deref(), options, self.now).await?;
            for found in report.mined {
                on_event(match found.has_reply {
                    true => MiningEvent::Mined(found),
                    false => MiningEvent::Skipped(format!(
                        "{}: the reply has no proposals that can be read, so it is mined again next time",
                        found.key
                    )),
                });
                mined += 1;
            }
            if let Some(failure) = report.failure {
                return Err(failed(failure));
            }
        }
        match records.len() {
            0 => {}
            left => on_event(MiningEvent::Left(left)),
        }
        Ok(())
    }
}

fn failed(failure: MiningFailure) -> KnowledgeError {
    KnowledgeError::Mining(failure)
}

/// A token has 4 bytes.
fn half_of_window(window: u64) -> usize {
    usize::try_from(window / 2 * 4).unwrap_or(usize::MAX)
}

impl MiningEvent {
    /// Returns the event in words.
    pub fn words(&self) -> String {
        match self {
            Self::Mined(mined) => mined_words(mined),
            Self::Skipped(why) => why.clone(),
            Self::Left(left) => {
                format!("{} are left for the next time", words::count(*left as u64, "record"))
            }
        }
    }
}

fn mined_words(mined: &Mined) -> String {
    let dropped = mined.dropped;
    let reasons =
        [(dropped.schema, "faulty"), (dropped.duplicates, "known"), (dropped.quotes, "without a quote")];
    let reasons: Vec<_> = reasons
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, why)| format!("{number} {why}"))
        .collect();
    let dropped =
        if reasons.is_empty() { String::new() } else { format!(", dropped {}", reasons.join(", ")) };
    let proposed = words::count(mined.proposed.len() as u64, "proposal");
    format!("{}: {proposed}{dropped}", mined.key)
}
