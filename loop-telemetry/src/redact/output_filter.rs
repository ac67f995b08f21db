//! The output of a program, without what must not be shown.

use anstream::adapter::StripBytes;

use super::{RedactingStream, Redactor};
use crate::words::{Utf8Decoder, is_display_control};

/// Removes secrets from output that arrives in pieces; for people, terminal controls too.
///
/// ```
/// use loop_telemetry::{OutputFilter, Redactor};
///
/// let mut filter = OutputFilter::for_display(&Redactor::new(["hunter2-hunter2"]));
/// assert_eq!(filter.push(b"\x1b[31mlogin with hunter2-"), b"login with ");
/// assert_eq!(filter.push(b"hunter2.\n"), b"[redacted].\n");
/// assert_eq!(filter.rest(), b"");
/// ```
#[derive(Debug)]
pub struct OutputFilter {
    stream: RedactingStream,
    display: Option<DisplayFilter>,
    output: Vec<u8>,
}

/// The second pass for people, after the first one has removed secrets. Removing terminal controls can delete letters
/// too, so a secret's remains no longer match; it can also join the parts of a secret. So this pass searches for
/// secrets again.
#[derive(Debug)]
struct DisplayFilter {
    strip: StripBytes,
    decoder: Utf8Decoder,
    stream: RedactingStream,
}

impl DisplayFilter {
    fn push(&mut self, redacted: &[u8], output: &mut Vec<u8>) {
        let Self { strip, decoder, stream } = self;
        for part in strip.strip_next(redacted) {
            let mut text = decoder.push(part);
            // A carriage return ends a line of output.
            text.retain(|sign| sign == '\r' || !is_display_control(sign));
            stream.push(text.as_bytes(), output);
        }
    }
}

impl OutputFilter {
    /// Creates a filter for programs. It removes only secrets.
    pub fn new(secrets: &Redactor) -> Self {
        Self { stream: secrets.stream(), display: None, output: Vec::new() }
    }

    /// Creates a filter for people. It removes terminal controls as well.
    pub fn for_display(secrets: &Redactor) -> Self {
        let display = DisplayFilter {
            strip: StripBytes::new(),
            decoder: Utf8Decoder::default(),
            stream: secrets.stream(),
        };
        Self { stream: secrets.stream(), display: Some(display), output: Vec::new() }
    }

    /// Returns the output that is clean after this piece. A possible beginning of a secret is held back.
    pub fn push(&mut self, piece: &[u8]) -> &[u8] {
        self.output.clear();
        match &mut self.display {
            None => self.stream.push(piece, &mut self.output),
            Some(display) => {
                let mut redacted = Vec::new();
                self.stream.push(piece, &mut redacted);
                display.push(&redacted, &mut self.output);
            }
        }
        &self.output
    }

    /// Returns the held-back bytes, which were no secret. The stream can start again.
    pub fn rest(&mut self) -> Vec<u8> {
        self.end(RedactingStream::finish)
    }

    /// Like [`rest`](Self::rest), for output whose rest is missing: bytes that may begin a secret are redacted.
    pub fn cut(&mut self) -> Vec<u8> {
        self.end(RedactingStream::cut)
    }

    fn end(&mut self, end: fn(&mut RedactingStream, &mut Vec<u8>)) -> Vec<u8> {
        let (mut held, mut rest) = (Vec::new(), Vec::new());
        end(&mut self.stream, &mut held);
        let Some(display) = &mut self.display else { return held };
        display.push(&held, &mut rest);
        end(&mut display.stream, &mut rest);
        rest
    }

    /// Discards the held-back bytes, because the next piece is missing.
    pub fn forget(&mut self) {
        self.rest();
        if let Some(display) = &mut self.display {
            display.strip = StripBytes::new();
            display.decoder = Utf8Decoder::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_secret_is_shown_only_if_nothing_is_missing() {
        let secrets = Redactor::new(["hunterAlphaBetaGamma77"]);
        let mut stream = OutputFilter::for_display(&secrets);
        for (end, rest) in [
            (OutputFilter::rest as fn(&mut _) -> _, "hun\u{1b}[1mterAlpha"),
            (OutputFilter::cut, "[redacted]"),
        ] {
            assert_eq!(stream.push("it is hun\u{1b}[1mterAlpha".as_bytes()), b"it is ");
            let plain = rest.replace("\u{1b}[1m", "");
            assert_eq!(String::from_utf8_lossy(&end(&mut stream)), plain);
        }
    }

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
                    let mut stream = OutputFilter::for_display(&secrets);
                    let mut output: Vec<u8> = Vec::new();
                    text.as_bytes().chunks(size).for_each(|piece| output.extend(stream.push(piece)));
                    output.extend(stream.rest());
                    assert_eq!(String::from_utf8_lossy(&output), "it is [redacted].", "{text:?}");
                }
            }
        }
    }
}
