//! Redacts secrets in all text that is written down.
//!
//! Sooner or later an agent prints a key: it runs `env`, a test fails and prints its request, or a stack trace has the
//! address of a database. On the screen the key scrolls away. In a journal, a record or a report it stays, gets into a
//! bug report, and the next agent reads it. So we replace the known secret values before we write anything, and also
//! text that looks like a key.
//!
//! A secret is seldom printed as it is: it appears in JSON, in an address, in a header in base 64, or with a colour in
//! its middle. `unit.rs` and `ansi.rs` determine the visible part of a text, `forms.rs` the patterns, and `scan.rs`
//! combines the two. It reads a text in several lanes at once. Each lane turns the text into characters or bytes with
//! their positions: `lane.rs` has the lanes of characters, `numbers.rs` and `words.rs` those of numbers, and
//! `spelled.rs` that of single characters. Where an escape, a quote or a line end has several meanings, `readings.rs`
//! tries each. To support a new spelling, add a decoder to a lane, or a form.
//!
//! Output comes in chunks, and a chunk boundary may split a secret. [`RedactingStream`] holds back bytes that may begin
//! a secret until it knows.

mod address;
mod ansi;
mod automaton;
mod begins;
mod chunk_boundary;
mod credentials;
mod digits;
mod filter;
mod forms;
mod found;
mod json;
mod keys;
mod lane;
mod margin;
mod numbers;
#[cfg(feature = "text")]
mod output_filter;
mod progress;
mod readings;
mod rows;
mod scan;
mod shapes;
mod spelled;
mod stream;
mod tails;
mod trail;
mod unit;
mod vendors;
mod words;

use std::{borrow::Cow, fmt, sync::Arc};

use loop_core::Event;

#[cfg(feature = "text")]
pub use self::output_filter::OutputFilter;
#[cfg(feature = "text")]
pub(crate) use self::unit::is_invisible;
pub use self::{address::secrets_in_addresses, credentials::redact_credentials, stream::RedactingStream};
use self::{
    progress::{Scan, WRAPPED},
    scan::Scanner,
};

/// The replacement for secrets.
pub const REDACTED: &str = "[redacted]";

