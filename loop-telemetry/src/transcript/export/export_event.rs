//! The events of a session in order, independent of the export format.

use std::{fmt::Write as _, iter::Peekable, vec::IntoIter};

use jiff::Timestamp;
use loop_core::Usage;
use serde_json::Value;

use super::{
    super::{ConversationChange, SessionInfo, TimedEntry, ToolCallRecord, TranscriptEntry},
    ExportedCall, ExportedFile, ExportedMessage, MessageView,
};
use crate::words;

/// One event.
#[derive(Debug, PartialEq)]
pub(super) enum ExportEvent<'a> {
    /// The session begins or continues.
    Scene {
        time: Timestamp,
        what: String,
    },
    User {
        text: &'a str,
        files: Vec<ExportedFile<'a>>,
    },
    Model {
        name: &'a str,
        text: &'a str,
    },
    Tool {
        tool: &'a str,
        arguments: &'a Value,
        result: &'a str,
        done: Option<bool>,
    },
    Command {
        line: &'a str,
        output: &'a str,
    },
    /// A short description of an event, and the text that belongs to it.
    Note {
        what: String,
        text: Option<&'a str>,
    },
}

/// Returns all events, and the facts at the session's start.
pub(super) fn events<M>(
    entries: &[TimedEntry<M>],
    view: MessageView<M>,
) -> (Option<&SessionInfo>, Vec<ExportEvent<'_>>) {
    let mut told = LinePayload { view, length: 0, turn: None, events: Vec::new() };
    entries.iter().for_each(|timed| told.tell(timed));
    told.cut_turn();
    let info = entries.iter().find_map(|timed| match &timed.entry {
        TranscriptEntry::Begun(info) => Some(info),
        _ => None,
    });
    (info, told.events)
}

struct LinePayload<'a, M> {
    view: MessageView<M>,
    /// The number of messages in the conversation.
    length: usize,
    /// The calls of the current turn.
    turn: Option<Vec<&'a ToolCallRecord>>,
    events: Vec<ExportEvent<'a>>,
}

impl<'a, M> LinePayload<'a, M> {
    fn tell(&mut self, TimedEntry { time, entry }: &'a TimedEntry<M>) {
        match entry {
            TranscriptEntry::Begun(_) => self.scene(*time, "SESSION".to_owned()),
            TranscriptEntry::Resumed { model } => {
                self.cut_turn();
                self.scene(*time, format!("SESSION, RESUMED WITH {model}"));
            }
            TranscriptEntry::Asked { prompt, model: _ } => {
                self.cut_turn();
                let ExportedMessage { text, files, .. } = (self.view)(prompt);
                self.events.push(ExportEvent::User { text, files });
                self.turn = Some(Vec::new());
            }
            TranscriptEntry::Called(called) => match &mut self.turn {
                Some(turn) => turn.push(called),
                None => self.called(called),
            },
            TranscriptEntry::Answered { change, usage, model } => {
                self.answered(change, model);
                self.used(usage);
            }
            TranscriptEntry::Unanswered { why, usage, said } => {
                self.calls_of_turn();
                if !said.is_empty() {
                    self.note("said before it broke off", Some(said));
                }
                self.note("no reply", Some(why));
                self.used(usage);
            }
            TranscriptEntry::Ran { command, output, change } => {
                self.follow(change);
                self.events.push(ExportEvent::Command { line: command, output });
            }
            TranscriptEntry::ModelChanged { model } => self.note("model", Some(model)),
            TranscriptEntry::ToolsChanged { on: true } => self.note("the model can call tools", None),
            TranscriptEntry::ToolsChanged { on: false } => self.note("the model can call no tools", None),
            TranscriptEntry::Pinned { text } => self.note("pinned", Some(text)),
            TranscriptEntry::Unpinned => self.note("nothing is pinned any more", None),
            TranscriptEntry::Cleared => {
                self.length = 0;
                self.note("the conversation was cleared", None);
            }
            TranscriptEntry::Summarised { summary, change, usage } => {
                self.follow(change);
                self.note("summary of what was said before", Some(summary));
                self.used(usage);
            }
            TranscriptEntry::LoopBegun { interval_seconds, count, prompt } => {
                let count = count.map(|count| format!(", {count} TIMES AT MOST")).unwrap_or_default();
                self.scene(*time, format!("LOOP, EVERY {interval_seconds} s{count}"));
                self.note("repeated", Some(prompt));
            }
            TranscriptEntry::LoopEnded { iterations, how } => {
                self.note(&format!("the loop ended after {iterations} iterations"), Some(how));
                self.scene(*time, "SESSION".to_owned());
            }
            TranscriptEntry::Recalled { store, items } => self.recalled(store.is_some(), items.len()),
            TranscriptEntry::Renamed { name } => self.note("the session is called", Some(name)),
            // The prompt lists its files.
            TranscriptEntry::Attached { .. } | TranscriptEntry::Ended => {}
        }
    }

