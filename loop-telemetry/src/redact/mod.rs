//! Taking secrets out of what is written down.
//!
//! An agent that runs `env`, a test that fails with the request it sent, a stack trace with the address of
//! a database: sooner or later a key is in what an agent prints. There it scrolls away; in a journal, a record
//! or a report it stays, is copied into a bug report, and read by the next agent. So the values that are known
//! to be secret are replaced before anything is written, and so is what looks like a key.
//!
//! Output comes in pieces, and a secret may be cut in two by their edge. [`RedactingStream`] holds back what
//! could be the beginning of one until it is known.

mod cut;
mod json;
mod scan;
mod shapes;
mod stream;

use std::{borrow::Cow, collections::BTreeSet, fmt, sync::Arc};

use loop_core::Event;

use self::scan::{Left, Scanner};
pub use self::stream::RedactingStream;

/// What stands where a secret stood.
pub const REDACTED: &str = "[redacted]";

/// Shorter values are no secrets: they would be found in every second word.
const LEAST: usize = 6;
/// Of a value of several lines, each as long as this is a secret by itself.
const LEAST_LINE: usize = 16;

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
    /// secrets: the form that it has within JSON; each long line of it, if it has several; and the password
    /// in it, if it is an address. Values of fewer than 6 bytes are passed over, since they are in every
    /// second word, and so are parts of [`REDACTED`].
    ///
    /// # Panics
    /// If there are some hundred megabytes of values.
    pub fn new<V: AsRef<[u8]>>(values: impl IntoIterator<Item = V>) -> Self {
        let mut forms = BTreeSet::new();
        for value in values {
            add_forms(value.as_ref(), &mut forms);
        }
        Self(Arc::new(Scanner::new(forms.into_iter().collect(), &[])))
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
        if !self.0.may_be_in(bytes) {
            return Cow::Borrowed(bytes);
        }
        let mut clean = Vec::with_capacity(bytes.len());
        self.0.scan(bytes, true, &mut Left::default(), &mut clean);
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

fn add_forms(value: &[u8], forms: &mut BTreeSet<Vec<u8>>) {
    let value = value.trim_ascii();
    add(value, forms);
    let lines = value.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| line.len() >= LEAST_LINE).for_each(|line| add(line, forms));
    let Ok(text) = std::str::from_utf8(value) else { return };
    if let Some(password) = password(text) {
        add(password.as_bytes(), forms);
    }
    if let Ok(json) = serde_json::to_string(text) {
        add(&json.as_bytes()[1..json.len() - 1], forms);
    }
}

fn add(form: &[u8], forms: &mut BTreeSet<Vec<u8>>) {
    let is_ours = REDACTED.as_bytes().windows(form.len().max(1)).any(|part| part == form);
    if form.len() >= LEAST && !is_ours {
        forms.insert(form.to_vec());
    }
}

/// The password in `scheme://user:password@host`.
fn password(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    let (user, _) = rest.rsplit_once('@')?;
    user.split_once(':').map(|(_, password)| password)
}

#[cfg(test)]
mod tests;