/// Removes known secrets from texts. Cloning is cheap.
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
    /// Creates a redactor for these values, usually those of the variables that hold secrets. If a value has several
    /// lines, each long line is a secret too. If it is an address, so are [the secrets in it](secrets_in_addresses).
    ///
    /// It finds them in each of these forms, and in mixtures of the first four:
    ///
    /// - as they are;
    /// - with escapes: of JSON, of strings in programs (`\n`, `\x41`, `\101`), of addresses (`%41`, `+` for a space),
    ///   also if only some characters are escaped, or those of JSON twice. If the value contains such an escape itself,
    ///   the escape may also be meant as it is written;
    /// - with colours and other terminal escape sequences inside, control characters, or characters without width;
    /// - across the end of a line that a program has wrapped: at least 30 bytes of one word precede it. In texts of up
    ///   to 16 KiB, a space may have replaced the line end;
    /// - in lines of any length, also if each begins with a margin: an indentation, marks (`> `, `// `), digits, or a
    ///   text that is the same in each line, of up to 64 bytes. A line end may replace a space;
    /// - in the quotes of shells, tables (`""`) and markup (`&quot;`, `&#107;`);
    /// - in base 64, of both alphabets, with or without padding, also inside a longer text, and of UTF-16 with the low
    ///   byte first; in base 32;
    /// - with a backslash before any of its characters, as a shell traces comparisons (`\k\e\y`);
    /// - in hexadecimal digits, of both cases, also after a prefix (`\x6b6579`, `%6b6579`, `X'6b6579'`), and with
    ///   spaces, colons, hyphens, commas, quotes, brackets, line ends or such prefixes between bytes;
    /// - in numbers with the same separators: hexadecimal words with the last byte first (`2d79656b`), octal bytes and
    ///   words (`153`, `062553`), decimal bytes and code points (`107`), and binary bytes (`01101011`);
    /// - as single characters: `k   e   y`, `['k', 'e', 'y']`;
    /// - in dumps of these, with the offsets and the text columns of `xxd`, `hexdump` and `od`.
    ///
    /// It ignores values of fewer than 6 bytes, because they occur everywhere, and parts of [`REDACTED`]. So no form is
    /// shorter than 6 characters, 7 digits in base 64, or 12 hexadecimal digits. With separators, 16 hexadecimal digits
    /// are needed, because lists contain numbers. A value in other numbers, as single characters, or in short lines
    /// must have at least 8 bytes, and must not be a sequence such as `12345678`, because lists count like that.
    ///
    /// # Panics
    /// If the values have some hundred megabytes in total.
    pub fn new<V: AsRef<[u8]>>(values: impl IntoIterator<Item = V>) -> Self {
        let values = values.into_iter().map(|value| value.as_ref().to_vec()).collect();
        Self(Arc::new(Scanner::new(values, &[])))
    }

    /// Adds these values, as [`new`](Self::new) does. Call [`shapes`](Self::shapes) again after it.
    #[must_use]
    pub fn and<V: AsRef<[u8]>>(self, values: impl IntoIterator<Item = V>) -> Self {
        let more = values.into_iter().map(|value| value.as_ref().to_vec());
        Self::new(self.0.values().iter().cloned().chain(more))
    }

    /// Also redacts text that looks like a key: `sk-...`, `ghp_...`, `AKIA...`, private keys, web tokens, and some
    /// thirty more vendor prefixes.
    #[must_use]
    pub fn shapes(self) -> Self {
        Self(Arc::new(Scanner::new(self.0.values().to_vec(), shapes::SHAPES)))
    }

    /// Returns the redactor of the values only.
    fn without_shapes(&self) -> Self {
        Self(Arc::clone(self.0.without_shapes()))
    }

    /// Redacts a text. Where a notice (`[... 12 bytes left out ...]`) or an ellipsis (`…`) shows that the text was cut,
    /// it also redacts the parts of secrets at the edges: see [`redact_ends`](Self::redact_ends).
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if let Some(clean) = self.redact_excerpt(text) {
            return Cow::Owned(clean);
        }
        match self.redact_message(text) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(clean) => Cow::Owned(match String::from_utf8(clean) {
                Ok(clean) => clean,
                // A value that is not text was found in the middle of a character.
                Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            }),
        }
    }

    /// Redacts bytes.
    pub fn redact_bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let mut scan = Scan::default();
        self.0.read(bytes, true, &mut scan);
        taken_out(scan, bytes)
    }

    /// Replaces each byte of a secret with `*`, except line ends. All other text keeps its position, so that a message
    /// can point into the text, and show a part of it.
    ///
    /// ```
    /// use loop_telemetry::Redactor;
    /// let redactor = Redactor::new(["hunter2-hunter2"]);
    /// assert_eq!(redactor.mask("login with hunter2-hunter2."), "login with ***************.");
    /// assert_eq!(redactor.mask("?key=hunter2%2Dhunter2"), "?key=*****************");
    /// ```
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let scan = self.scan_message(text);
        if scan.found.is_empty() {
            return Cow::Borrowed(text);
        }
        let (mut masked, mut done) = (String::with_capacity(text.len()), 0);
        for place in scan.found.places() {
            // A value that is not text may begin or end in the middle of a character.
            let from = text.floor_char_boundary(place.start).max(done);
            let to = text.ceil_char_boundary(place.end).max(from);
            masked.push_str(&text[done..from]);
            masked.extend(text[from..to].bytes().map(|byte| match byte {
                b'\n' | b'\r' => char::from(byte),
                _ => '*',
            }));
            done = to;
        }
        masked.push_str(&text[done..]);
        Cow::Owned(masked)
    }

    /// Redacts a text that may be a message.
    fn redact_message<'a>(&self, text: &'a str) -> Cow<'a, [u8]> {
        taken_out(self.scan_message(text), text.as_bytes())
    }

    /// Finds the secrets in a text that may be a message. If it is on one line, it may come from lines that a program
    /// wrapped.
    fn scan_message(&self, text: &str) -> Scan {
        let mut scan = Scan::default();
        self.0.read(text.as_bytes(), true, &mut scan);
        if let Some(lines) = with_line_ends(text.as_bytes()) {
            let mut joined = Scan::default();
            self.0.read(&lines, true, &mut joined);
            scan.found.merge(joined.found);
        }
        scan
    }

    /// Redacts output that arrives in chunks.
    pub fn stream(&self) -> RedactingStream {
        RedactingStream::new(Arc::clone(&self.0))
    }

    /// Redacts the texts of an event.
    pub(crate) fn event(&self, event: &Event) -> Event {
        let mut event = event.clone();
        event.change_texts(&mut |text| match self.redact(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(clean) => Some(clean),
        });
        event
    }
}

/// Returns the bytes without the secrets that a scan of all of them has found.
fn taken_out(mut scan: Scan, bytes: &[u8]) -> Cow<'_, [u8]> {
    if scan.found.is_empty() {
        return Cow::Borrowed(bytes);
    }
    let mut clean = Vec::with_capacity(bytes.len());
    scan.pass(bytes, true, &mut clean);
    Cow::Owned(clean)
}

/// The maximum length of a text, in bytes, whose lines may have been joined: those are messages.
const MOST_JOINED: usize = 16 * 1024;

/// Returns the text with a line end in place of each space that may have replaced one, because a long word precedes it.
/// Returns `None` if there is no such space, or if the text is too long to be a message.
fn with_line_ends(text: &[u8]) -> Option<Vec<u8>> {
    if text.len() > MOST_JOINED {
        return None;
    }
    let (mut lines, mut word) = (None, 0);
    for (at, byte) in text.iter().enumerate() {
        if *byte == b' ' && word >= WRAPPED {
            lines.get_or_insert_with(|| text.to_vec())[at] = b'\n';
        }
        word = if byte.is_ascii_graphic() { word + 1 } else { 0 };
    }
    lines
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Does not show the values.
        f.debug_struct("Redactor").field("values", &self.0.values().len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
