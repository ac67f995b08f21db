//! The JSON objects of a stream.
//!
//! Agents print one object a line, or one over many lines, and other programs print into the same stream. So an
//! object begins where a line does and ends where its braces do, whatever stands after it. What began like an
//! object and is none is text, and takes nothing with it that can be read: a line that begins with a brace begins
//! an object, since within one that goes over several lines such a line is indented.

use std::borrow::Cow;

use serde::Deserialize;

use super::{
    account::Account,
    braces::Braces,
    dialect::Dialect,
    figures,
    lines::{Line, Lines},
    tolerant,
};
use crate::output::objects::{self, Read};

/// The longest line, and the longest object, that is read: 8 MiB. An agent that reads a large file has
/// all of it in one line.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// What is said of an object that does not stand at the beginning of its line.
const BEHIND_TEXT: &str = "an object of the agent's stands behind other text in its line, and was not read: does \
                           something else print to the same place?";

/// The only part of an object that is looked at before it is known to be of interest.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
}

/// Finds the objects of one stream and hands them to a [`Dialect`].
#[derive(Debug)]
pub(super) struct Objects {
    lines: Lines,
    found: Found,
}

#[derive(Debug, Default)]
struct Found {
    /// The object whose end has not come.
    open: Option<Open>,
    /// Something was printed.
    anything: bool,
    /// Something of it is as this agent prints it, and no other.
    own: bool,
}

/// The beginning of an object that goes over several lines.
#[derive(Debug, Default)]
struct Open {
    text: Vec<u8>,
    braces: Braces,
}

impl Default for Objects {
    fn default() -> Self {
        Self { lines: Lines::with_max(MAX_BYTES), found: Found::default() }
    }
}

impl Objects {
    /// Takes the next bytes.
    pub(super) fn feed(&mut self, bytes: &[u8], dialect: &mut dyn Dialect, account: &mut Account) {
        let Self { lines, found } = self;
        lines.feed(bytes, |line| found.line(line, dialect, account));
    }

    /// The stream has ended: what stands there without a newline is a line too.
    pub(super) fn finish(&mut self, dialect: &mut dyn Dialect, account: &mut Account) {
        let Self { lines, found } = self;
        lines.finish(|line| found.line(line, dialect, account));
        found.break_off(account);
    }

    /// Whether there is something, and nothing of it is as this agent prints it.
    pub(super) fn are_foreign(&self) -> bool {
        self.found.anything && !self.found.own
    }
}

impl Found {
    fn line(&mut self, line: Line<'_>, dialect: &mut dyn Dialect, account: &mut Account) {
        self.anything = true;
        let Line::Whole(mut rest) = line else {
            self.break_off(account);
            return account.notes.add(&format!("refused: a line of more than {MAX_BYTES} bytes"));
        };
        if rest.first() == Some(&b'{') {
            self.break_off(account);
        }
        while !rest.is_empty() {
            let mut open = match self.open.take() {
                Some(open) => open,
                None if rest.trim_ascii_start().first() == Some(&b'{') => Open::default(),
                None => return self.look_behind(rest, dialect, account),
            };
            let Some(end) = open.braces.follow(rest) else { return self.keep(open, rest, account) };
            let (last, after) = rest.split_at(end);
            if open.text.is_empty() {
                // Nearly all of them: none is copied.
                self.object(last, dialect, account);
            } else {
                open.text.extend_from_slice(last);
                self.object(&open.text, dialect, account);
            }
            rest = after;
        }
    }

    /// The object goes on in the next line, if it can.
    fn keep(&mut self, mut open: Open, line: &[u8], account: &mut Account) {
        if open.braces.is_in_string() {
            return refuse(account);
        }
        if open.text.len() + line.len() > MAX_BYTES {
            return account.notes.add(&format!("refused: an object of more than {MAX_BYTES} bytes"));
        }
        open.text.extend_from_slice(line);
        open.text.push(b'\n');
        self.open = Some(open);
    }

    /// The end of the object that has begun will not come.
    fn break_off(&mut self, account: &mut Account) {
        if self.open.take().is_some() {
            account.notes.add("an object began and did not end, so it is taken for text");
        }
    }

    fn object(&mut self, bytes: &[u8], dialect: &mut dyn Dialect, account: &mut Account) {
        // Bytes that are no text are what a tool printed. Numbers beside them count all the same.
        let text = String::from_utf8_lossy(bytes);
        if !self.read(&text, dialect, account) && !self.read(&tolerant::mended(&text), dialect, account) {
            refuse(account);
        }
    }

    /// Hands an object on, if it is of interest; false if it cannot be read.
    fn read(&mut self, text: &str, dialect: &mut dyn Dialect, account: &mut Account) -> bool {
        let Ok(Head { kind }) = serde_json::from_str(text) else { return false };
        let is_read = kind.as_deref().map_or(dialect.has_documents(), |kind| dialect.reads(kind));
        if is_read {
            let Ok(Read { value: object, doubled }) = objects::read(text) else { return false };
            for key in &doubled {
                account.notes.add(&format!("refused: {}", figures::twice(key)));
            }
            account.begin_object(!doubled.is_empty());
            match kind.as_deref() {
                Some(kind) => dialect.line(kind, &object, account),
                None => self.own |= dialect.document(&object, account),
            }
        }
        self.own |= kind.as_deref().is_some_and(|kind| dialect.is_own(kind));
        true
    }

    /// Text in a line of which an object is the rest: whoever printed it lost what the agent said.
    fn look_behind(&self, line: &[u8], dialect: &dyn Dialect, account: &mut Account) {
        let Some(start) = line.windows(2).position(|signs| signs == b"{\"") else { return };
        let Ok(text) = std::str::from_utf8(&line[start..]) else { return };
        if let Ok(Head { kind: Some(kind) }) = serde_json::from_str(text)
            && dialect.reads(&kind)
        {
            account.notes.add(BEHIND_TEXT);
        }
    }
}

fn refuse(account: &mut Account) {
    account.notes.add("something that begins like an object cannot be read, so it is taken for text");
}
