//! What is told of a session, one thing after the other, whatever the format.

use std::{fmt::Write as _, iter::Peekable, vec::IntoIter};

use jiff::Timestamp;
use loop_core::Usage;
use serde_json::Value;

use super::{
    super::{CalledTool, Change, Entry, SessionInfo, Stamped},
    Speech, SpokenCall, SpokenFile, View,
};

/// One thing that happened.
#[derive(Debug, PartialEq)]
pub(super) enum Beat<'a> {
    /// The session begins, or goes on.
    Scene {
        time: Timestamp,
        what: String,
    },
    User {
        text: &'a str,
        files: Vec<SpokenFile<'a>>,
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
    /// A word about what happened, and the text that belongs to it.
    Note {
        what: String,
        text: Option<&'a str>,
    },
}

/// All of them, and what the session was begun with.
pub(super) fn beats<M>(entries: &[Stamped<M>], view: View<M>) -> (Option<&SessionInfo>, Vec<Beat<'_>>) {
    let mut told = Told { view, length: 0, turn: None, beats: Vec::new() };
    entries.iter().for_each(|stamped| told.tell(stamped));
    told.cut_turn();
    let info = entries.iter().find_map(|stamped| match &stamped.entry {
        Entry::Begun(info) => Some(info),
        _ => None,
    });
    (info, told.beats)
}

struct Told<'a, M> {
    view: View<M>,
    /// Messages in the conversation.
    length: usize,
    /// What was called in the turn under way.
    turn: Option<Vec<&'a CalledTool>>,
    beats: Vec<Beat<'a>>,
}

impl<'a, M> Told<'a, M> {
    fn tell(&mut self, Stamped { time, entry }: &'a Stamped<M>) {
        match entry {
            Entry::Begun(_) => self.scene(*time, "SESSION".to_owned()),
            Entry::Resumed { model } => {
                self.cut_turn();
                self.scene(*time, format!("SESSION, RESUMED WITH {model}"));
            }
            Entry::Asked { prompt, model: _ } => {
                self.cut_turn();
                let Speech { text, files, .. } = (self.view)(prompt);
                self.beats.push(Beat::User { text, files });
                self.turn = Some(Vec::new());
            }
            Entry::Called(called) => match &mut self.turn {
                Some(turn) => turn.push(called),
                None => self.called(called),
            },
            Entry::Answered { change, usage, model } => {
                self.answered(change, model);
                self.used(usage);
            }
            Entry::Unanswered { why, usage, said } => {
                self.calls_of_turn();
                if !said.is_empty() {
                    self.note("said before it broke off", Some(said));
                }
                self.note("no reply", Some(why));
                self.used(usage);
            }
            Entry::Ran { command, output, change } => {
                self.follow(change);
                self.beats.push(Beat::Command { line: command, output });
            }
            Entry::ModelChanged { model } => self.note("model", Some(model)),
            Entry::ToolsChanged { on: true } => self.note("the model can call tools", None),
            Entry::ToolsChanged { on: false } => self.note("the model can call no tools", None),
            Entry::Pinned { text } => self.note("pinned", Some(text)),
            Entry::Unpinned => self.note("nothing is pinned any more", None),
            Entry::Cleared => {
                self.length = 0;
                self.note("the conversation was cleared", None);
            }
            Entry::Summarised { summary, change, usage } => {
                self.follow(change);
                self.note("summary of what was said before", Some(summary));
                self.used(usage);
            }
            Entry::LoopBegun { interval_seconds, count, prompt } => {
                let count = count.map(|count| format!(", {count} TIMES AT MOST")).unwrap_or_default();
                self.scene(*time, format!("LOOP, EVERY {interval_seconds} s{count}"));
                self.note("repeated", Some(prompt));
            }
            Entry::LoopEnded { iterations, how } => {
                self.note(&format!("the loop ended after {iterations} iterations"), Some(how));
                self.scene(*time, "SESSION".to_owned());
            }
            Entry::Renamed { name } => self.note("the session is called", Some(name)),
            Entry::Ended => {}
        }
    }

    fn scene(&mut self, time: Timestamp, what: String) {
        self.beats.push(Beat::Scene { time, what });
    }

    fn note(&mut self, what: &str, text: Option<&'a str>) {
        self.beats.push(Beat::Note { what: what.to_owned(), text });
    }

    fn called(&mut self, CalledTool { tool, arguments, result, done }: &'a CalledTool) {
        self.beats.push(Beat::Tool { tool, arguments, result, done: Some(*done) });
    }

    /// The turn under way has no end: the process was killed in it.
    fn cut_turn(&mut self) {
        if self.turn.is_some() {
            self.calls_of_turn();
            self.note("the session was cut here: there is no reply", None);
        }
    }

    /// Calls of a turn without a reply.
    fn calls_of_turn(&mut self) {
        self.turn.take().into_iter().flatten().for_each(|called| self.called(called));
    }

    /// What the model said in a turn, each call where it was made. The result of a call is what was written when it
    /// was made: in the conversation it may have made way already.
    fn answered(&mut self, change: &'a Change<M>, model: &'a str) {
        let mut made = self.turn.take().unwrap_or_default().into_iter().peekable();
        let said_before = self.length.saturating_sub(change.kept);
        self.follow(change);
        for (at, message) in change.messages.iter().skip(said_before).enumerate() {
            let Speech { by_model, text, calls, files } = (self.view)(message);
            if !by_model {
                // The first is the prompt, which was told when it was said.
                self.beats.extend((at > 0).then_some(Beat::User { text, files }));
                continue;
            }
            if !text.is_empty() || calls.is_empty() {
                self.beats.push(Beat::Model { name: model, text });
            }
            calls.into_iter().for_each(|call| self.call(call, &mut made));
        }
        made.for_each(|called| self.called(called));
    }

    fn call(&mut self, call: SpokenCall<'a>, made: &mut Peekable<IntoIter<&'a CalledTool>>) {
        let SpokenCall { tool, arguments, result } = call;
        match made.next_if(|called| called.tool == tool && called.arguments == *arguments) {
            Some(called) => self.called(called),
            None => self.beats.push(Beat::Tool { tool, arguments, result, done: None }),
        }
    }

    /// The conversation is as long as this leaves it.
    fn follow(&mut self, change: &Change<M>) {
        self.length = change.kept + change.messages.len();
    }

    fn used(&mut self, usage: &Usage) {
        let mut used = String::new();
        for (tokens, what) in [(usage.input_tokens, "read"), (usage.output_tokens, "written")] {
            if let Some(tokens) = tokens {
                let between = if used.is_empty() { "" } else { ", " };
                // Writing to a string cannot fail.
                let _ = write!(used, "{between}{tokens} tokens {what}");
            }
        }
        if !used.is_empty() {
            self.note(&used, None);
        }
    }
}

/// What is said of a file instead of its bytes.
pub(super) fn described(file: &SpokenFile<'_>) -> String {
    let SpokenFile { name, media_type, bytes } = file;
    let name = name.map(|name| format!("{name}, ")).unwrap_or_default();
    format!("with a file: {name}{media_type}, {bytes} bytes")
}