    fn scene(&mut self, time: Timestamp, what: String) {
        self.events.push(ExportEvent::Scene { time, what });
    }

    fn note(&mut self, what: &str, text: Option<&'a str>) {
        self.events.push(ExportEvent::Note { what: what.to_owned(), text });
    }

    fn recalled(&mut self, are_documents: bool, number: usize) {
        let from = if are_documents { " of documents" } else { "" };
        self.note(&format!("recalled {}{from}", words::count(number as u64, "item")), None);
    }

    fn called(&mut self, ToolCallRecord { tool, arguments, result, done }: &'a ToolCallRecord) {
        self.events.push(ExportEvent::Tool { tool, arguments, result, done: Some(*done) });
    }

    /// Ends a turn that has no end because the process was killed.
    fn cut_turn(&mut self) {
        if self.turn.is_some() {
            self.calls_of_turn();
            self.note("the session was cut here: there is no reply", None);
        }
    }

    /// Adds the calls of a turn without a reply.
    fn calls_of_turn(&mut self) {
        self.turn.take().into_iter().flatten().for_each(|called| self.called(called));
    }

    /// Adds the model's words in a turn, with each call where it was made. The result of a call comes from the entry of
    /// the call, because the conversation may have dropped it already.
    fn answered(&mut self, change: &'a ConversationChange<M>, model: &'a str) {
        let mut made = self.turn.take().unwrap_or_default().into_iter().peekable();
        let said_before = self.length.saturating_sub(change.kept);
        self.follow(change);
        for (at, message) in change.messages.iter().skip(said_before).enumerate() {
            let ExportedMessage { by_model, text, calls, files } = (self.view)(message);
            if !by_model {
                // The first message is the prompt, which we added when it was asked.
                self.events.extend((at > 0).then_some(ExportEvent::User { text, files }));
                continue;
            }
            if !text.is_empty() || calls.is_empty() {
                self.events.push(ExportEvent::Model { name: model, text });
            }
            calls.into_iter().for_each(|call| self.call(call, &mut made));
        }
        made.for_each(|called| self.called(called));
    }

    fn call(&mut self, call: ExportedCall<'a>, made: &mut Peekable<IntoIter<&'a ToolCallRecord>>) {
        let ExportedCall { tool, arguments, result } = call;
        match made.next_if(|called| called.tool == tool && called.arguments == *arguments) {
            Some(called) => self.called(called),
            None => self.events.push(ExportEvent::Tool { tool, arguments, result, done: None }),
        }
    }

    /// Updates the length of the conversation.
    fn follow(&mut self, change: &ConversationChange<M>) {
        self.length = change.kept + change.messages.len();
    }

    fn used(&mut self, usage: &Usage) {
        let mut used = String::new();
        for (tokens, what) in [(usage.input_tokens, "read"), (usage.output_tokens, "written")] {
            if let Some(tokens) = tokens {
                let between = match used.is_empty() {
                    true if usage.are_tokens_partial => "at least ",
                    true => "",
                    false => ", ",
                };
                // Writing to a string cannot fail.
                let _ = write!(used, "{between}{tokens} tokens {what}");
            }
        }
        if !used.is_empty() {
            self.note(&used, None);
        }
    }
}

/// Returns the description that replaces a file's bytes.
pub(super) fn described(file: &ExportedFile<'_>) -> String {
    let ExportedFile { name, media_type, bytes } = file;
    let name = name.map(|name| format!("{name}, ")).unwrap_or_default();
    format!("with a file: {name}{media_type}, {bytes} bytes")
}
