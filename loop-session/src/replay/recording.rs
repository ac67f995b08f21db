//! The prompts of a stored session.

use std::time::Duration;

use jiff::Timestamp;
use loop_agents::chat::{Attachment, Message};
use loop_telemetry::transcript::{
    ConversationChange, SessionError, SessionStore, TimedEntry, TranscriptEntry,
};

use super::TurnFigures;

/// The prompts of a session, and what joined the conversation between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    pub(super) steps: Vec<RecordedStep>,
}

/// A prompt, or a change of the conversation that no model made.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RecordedStep {
    Turn(Box<RecordedTurn>),
    /// The output of a command.
    Put(String),
    Pin(String),
    Unpin,
    Clear,
    /// A summary took the place of all messages.
    Replace(Vec<Message>),
}

/// A prompt of a person, and the reply that it got.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RecordedTurn {
    /// The prompt as the model got it, with the texts of files.
    pub prompt: Message,
    /// The figures of the recorded turn.
    pub figures: TurnFigures,
}

impl Recording {
    /// Reads the session with this id.
    ///
    /// # Errors
    /// There is no such session, or it cannot be read.
    pub fn open(store: &SessionStore, id: &str) -> Result<Self, SessionError> {
        Ok(Self::of(store.entries::<Message>(id)?))
    }

    /// Collects the prompts in these entries. Of a repetition, it takes the first prompt.
    pub fn of(entries: impl IntoIterator<Item = TimedEntry<Message>>) -> Self {
        let mut reader = Reader::default();
        entries.into_iter().for_each(|TimedEntry { time, entry }| reader.read(time, entry));
        Self { steps: reader.steps }
    }

    /// Returns the turns in order.
    pub fn turns(&self) -> impl Iterator<Item = &RecordedTurn> {
        self.steps.iter().filter_map(|step| match step {
            RecordedStep::Turn(turn) => Some(&**turn),
            _ => None,
        })
    }
}

/// The state between two entries.
#[derive(Default)]
struct Reader {
    steps: Vec<RecordedStep>,
    messages: Vec<Message>,
    files: Vec<Attachment>,
    /// The turn that has no end yet.
    open: Option<OpenTurn>,
    /// The turns since a repetition began, if one runs.
    repeated: Option<u64>,
}

struct OpenTurn {
    began: Timestamp,
    prompt: Message,
    model: String,
    calls: u64,
}

impl Reader {
    fn read(&mut self, time: Timestamp, entry: TranscriptEntry<Message>) {
        match entry {
            TranscriptEntry::Attached { file } => {
                self.files.extend(self.whole(file).attachments().iter().cloned());
            }
            TranscriptEntry::Asked { prompt, model } => {
                let prompt = self.whole(prompt);
                self.open = Some(OpenTurn { began: time, prompt, model, calls: 0 });
            }
            TranscriptEntry::Called(_) => {
                if let Some(open) = &mut self.open {
                    open.calls += 1;
                }
            }
            TranscriptEntry::Answered { change, usage, .. } => {
                let (sent, reply) = (self.sent(&change), reply(&change));
                self.change(change);
                self.end(time, sent, |figures| TurnFigures { usage, reply, ..figures });
            }
            TranscriptEntry::Unanswered { why, usage, said } => {
                self.end(time, None, |figures| TurnFigures {
                    usage,
                    reply: said,
                    failure: Some(why),
                    ..figures
                });
            }
            TranscriptEntry::Ran { output, change, .. } => {
                if !output.is_empty() && !change.messages.is_empty() {
                    self.steps.push(RecordedStep::Put(output));
                }
                self.change(change);
            }
            TranscriptEntry::Summarised { change, .. } => {
                self.change(change);
                self.steps.push(RecordedStep::Replace(self.messages.clone()));
            }
            TranscriptEntry::Pinned { text } => self.steps.push(RecordedStep::Pin(text)),
            TranscriptEntry::Unpinned => self.steps.push(RecordedStep::Unpin),
            TranscriptEntry::Cleared => {
                self.messages.clear();
                self.steps.push(RecordedStep::Clear);
            }
            TranscriptEntry::LoopBegun { .. } => self.repeated = Some(0),
            TranscriptEntry::LoopEnded { .. } | TranscriptEntry::Resumed { .. } => self.repeated = None,
            _ => {}
        }
    }

    fn end(&mut self, time: Timestamp, sent: Option<String>, fill: impl FnOnce(TurnFigures) -> TurnFigures) {
        let Some(OpenTurn { began, prompt, model, calls }) = self.open.take() else { return };
        if let Some(turns) = &mut self.repeated {
            *turns += 1;
            if *turns > 1 {
                return;
            }
        }
        let prompt = match sent {
            Some(text) => {
                prompt.attachments().iter().cloned().fold(Message::user(text), Message::with_attachment)
            }
            None => prompt,
        };
        // A clock that was set back gives no time.
        let time = Duration::try_from(time.duration_since(began)).unwrap_or_default();
        let figures = fill(TurnFigures { model, calls, time, ..TurnFigures::default() });
        self.steps.push(RecordedStep::Turn(Box::new(RecordedTurn { prompt, figures })));
    }

    /// Returns the text of the prompt as it was sent, without texts that were there before.
    fn sent(&self, change: &ConversationChange<Message>) -> Option<String> {
        let asked = self.open.as_ref()?.prompt.text();
        let message = change.messages.iter().find(|message| matches!(message, Message::User { .. }))?;
        let before = self.messages.get(change.kept).map_or("", Message::text);
        let text = message.text().strip_prefix(before)?.trim_start_matches('\n');
        text.contains(asked).then(|| text.to_owned())
    }

    fn change(&mut self, change: ConversationChange<Message>) {
        self.messages.truncate(change.kept);
        let messages: Vec<_> = change.messages.into_iter().map(|message| self.whole(message)).collect();
        self.messages.extend(messages);
    }

    fn whole(&self, message: Message) -> Message {
        message.map_attachments(|file| file.resolved(&self.files))
    }
}

/// Returns the text of the last reply.
fn reply(change: &ConversationChange<Message>) -> String {
    let replies = change.messages.iter().rev().find(|message| matches!(message, Message::Assistant { .. }));
    replies.map(|message| message.text().to_owned()).unwrap_or_default()
}
