//! The account of a command: what its stream tells of its actions.
//!
//! Some agents print what they do for other programs to read, each in its own way. That is the agent's program
//! speaking, and not its model, so it is worth more than any report. One file an agent; the streams that they were
//! written from are in the folder `conformance`.

mod claude;
mod codex;
mod pi;

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{Account, Source, recorder::subject};
use crate::usage::{Format, Line, Lines, tolerant};

/// The longest line that is read: 8 MiB, as for usage.
const MAX_LINE_BYTES: usize = 8 * 1024 * 1024;
/// How many calls may be under way: more are not paired with their results.
const MAX_CALLS: usize = 1000;

/// Reads one run of an agent.
#[derive(Debug)]
pub(super) struct Actions {
    lines: Lines,
    /// What a line of this agent means.
    read: fn(&Value, &mut Deeds),
    deeds: Deeds,
}

/// What is known so far.
#[derive(Debug)]
struct Deeds {
    account: Account,
    /// Paths below it are told without it.
    root: PathBuf,
    /// Calls that have begun, by their ids.
    calls: HashMap<String, Call>,
}

/// A call of one of the agent's own tools.
#[derive(Debug)]
struct Call {
    tool: String,
    about: String,
}

impl Actions {
    /// A reader for an agent of this format that works in this folder; none if the format says nothing of actions.
    pub(super) fn of(format: Format, root: PathBuf) -> Option<Self> {
        let read = match format {
            Format::ClaudeStreamJson => claude::read,
            Format::CodexJson => codex::read,
            Format::PiJson => pi::read,
            _ => return None,
        };
        let deeds = Deeds { account: Account::from_source(Source::Stream), root, calls: HashMap::new() };
        Some(Self { lines: Lines::with_max(MAX_LINE_BYTES), read, deeds })
    }

    /// Takes the next bytes of standard output, torn anywhere.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        let Self { lines, read, deeds } = self;
        lines.feed(bytes, |line| take(line, *read, deeds));
    }

    /// All that was told.
    pub(super) fn finish(mut self) -> Account {
        let Self { lines, read, deeds } = &mut self;
        lines.finish(|line| take(line, *read, deeds));
        self.deeds.account
    }
}

fn take(line: Line<'_>, read: fn(&Value, &mut Deeds), deeds: &mut Deeds) {
    let Line::Whole(line) = line else { return };
    // As for usage: bytes that are no text, and numbers that are none, are what a tool printed.
    if let Ok(object @ Value::Object(_)) = tolerant::parse(&String::from_utf8_lossy(line)) {
        read(&object, deeds);
    }
}

impl Deeds {
    /// A call has begun.
    fn begun(&mut self, id: &Value, tool: &Value, arguments: &Value) {
        let (Some(id), Some(tool)) = (id.as_str(), tool.as_str()) else { return };
        if self.calls.len() < MAX_CALLS {
            let call = Call { tool: tool.to_owned(), about: subject(arguments).to_owned() };
            self.calls.insert(id.to_owned(), call);
        }
    }

    /// A call has ended: what it said, whether it failed, and its exit code if it was a command.
    fn ended(&mut self, id: &Value, text: &str, is_error: bool, exit_code: Option<i32>) {
        let Some(Call { tool, about }) = id.as_str().and_then(|id| self.calls.remove(id)) else { return };
        let account = &mut self.account;
        match tool.to_ascii_lowercase().as_str() {
            "bash" | "shell" if !is_error || exit_code.is_some() => return account.ran(&about, exit_code),
            // A command that never came to an exit code was refused, or cut.
            _ if is_error => {
                return account.failed(&format!("{tool}({about})"), text.lines().next().unwrap_or_default());
            }
            _ => {}
        }
        let path = local(&self.root, &about);
        match tool.to_ascii_lowercase().as_str() {
            "write" => account.wrote(path),
            "edit" | "multiedit" | "notebookedit" => account.edited(path),
            "read" => account.read(path),
            _ => {}
        }
    }

    /// A path as it is told.
    fn local<'a>(&self, path: &'a str) -> &'a str {
        local(&self.root, path)
    }
}

fn local<'a>(root: &Path, path: &'a str) -> &'a str {
    Path::new(path).strip_prefix(root).ok().and_then(|path| path.to_str()).unwrap_or(path)
}

/// The number that stands behind these words.
fn number_after(text: &str, words: &str) -> Option<i32> {
    let (_, rest) = text.rsplit_once(words)?;
    let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests;
