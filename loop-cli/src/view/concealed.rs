//! Secrets that must not appear: an agent may print its environment while somebody looks over a shoulder.

use std::{
    borrow::Cow,
    env,
    sync::{LazyLock, PoisonError, RwLock},
};

use anstream::adapter::StripBytes;
use loop_telemetry::{RedactingStream, Redactor};

use crate::keeping;

/// The secrets of a run: those of the environment and of its manifest.
static SECRETS: RwLock<Option<Redactor>> = RwLock::new(None);

/// The secrets of the environment, used while there is no run. They load lazily, because building the search takes
/// time, and many commands print nothing that could contain a secret.
static OF_ENVIRONMENT: LazyLock<Redactor> = LazyLock::new(|| {
    let variables: Vec<_> = env::vars_os().collect();
    keeping::secrets(variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str())))
});

/// Hides these secrets too, from now on.
pub(crate) fn learn(more: impl IntoIterator<Item = Vec<u8>>) {
    let known = secrets().and(more).shapes();
    conceal(known);
}

/// Hides these secrets from now on.
pub(crate) fn conceal(secrets: Redactor) {
    *SECRETS.write().unwrap_or_else(PoisonError::into_inner) = Some(secrets);
}

/// Returns the hidden secrets.
pub(crate) fn secrets() -> Redactor {
    let of_run = SECRETS.read().unwrap_or_else(PoisonError::into_inner).clone();
    of_run.unwrap_or_else(|| OF_ENVIRONMENT.clone())
}

/// Removes secrets from the text.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    secrets().redact(text)
}

/// Returns the bytes from `start` without secrets and terminal control sequences. It also removes a secret that begins
/// before `start`.
pub(super) fn clean_from(bytes: &[u8], start: usize) -> Vec<u8> {
    let mut stream = CleanStream::for_eyes();
    stream.push(&bytes[..start]);
    let mut clean = stream.push(&bytes[start..]).to_vec();
    clean.extend(stream.rest());
    clean
}

/// Removes secrets from output that arrives in pieces.
#[derive(Debug)]
pub(crate) struct CleanStream {
    stream: RedactingStream,
    eyes: Option<Eyes>,
    clean: Vec<u8>,
}

/// The second pass for people, after the first one has removed secrets. Removing terminal controls can delete letters
/// too, so a secret's remains no longer match; it can also join the parts of a secret. So this pass searches for
/// secrets again.
#[derive(Debug)]
struct Eyes {
    strip: StripBytes,
    stream: RedactingStream,
}

impl Eyes {
    fn push(&mut self, redacted: &[u8], clean: &mut Vec<u8>) {
        let Self { strip, stream } = self;
        strip.strip_next(redacted).for_each(|part| stream.push(part, clean));
    }
}

impl CleanStream {
    /// For programs: removes only secrets.
    pub(super) fn new() -> Self {
        Self { stream: secrets().stream(), eyes: None, clean: Vec::new() }
    }

    /// For people: removes terminal controls as well.
    pub(crate) fn for_eyes() -> Self {
        Self::for_eyes_without(&secrets())
    }

    fn for_eyes_without(secrets: &Redactor) -> Self {
        let eyes = Eyes { strip: StripBytes::new(), stream: secrets.stream() };
        Self { stream: secrets.stream(), eyes: Some(eyes), clean: Vec::new() }
    }

    /// Returns the output that is clean after this piece. A possible beginning of a secret is held back.
    pub(crate) fn push(&mut self, piece: &[u8]) -> &[u8] {
        self.clean.clear();
        match &mut self.eyes {
            None => self.stream.push(piece, &mut self.clean),
            Some(eyes) => {
                let mut redacted = Vec::new();
                self.stream.push(piece, &mut redacted);
                eyes.push(&redacted, &mut self.clean);
            }
        }
        &self.clean
    }

    /// Returns the held-back bytes, which were no secret. The stream can start again.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let (mut held, mut rest) = (Vec::new(), Vec::new());
        self.stream.finish(&mut held);
        let Some(eyes) = &mut self.eyes else { return held };
        eyes.push(&held, &mut rest);
        eyes.stream.finish(&mut rest);
        rest
    }

    /// Discards the held-back bytes, because the next piece is missing.
    pub(super) fn forget(&mut self) {
        self.rest();
        if let Some(eyes) = &mut self.eyes {
            eyes.strip = StripBytes::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sequence_takes_a_letter_out_of_a_secret_before_it_is_looked_for() {
        let secret = "hunterAlphaBetaGamma77";
        let secrets = Redactor::new([secret]);
        for unseen in [
            "\u{1b}",
            "\u{1b}\u{1b}",
            "\u{1b}[1m",
            "\u{1b}[3\u{7}1m",
            "\u{1b}[3\u{18}1m",
            "\u{1b}[3\r1m",
            "\u{1b}Pabc\u{7}",
            "\u{1b}Pabc\u{7}x\u{1b}\\",
            "\u{9b}1m",
            "\u{200b}",
            "\u{1b}(B",
            "\u{1b}([",
        ] {
            for at in 1..secret.len() {
                let text = format!("it is {}{unseen}{}.", &secret[..at], &secret[at..]);
                for size in [1, 5, 1000] {
                    let mut stream = CleanStream::for_eyes_without(&secrets);
                    let mut clean: Vec<u8> = Vec::new();
                    text.as_bytes().chunks(size).for_each(|piece| clean.extend(stream.push(piece)));
                    clean.extend(stream.rest());
                    assert_eq!(String::from_utf8_lossy(&clean), "it is [redacted].", "{text:?}");
                }
            }
        }
    }
}
