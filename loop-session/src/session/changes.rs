//! What changes a conversation, beside its turns. Each change is written down.

use loop_agents::{
    chat::{Attachment, Message},
    output::excerpt,
};
use loop_telemetry::transcript::{Change, Entry};

use super::state::Session;
use crate::repeat::Repetition;

/// How much of what a command printed the model is told, in bytes.
const TOLD_BYTES: usize = 8000;

impl Session {
    /// Puts what a command came to where the model sees it with the next prompt, within a bound.
    pub(crate) fn tell_model(&mut self, what: &str, text: &str) {
        self.give_model(what, &excerpt(text.as_bytes(), TOLD_BYTES));
    }

    /// The same, as long as it is.
    pub(crate) fn give_model(&mut self, what: &str, text: &str) {
        let before = self.dialogue.chat.history().messages().to_vec();
        let output = format!("[{what}]\n{}", text.trim_end());
        self.dialogue.chat.put(Message::user(&output));
        let change = Change::between(&before, self.dialogue.chat.history().messages());
        let command = self.line().to_owned();
        self.log.write(Entry::Ran { command, output, change });
    }

    /// Sends this along with the next prompt.
    pub(crate) fn attach(&mut self, attachment: Attachment) {
        self.dialogue.attachments.push(attachment);
    }

    /// Another session's conversation begins: what was to go with the next prompt was meant for this one.
    pub(crate) fn leave_attachments(&mut self) {
        for attachment in std::mem::take(&mut self.dialogue.attachments) {
            let name = attachment.name.as_deref();
            let name = name.map_or_else(|| "an image".to_owned(), |name| self.host().one_line(name));
            self.warn(&format!("{name} was not sent, and stays behind; attach it again to send it here"));
        }
    }

    /// Forgets what was said, and what was to be sent along; what is pinned stays, and the system prompt is made anew.
    pub(crate) async fn clear(&mut self) {
        self.dialogue.chat.clear();
        self.dialogue.attachments.clear();
        self.log.write(Entry::Cleared);
        self.renew_system().await;
    }

    /// Lets the model always see this.
    pub(crate) fn pin(&mut self, text: &str) {
        self.dialogue.chat.pin(text);
        self.log.write(Entry::Pinned { text: text.to_owned() });
    }

    /// Nothing is pinned any more.
    pub(crate) fn unpin(&mut self) {
        self.dialogue.chat.unpin();
        self.log.write(Entry::Unpinned);
    }

    /// Gives the session a name.
    pub(crate) fn rename(&mut self, name: &str) {
        self.log.write(Entry::Renamed { name: name.to_owned() });
    }

    /// A line is going to be repeated.
    pub(crate) fn loop_begins(&mut self, repetition: &Repetition) {
        self.log.write(Entry::LoopBegun {
            interval_seconds: repetition.interval.as_secs_f64(),
            count: repetition.ends.count.map(Into::into),
            prompt: repetition.work.text().to_owned(),
        });
    }

    /// It was repeated so often, and this is how that ended.
    pub(crate) fn loop_ended(&mut self, iterations: u64, how: &str) {
        self.log.write(Entry::LoopEnded { iterations, how: how.to_owned() });
    }
}
