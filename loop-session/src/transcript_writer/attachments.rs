//! Stores each attached file once.
//!
//! A picture has megabytes. A prompt is stored when it is sent and, if it gets a reply, again as a part of the
//! conversation. So the file gets its own entry as soon as somebody attaches it, which also survives a crash before the
//! prompt is sent, and the messages only name it.

use loop_agents::chat::{Attachment, Message};
use loop_telemetry::transcript::{Conversation, ConversationChange, TranscriptEntry};

type Entry = TranscriptEntry<Message>;

/// The files in a transcript, by their numbers.
#[derive(Debug, Default)]
pub(super) struct StoredAttachments(Vec<Attachment>);

impl StoredAttachments {
    /// Brings the bytes of the files back into a conversation, and returns the files.
    pub(super) fn resolve(conversation: &mut Conversation<Message>) -> Self {
        let mut stored = Self::default();
        for file in std::mem::take(&mut conversation.attached) {
            conversation.attached.push(stored.add(file));
        }
        for message in conversation.messages.iter_mut().chain(&mut conversation.unanswered) {
            *message = stored.whole(message.clone());
        }
        stored
    }

    /// Returns the entries that store this one: those of new files, then itself with references to files.
    pub(super) fn entries(&mut self, mut entry: Entry) -> Vec<Entry> {
        let mut entries = Vec::new();
        match &mut entry {
            // The same file may be attached twice.
            Entry::Attached { file } => {
                let stored = file.clone().map_attachments(|file| self.reference(&file).unwrap_or(file));
                self.add(std::mem::replace(file, stored));
            }
            Entry::Asked { prompt, .. } => self.refer(prompt, &mut entries),
            Entry::Answered { change, .. } | Entry::Ran { change, .. } | Entry::Summarised { change, .. } => {
                let ConversationChange { messages, .. } = change;
                messages.iter_mut().for_each(|message| self.refer(message, &mut entries));
            }
            _ => {}
        }
        entries.push(entry);
        entries
    }

    /// Replaces the files of a message by references, and adds the entries of those that are not stored yet.
    fn refer(&mut self, message: &mut Message, entries: &mut Vec<Entry>) {
        let refer = |file: Attachment| {
            self.reference(&file).unwrap_or_else(|| {
                entries.push(Entry::Attached { file: Message::user("").with_attachment(file.clone()) });
                self.0.push(file.clone());
                file.reference(self.0.len() - 1)
            })
        };
        if !message.attachments().is_empty() {
            *message = message.clone().map_attachments(refer);
        }
    }

    fn reference(&self, file: &Attachment) -> Option<Attachment> {
        self.0.iter().rposition(|stored| stored == file).map(|number| file.reference(number))
    }

    /// Adds the file of an entry. Returns the message with its bytes.
    fn add(&mut self, file: Message) -> Message {
        let whole = self.whole(file);
        self.0.extend(whole.attachments().iter().cloned());
        whole
    }

    fn whole(&self, message: Message) -> Message {
        message.map_attachments(|file| file.resolved(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_stored_once_and_comes_back() {
        let picture = |bytes: &[u8]| Attachment::new("image/png", bytes).named("a.png");
        let prompt = |bytes| Message::user("Look.").with_attachment(picture(bytes));
        let attached =
            |bytes: &[u8]| Entry::Attached { file: Message::user("").with_attachment(picture(bytes)) };
        let asked = |bytes| Entry::Asked { prompt: prompt(bytes), model: "m".to_owned() };
        let answered = |kept, bytes| Entry::Answered {
            change: ConversationChange { kept, messages: vec![prompt(bytes), Message::assistant("I see.")] },
            usage: loop_core::Usage::unknown(),
            model: "m".to_owned(),
        };
        let mut stored = StoredAttachments::default();
        let lines = [
            attached(b"one"),
            asked(b"one"),
            answered(0, b"one"),
            // This one had no entry of its own.
            asked(b"two"),
            answered(2, b"two"),
            attached(b"one"),
        ];
        let entries: Vec<_> = lines.into_iter().flat_map(|entry| stored.entries(entry)).collect();
        let text = serde_json::to_string(&entries).unwrap();
        for bytes in [b"one", b"two"] {
            assert_eq!(text.matches(picture(bytes).base64()).count(), 1, "{text}");
        }
        let mut conversation = Conversation::default();
        let entries: Vec<Entry> = serde_json::from_str(&text).unwrap();
        entries.into_iter().for_each(|entry| conversation.apply(entry).unwrap());
        StoredAttachments::resolve(&mut conversation);
        let pictures: Vec<_> = conversation.messages.iter().flat_map(Message::attachments).collect();
        assert_eq!(pictures, [&picture(b"one"), &picture(b"two")]);
        assert_eq!(conversation.waiting, 1);
        assert_eq!(conversation.attached.last().unwrap().attachments(), [picture(b"one")]);
    }
}
