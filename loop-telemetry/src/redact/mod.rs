//! Taking secrets out of what is written down.
//!
//! An agent that runs `env`, a test that fails with the request it sent, a stack trace with the address of
//! a database: sooner or later a key is in what an agent prints. There it scrolls away; in a journal, a record
//! or a report it stays, is copied into a bug report, and read by the next agent. So the values that are known
//! to be secret are replaced before anything is written, and so is what looks like a key.
//!
//! A secret is seldom printed as it is: it stands in JSON, in an address, in a header in base 64, or with a colour in
//! the middle. `unit.rs` and `ansi.rs` say what is seen of a text, `forms.rs` what is looked for, and `scan.rs` brings
//! the two together. A text is read in several lanes at once. Each lane turns it into signs or bytes with their places:
//! `lane.rs` has those of signs, `numbers.rs` and `words.rs` those of numbers, and `spelled.rs` that of signs that stand
//! alone. A new spelling is one more decoder for a lane, or one more form.
//!
//! Output comes in pieces, and a secret may be cut in two by their edge. [`RedactingStream`] holds back what
//! could be the beginning of one until it is known.

mod address;
mod ansi;
mod automaton;
mod begins;
mod cut;
mod digits;
mod filter;
mod forms;
mod found;
mod json;
mod keys;
mod lane;
mod literal;
mod numbers;
mod progress;
mod rows;
mod scan;
mod shapes;
mod spelled;
mod stream;
mod tails;
mod trail;
mod unit;
mod words;

use std::{borrow::Cow, fmt, sync::Arc};

use loop_core::Event;

pub use self::{address::secrets_in_addresses, stream::RedactingStream};
use self::{progress::Scan, scan::Scanner};

/// What stands where a secret stood.
pub const REDACTED: &str = "[redacted]";

/// Knows secrets, and takes them out of texts. Cloning is cheap.
///
/// ```
/// use loop_telemetry::Redactor;
/// let redactor = Redactor::new(["hunter2-hunter2"]).shapes();
/// assert_eq!(redactor.redact("login with hunter2-hunter2."), "login with [redacted].");
/// assert_eq!(redactor.redact("key AKIAIOSFODNN7EXAMPLE in ~/.aws"), "key [redacted] in ~/.aws");
/// assert_eq!(redactor.redact("the task-force met"), "the task-force met");
/// ```
#[derive(Clone)]
pub struct Redactor(Arc<Scanner>);

impl Redactor {
    /// Takes these values out: those of the variables that hold secrets. Beside each value these count as
    /// secrets: each long line of it, if it has several; and [those in it](secrets_in_addresses), if it is an address.
    ///
    /// They are found in each of these forms, and in mixtures of the first four:
    ///
    /// - as they are;
    /// - with escapes: of JSON, of strings in programs (`\n`, `\x41`, `\101`), of addresses (`%41`, `+` for a space),
    ///   also where only some signs are escaped, or those of JSON twice;
    /// - with colours and other escape sequences of terminals in them, control characters, or signs without width;
    /// - over the end of a line that a program has wrapped: more than 30 bytes of one word stand before it;
    /// - in lines of any length, and in the quotes of shells, tables (`""`) and markup (`&quot;`, `&#107;`);
    /// - in base 64, of both alphabets, with or without padding, also in the middle of a longer text, and of UTF-16 with
    ///   the low byte first; in base 32;
    /// - with a backslash before any of its signs, as a shell traces comparisons (`\k\e\y`);
    /// - in hexadecimal digits, of both cases, also behind a prefix (`\x6b6579`, `%6b6579`, `X'6b6579'`), and with spaces,
    ///   colons, hyphens, commas, quotes, brackets, ends of lines or such prefixes between bytes;
    /// - in numbers with the same signs between them: hexadecimal words of which the last byte comes first (`2d79656b`),
    ///   octal bytes and words (`153`, `062553`), decimal bytes and code points (`107`), and binary bytes (`01101011`);
    /// - with each sign alone: `k   e   y`, `['k', 'e', 'y']`;
    /// - in dumps of these, with the offsets and the text columns of `xxd`, `hexdump` and `od`.
    ///
    /// Values of fewer than 6 bytes are passed over, since they are in every second word, and so are parts of
    /// [`REDACTED`]. So no form is shorter than 6 signs, 7 digits in base 64, or 12 hexadecimal digits; of separated
    /// ones there have to be 16, since numbers stand in lists. A value in other numbers, in signs that stand alone, or in
    /// short lines has at least 8 bytes, and is no sequence such as `12345678`: lists count like that.
    ///
    /// # Panics
    /// If there are some hundred megabytes of values.
    pub fn new<V: AsRef<[u8]>>(values: impl IntoIterator<Item = V>) -> Self {
        let values = values.into_iter().map(|value| value.as_ref().to_vec()).collect();
        Self(Arc::new(Scanner::new(values, &[])))
    }

    /// Takes these values out as well, as [`new`](Self::new) does. [Shapes](Self::shapes) are asked for again after it.
    #[must_use]
    pub fn and<V: AsRef<[u8]>>(self, values: impl IntoIterator<Item = V>) -> Self {
        let more = values.into_iter().map(|value| value.as_ref().to_vec());
        Self::new(self.0.values().iter().cloned().chain(more))
    }

    /// Takes out as well what looks like a key: `sk-...`, `ghp_...`, `AKIA...`, private keys, web tokens, and
    /// some thirty more by the prefixes that their vendors gave them.
    #[must_use]
    pub fn shapes(self) -> Self {
        Self(Arc::new(Scanner::new(self.0.values().to_vec(), shapes::SHAPES)))
    }

    /// The text without its secrets. Where it says that bytes were left out (`[... 12 bytes left out ...]`, on a
    /// line of its own), the parts of secrets at the edges are taken out too: see
    /// [`redact_ends`](Self::redact_ends).
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if let Some(clean) = self.redact_excerpt(text) {
            return Cow::Owned(clean);
        }
        match self.redact_bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(clean) => Cow::Owned(match String::from_utf8(clean) {
                Ok(clean) => clean,
                // A value that is no text was found in the middle of a character.
                Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            }),
        }
    }

    /// The bytes without their secrets.
    pub fn redact_bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let mut scan = Scan::default();
        self.0.read(bytes, true, &mut scan);
        if scan.found.is_empty() {
            return Cow::Borrowed(bytes);
        }
        let mut clean = Vec::with_capacity(bytes.len());
        scan.pass(bytes, true, &mut clean);
        Cow::Owned(clean)
    }

    /// Redacts output as it comes, in pieces.
    pub fn stream(&self) -> RedactingStream {
        RedactingStream::new(Arc::clone(&self.0))
    }

    /// An event without the secrets in its texts.
    pub(crate) fn event(&self, event: &Event) -> Event {
        let mut event = event.clone();
        event.change_texts(&mut |text| match self.redact(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(clean) => Some(clean),
        });
        event
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the values.
        f.debug_struct("Redactor").field("values", &self.0.values().len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
