//! The JSON objects of a stream: one a line, or one over several lines.

use std::borrow::Cow;

use serde::Deserialize;

use super::{
    account::Account,
    dialect::Dialect,
    lines::{Line, Lines},
};

/// The longest line, and the longest document, that is read: 8 MiB. An agent that reads a large file has
/// all of it in one line.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The only part of a line that is looked at before it is known to be of interest.
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
    /// The lines of a document whose end has not come.
    document: Option<Vec<u8>>,
    /// Objects, of whatever kind.
    objects: u64,
    /// Lines that are none.
    foreign: u64,
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
    }

    /// Whether there is something, and nothing of it is an object.
    pub(super) fn are_none(&self) -> bool {
        self.found.objects == 0 && self.found.foreign > 0
    }
}

impl Found {
    fn line(&mut self, line: Line<'_>, dialect: &mut dyn Dialect, account: &mut Account) {
        match line {
            Line::TooLong(_) => {
                self.foreign += 1;
                account.notes.add(&format!("refused: a line of more than {MAX_BYTES} bytes"));
            }
            Line::Whole(bytes) => {
                if !dialect.has_documents() || !self.is_of_document(bytes, account) {
                    self.object(bytes, dialect, account);
                } else if bytes == b"}" {
                    self.document(dialect, account);
                }
            }
        }
    }

    /// Keeps the line if it belongs to an object of several lines, and says whether it does. Programs that write one for
    /// people to read have its braces, and nothing else, at the beginning of a line.
    fn is_of_document(&mut self, bytes: &[u8], account: &mut Account) -> bool {
        if bytes == b"{" {
            self.document = Some(bytes.to_vec());
            return true;
        }
        let Some(document) = &mut self.document else { return false };
        if document.len() + bytes.len() < MAX_BYTES {
            document.push(b'\n');
            document.extend_from_slice(bytes);
        } else {
            account.notes.add(&format!("refused: an object of more than {MAX_BYTES} bytes"));
            self.document = None;
        }
        true
    }

    fn document(&mut self, dialect: &mut dyn Dialect, account: &mut Account) {
        let document = self.document.take().unwrap_or_default();
        match serde_json::from_str(&String::from_utf8_lossy(&document)) {
            Ok(document) => {
                self.objects += 1;
                dialect.document(&document, account);
            }
            Err(_) => self.refuse(account),
        }
    }

    fn object(&mut self, bytes: &[u8], dialect: &mut dyn Dialect, account: &mut Account) {
        if bytes.trim_ascii_start().first() != Some(&b'{') {
            self.foreign += 1;
            return;
        }
        // Bytes that are no text are what a tool printed. Numbers beside them count all the same.
        let text = String::from_utf8_lossy(bytes);
        let Ok(Head { kind }) = serde_json::from_str(&text) else { return self.refuse(account) };
        self.objects += 1;
        if let Some(kind) = kind.filter(|kind| dialect.reads(kind)) {
            match serde_json::from_str(&text) {
                Ok(line) => dialect.line(&kind, &line, account),
                Err(_) => self.refuse(account),
            }
        }
    }

    fn refuse(&mut self, account: &mut Account) {
        self.foreign += 1;
        account.notes.add("something that begins like an object cannot be read, so it is taken for text");
    }
}
