//! Switches the record of a session off and on.

use loop_agents::chat::Message;
use loop_core::Usage;
use loop_telemetry::transcript::{Conversation, ConversationChange, SessionError, TranscriptEntry};

use super::{StoredAttachments, TranscriptWriter};

impl TranscriptWriter {
    /// Sets whether the session is recorded.
    #[must_use]
    pub fn recording(self, is_on: bool) -> Self {
        Self { is_off: !is_on, ..self }
    }

    /// Returns whether the session is recorded.
    pub const fn is_recording(&self) -> bool {
        !self.is_off
    }

    /// Stops to record, and removes what this session has stored. Returns whether entries stay: those of a session that
    /// an earlier process began.
    ///
    /// # Errors
    /// The entries so far cannot be removed. Nothing more is recorded all the same.
    pub fn stop_recording(&mut self) -> Result<bool, SessionError> {
        let (is_resumed, id) = (self.is_resumed, self.info.id.clone());
        if is_resumed {
            self.end();
        }
        let had_begun = self.file.is_some();
        self.due.clear();
        (self.file, self.is_off, self.is_behind) = (None, true, false);
        if had_begun && !is_resumed {
            self.store.remove(&id)?;
        }
        Ok(had_begun && is_resumed)
    }

    /// Records again, and stores the conversation so far as turns of this model.
    ///
    /// # Errors
    /// The file of a resumed session cannot be opened. Then the session stays unrecorded.
    pub fn start_recording(
        &mut self,
        model: &str,
        messages: &[Message],
        pinned: &[String],
    ) -> Result<(), SessionError> {
        let stored = if self.is_resumed { self.reopen()? } else { Conversation::default() };
        self.is_off = false;
        if !self.is_resumed {
            self.attachments = StoredAttachments::default();
        }
        let ConversationChange { kept, messages } = ConversationChange::between(&stored.messages, messages);
        for entry in turns(kept, messages, model) {
            self.write(entry);
        }
        if stored.pinned != pinned {
            self.write(TranscriptEntry::Unpinned);
            for text in pinned {
                self.write(TranscriptEntry::Pinned { text: text.clone() });
            }
        }
        self.write(TranscriptEntry::ModelChanged { model: model.to_owned() });
        Ok(())
    }

    /// Opens the file of the resumed session again.
    fn reopen(&mut self) -> Result<Conversation<Message>, SessionError> {
        let (file, mut conversation) = self.store.resume(&self.info.id, self.host.clock())?;
        self.attachments = StoredAttachments::resolve(&mut conversation);
        self.file = Some(file.redacting(self.host.secrets()));
        self.due.push_back(TranscriptEntry::Resumed { model: conversation.model.clone() });
        Ok(conversation)
    }
}

/// Returns these messages, which follow the first `kept` ones, as entries: a turn for each prompt with a reply, and a
/// command for each other message.
fn turns(kept: usize, messages: Vec<Message>, model: &str) -> Vec<TranscriptEntry<Message>> {
    let is_prompt = |message: &Message| matches!(message, Message::User { .. });
    let (mut entries, mut kept) = (Vec::new(), kept);
    let mut rest = messages.into_iter().peekable();
    while let Some(first) = rest.next() {
        let mut messages = vec![first];
        while let Some(reply) = rest.next_if(|message| !is_prompt(message)) {
            messages.push(reply);
        }
        let (first, count) = (messages[0].clone(), messages.len());
        let change = ConversationChange { kept, messages };
        if is_prompt(&first) && count > 1 {
            entries.push(TranscriptEntry::Asked { prompt: first, model: model.to_owned() });
            let (usage, model) = (Usage::unknown(), model.to_owned());
            entries.push(TranscriptEntry::Answered { change, usage, model });
        } else {
            let (command, output) = (String::new(), first.text().to_owned());
            entries.push(TranscriptEntry::Ran { command, output, change });
        }
        kept += count;
    }
    entries
}
