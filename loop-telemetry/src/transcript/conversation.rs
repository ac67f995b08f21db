//! The state of a session, as the fold of its entries.

use loop_core::Usage;

use super::{ChangeError, ConversationChange, TranscriptEntry};

/// The fold of a session's [entries](TranscriptEntry): everything that is needed to resume it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Conversation<M> {
    /// The messages that are still in the context.
    pub messages: Vec<M>,
    /// The pinned texts, in order.
    pub pinned: Vec<String>,
    /// The current model; empty before the first entry.
    pub model: String,
    /// Whether the model can call tools, if an entry says so.
    pub tools: Option<bool>,
    /// The number of turns with a reply.
    pub turns: u64,
    /// The name that a person gave the session.
    pub name: Option<String>,
    /// The usage of the whole session.
    pub usage: Usage,
    /// All files that were attached, in order. Messages name them by their number.
    pub attached: Vec<M>,
    /// How many of them, at the end of the list, wait for a prompt that gets a reply.
    pub waiting: usize,
    /// The prompt of a turn that has no end because the process was killed.
    pub unanswered: Option<M>,
    /// The last prompt, if its turn ended without a reply, and the reason.
    pub failed: Option<(M, String)>,
    /// Whether a repetition was running.
    pub open_loop: bool,
    /// The last prompt with a reply, and the commands before it and after it, in order. Prompts before that, and their
    /// commands, are left out.
    pub recent: Vec<RecentLine<M>>,
}

/// A line of a person that led to the present end of a conversation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RecentLine<M> {
    /// A prompt that got a reply.
    Prompt(M),
    /// A command whose output joined the conversation.
    Command {
        /// As the person typed it.
        line: String,
        /// As the model reads it.
        output: String,
    },
}

impl<M> Default for Conversation<M> {
    fn default() -> Self {
        Self {
            messages: Vec::new(),
            pinned: Vec::new(),
            model: String::new(),
            tools: None,
            turns: 0,
            name: None,
            usage: Usage::unknown(),
            attached: Vec::new(),
            waiting: 0,
            unanswered: None,
            failed: None,
            open_loop: false,
            recent: Vec::new(),
        }
    }
}

impl<M> Conversation<M> {
    /// Adds the next entry.
    ///
    /// # Errors
    /// [`ChangeError`] if the entry belongs to another conversation; then nothing changes.
    pub fn apply(&mut self, entry: TranscriptEntry<M>) -> Result<(), ChangeError> {
        match entry {
            TranscriptEntry::Begun(info) => self.model = info.model,
            TranscriptEntry::Resumed { model } | TranscriptEntry::ModelChanged { model } => {
                self.model = model;
            }
            TranscriptEntry::Attached { file } => {
                self.attached.push(file);
                self.waiting += 1;
            }
            TranscriptEntry::Asked { prompt, model: _ } => self.unanswered = Some(prompt),
            TranscriptEntry::Answered { change, usage, model: _ } => {
                self.change(change, usage)?;
                let last = self.recent.iter().position(|line| matches!(line, RecentLine::Prompt(_)));
                self.recent.drain(..last.map_or(0, |last| last + 1));
                self.recent.extend(self.unanswered.take().map(RecentLine::Prompt));
                self.waiting = 0;
                self.turns += 1;
                self.failed = None;
            }
            TranscriptEntry::Unanswered { why, usage, said: _ } => {
                self.usage += usage;
                self.failed = self.unanswered.take().map(|prompt| (prompt, why));
            }
            TranscriptEntry::Ran { command: line, output, change } => {
                self.change(change, Usage::unknown())?;
                self.recent.push(RecentLine::Command { line, output });
            }
            TranscriptEntry::Summarised { change, usage, .. } => self.change(change, usage)?,
            TranscriptEntry::ToolsChanged { on } => self.tools = Some(on),
            TranscriptEntry::Pinned { text } => self.pinned.push(text),
            TranscriptEntry::Unpinned => self.pinned.clear(),
            TranscriptEntry::Cleared => {
                self.messages.clear();
                self.recent.clear();
                self.failed = None;
                self.waiting = 0;
            }
            TranscriptEntry::LoopBegun { .. } => self.open_loop = true,
            TranscriptEntry::LoopEnded { .. } => self.open_loop = false,
            TranscriptEntry::Renamed { name } => self.name = Some(name),
            TranscriptEntry::Called(_) | TranscriptEntry::Recalled { .. } | TranscriptEntry::Ended => {}
        }
        Ok(())
    }

    fn change(&mut self, change: ConversationChange<M>, usage: Usage) -> Result<(), ChangeError> {
        change.apply(&mut self.messages)?;
        self.usage += usage;
        Ok(())
    }
}
