//! Secrets that must not be seen: an agent prints its environment, and somebody looks over a shoulder.

use std::{
    borrow::Cow,
    env,
    sync::{LazyLock, PoisonError, RwLock},
};

use anstream::adapter::StripBytes;
use loop_telemetry::{RedactingStream, Redactor};

use crate::keeping;

/// The secrets of a run: those of the environment, and those of its manifest.
static SECRETS: RwLock<Option<Redactor>> = RwLock::new(None);

/// Those of the environment, for as long as there is no run. To look for them takes a search that takes its time
/// to make, and many a command says nothing in which one could be.
static OF_ENVIRONMENT: LazyLock<Redactor> = LazyLock::new(|| {
    let variables: Vec<_> = env::vars_os().collect();
    keeping::secrets(variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str())))
});

/// Shows none of these secrets either from now on.
pub(crate) fn learn(more: impl IntoIterator<Item = Vec<u8>>) {
    let known = secrets().and(more).shapes();
    conceal(known);
}

/// Shows none of these secrets from now on.
pub(crate) fn conceal(secrets: Redactor) {
    *SECRETS.write().unwrap_or_else(PoisonError::into_inner) = Some(secrets);
}

/// The secrets that are not shown.
pub(crate) fn secrets() -> Redactor {
    let of_run = SECRETS.read().unwrap_or_else(PoisonError::into_inner).clone();
    of_run.unwrap_or_else(|| OF_ENVIRONMENT.clone())
}

/// The text without secrets.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    secrets().redact(text)
}

/// The bytes from `start` on without secrets, also without one that begins before it, and without what steers a
/// terminal.
pub(super) fn clean_from(bytes: &[u8], start: usize) -> Vec<u8> {
    let mut stream = CleanStream::for_eyes();
    stream.push(&bytes[..start]);
    let mut clean = stream.push(&bytes[start..]).to_vec();
    clean.extend(stream.rest());
    clean
}

/// Takes secrets out of output that comes in pieces.
#[derive(Debug)]
pub(crate) struct CleanStream {
    stream: RedactingStream,
    eyes: Option<Eyes>,
    clean: Vec<u8>,
}

/// What becomes of output for people, once secrets are taken out of it as it is written: taking out what steers a
/// terminal can take letters along, and what is left of a secret is none any more. It can also bring the parts of one
/// together, so secrets are looked for again.
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
    /// For programs: nothing is taken out but secrets.
    pub(super) fn new() -> Self {
        Self { stream: secrets().stream(), eyes: None, clean: Vec::new() }
    }

    /// For people: without what steers a terminal as well.
    pub(crate) fn for_eyes() -> Self {
        Self::for_eyes_without(&secrets())
    }

    fn for_eyes_without(secrets: &Redactor) -> Self {
        let eyes = Eyes { strip: StripBytes::new(), stream: secrets.stream() };
        Self { stream: secrets.stream(), eyes: Some(eyes), clean: Vec::new() }
    }

    /// What is clean with this piece. What may be the beginning of a secret is held back.
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

    /// What was held back, and turned out to be none. The stream can begin anew.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let (mut held, mut rest) = (Vec::new(), Vec::new());
        self.stream.finish(&mut held);
        let Some(eyes) = &mut self.eyes else { return held };
        eyes.push(&held, &mut rest);
        eyes.stream.finish(&mut rest);
        rest
    }

    /// Forgets what is held back: a piece is missing after it.
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
