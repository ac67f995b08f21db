//! A session as its entries have made it.

use loop_core::Usage;

use super::{Change, Entry, Misfit};

/// The fold of a session's [entries](Entry): what is needed to go on.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Conversation<M> {
    /// What was said, as far as it is still in the context.
    pub messages: Vec<M>,
    /// What is pinned, in its order.
    pub pinned: Vec<String>,
    /// The model that is asked; empty before the first entry.
    pub model: String,
    /// Whether the model can call tools, as far as somebody has said.
    pub tools: Option<bool>,
    /// Turns that have a reply.
    pub turns: u64,
    /// How a person calls the session.
    pub name: Option<String>,
    /// What was used, over all of it.
    pub usage: Usage,
    /// What was said in a turn that came to no end, since the process was killed in it.
    pub unanswered: Option<M>,
    /// A repetition was under way.
    pub open_loop: bool,
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
            unanswered: None,
            open_loop: false,
        }
    }
}

impl<M> Conversation<M> {
    /// Adds what happened next.
    ///
    /// # Errors
    /// [`Misfit`] if the entry is of another conversation; then nothing is changed.
    pub fn apply(&mut self, entry: Entry<M>) -> Result<(), Misfit> {
        match entry {
            Entry::Begun(info) => self.model = info.model,
            Entry::Resumed { model } | Entry::ModelChanged { model } => self.model = model,
            Entry::Asked { prompt, model: _ } => self.unanswered = Some(prompt),
            Entry::Answered { change, usage, model: _ } => {
                self.change(change, usage)?;
                self.unanswered = None;
                self.turns += 1;
            }
            Entry::Unanswered { why: _, usage, said: _ } => {
                self.usage += usage;
                self.unanswered = None;
            }
            Entry::Ran { change, .. } => self.change(change, Usage::unknown())?,
            Entry::Summarised { change, usage, .. } => self.change(change, usage)?,
            Entry::ToolsChanged { on } => self.tools = Some(on),
            Entry::Pinned { text } => self.pinned.push(text),
            Entry::Unpinned => self.pinned.clear(),
            Entry::Cleared => self.messages.clear(),
            Entry::LoopBegun { .. } => self.open_loop = true,
            Entry::LoopEnded { .. } => self.open_loop = false,
            Entry::Renamed { name } => self.name = Some(name),
            Entry::Called(_) | Entry::Ended => {}
        }
        Ok(())
    }

    fn change(&mut self, change: Change<M>, usage: Usage) -> Result<(), Misfit> {
        change.apply(&mut self.messages)?;
        self.usage += usage;
        Ok(())
    }
}
