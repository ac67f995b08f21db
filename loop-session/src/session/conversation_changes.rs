//! Changes to a conversation outside its turns. The transcript records each change.

use loop_agents::{
    chat::{Attachment, Message},
    output::excerpt,
};
use loop_telemetry::transcript::{ConversationChange, TranscriptEntry};

use super::state::Session;
use crate::repeat::Repetition;

/// The most command output that the model sees, in bytes.
const TOLD_BYTES: usize = 8000;

/// Attachments of a session while a job runs in it.
#[derive(Debug)]
#[must_use = "without `return_attachments` they are lost"]
pub struct AttachmentsAside(Vec<Attachment>);

impl Session {
    /// Attaches the result of a command to the next prompt, within a size limit.
    pub(crate) fn add_excerpt_to_context(&mut self, what: &str, text: &str) {
        self.add_to_context(what, &excerpt(text.as_bytes(), TOLD_BYTES));
    }

    /// Attaches the whole result of a command to the next prompt.
    pub(crate) fn add_to_context(&mut self, what: &str, text: &str) {
        let before = self.dialogue.chat.history().messages().to_vec();
        let output = format!("[{what}]\n{}", text.trim_end());
        self.dialogue.chat.put(Message::user(&output));
        let change = ConversationChange::between(&before, self.dialogue.chat.history().messages());
        let command = self.line().to_owned();
        self.log.write(TranscriptEntry::Ran { command, output, change });
    }

    /// Sends an attachment with the next prompt.
    pub(crate) fn attach(&mut self, attachment: Attachment) {
        self.dialogue.attachments.push(attachment.clone());
        self.record_attachment(attachment);
    }

    /// Stores an attachment that waits for the next prompt.
    pub(super) fn record_attachment(&mut self, attachment: Attachment) {
        self.log.write(TranscriptEntry::Attached { file: Message::user("").with_attachment(attachment) });
    }

    /// Lets the files that an earlier process attached go with the next prompt.
    pub(super) fn restore_attachments(&mut self, files: &[Message]) {
        for file in files.iter().flat_map(Message::attachments) {
            let name =
                file.name.as_deref().map_or_else(|| "an image".to_owned(), |name| self.host().one_line(name));
            self.say(&format!("{name}, attached before, goes with the next prompt"));
            self.dialogue.attachments.push(file.clone());
        }
    }

    /// Sets the files aside that a person attached. They wait for the next prompt of the person while a job's prompt
    /// runs.
    pub fn set_attachments_aside(&mut self) -> AttachmentsAside {
        AttachmentsAside(std::mem::take(&mut self.dialogue.attachments))
    }

    /// Returns the files that were set aside.
    pub fn return_attachments(&mut self, aside: AttachmentsAside) {
        self.dialogue.attachments.splice(0..0, aside.0);
    }

    /// Drops the attachments when another session's conversation begins: they were meant for this one.
    pub(crate) fn drop_attachments(&mut self) {
        for attachment in std::mem::take(&mut self.dialogue.attachments) {
            let name = attachment.name.as_deref();
            let name = name.map_or_else(|| "an image".to_owned(), |name| self.host().one_line(name));
            self.warn(&format!("{name} was not sent; attach it again to send it here"));
        }
    }

    /// Clears the conversation and the attachments. Pinned text stays, and the system prompt is rebuilt.
    pub(crate) async fn clear(&mut self) {
        self.dialogue.chat.clear();
        self.dialogue.attachments.clear();
        self.log.write(TranscriptEntry::Cleared);
        self.dialogue.needs_memories = true;
        self.rebuild_system_prompt().await;
    }

    /// Pins a text, so that the model always sees it.
    pub(crate) fn pin(&mut self, text: &str) {
        self.dialogue.chat.pin(text);
        self.log.write(TranscriptEntry::Pinned { text: text.to_owned() });
    }

    /// Removes all pinned text.
    pub(crate) fn unpin(&mut self) {
        self.dialogue.chat.unpin();
        self.log.write(TranscriptEntry::Unpinned);
    }

    /// Names the session.
    pub(crate) fn rename(&mut self, name: &str) {
        self.log.write(TranscriptEntry::Renamed { name: name.to_owned() });
    }

    /// Records that a line is about to repeat.
    pub(crate) fn record_loop_start(&mut self, repetition: &Repetition) {
        self.log.write(TranscriptEntry::LoopBegun {
            interval_seconds: repetition.interval.as_secs_f64(),
            count: repetition.ends.count.map(Into::into),
            prompt: repetition.work.text().to_owned(),
        });
    }

    /// Records how a loop ended, and after how many iterations.
    pub(crate) fn record_loop_end(&mut self, iterations: u64, how: &str) {
        self.log.write(TranscriptEntry::LoopEnded { iterations, how: how.to_owned() });
    }
}
