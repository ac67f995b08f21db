//! The end of printed output.

use loop_agents::output::keep_end;

use crate::view::{DIM, paint, redaction::redact_from, text};

/// The number of bytes kept: more than a few lines of a wide terminal.
const KEPT: usize = 8192;

/// The number of lines shown in a panel.
const SHOWN_LINES: usize = 4;

/// The longest secret that is recognised wherever the kept bytes begin, in bytes. A private key has about three
/// thousand.
const LONGEST_SECRET: usize = 4096;

/// The last bytes of a stream.
///
/// An agent may print a gigabyte in a second, of which four lines are visible. So this stores raw bytes, and splits
/// them into lines only for display.
#[derive(Debug, Default)]
pub(crate) struct OutputTail(Vec<u8>);

impl OutputTail {
    /// Takes the next bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        keep_end(&mut self.0, bytes, KEPT);
    }

    /// Ends the line: later bytes may come from another program.
    pub(super) fn end_line(&mut self) {
        self.push(b"\n");
    }

    /// Returns the rows of a panel that show the last lines.
    pub(crate) fn rows(&self) -> Vec<String> {
        let lines = self.lines(SHOWN_LINES);
        lines.iter().map(|line| paint(DIM, format_args!("  │ {line}"))).collect()
    }

    /// Returns the last lines with content, up to this many, in a printable form.
    fn lines(&self, most: usize) -> Vec<String> {
        // The rest of a truncated secret is not recognisable as one.
        let kept = redact_from(&self.0, if self.0.len() == KEPT { LONGEST_SECRET } else { 0 });
        // The rest of a truncated character.
        let is_rest = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
        let cut = kept.iter().take(3).take_while(is_rest).count();
        let mut lines: Vec<_> = kept[cut..]
            .rsplit(|byte| matches!(byte, b'\n' | b'\r'))
            .map(|line| text::one_line(&String::from_utf8_lossy(line)))
            .filter(|line| !line.trim().is_empty())
            .take(most)
            .collect();
        lines.reverse();
        lines
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_last_lines_that_say_something_are_shown_in_order() {
        let mut tail = OutputTail::default();
        tail.push(b"one\r\ntwo\n\n\x1b[31mthr");
        tail.push(b"ee\x1b[0m\rfo\tur\n  \nfiv");
        assert_eq!(tail.lines(4), ["two", "three", "fo ur", "fiv"]);
        tail.end_line();
        tail.push(b"six");
        assert_eq!(tail.lines(2), ["fiv", "six"]);
    }

    #[test]
    fn a_character_that_was_cut_through_is_not_shown() {
        let mut tail = OutputTail::default();
        tail.push("é".repeat(KEPT).as_bytes());
        tail.push(b"x");
        let line = tail.lines(1).remove(0);
        assert!(line.len() >= KEPT - LONGEST_SECRET - 1);
        assert_eq!(line, "é".repeat(line.len() / 2) + "x");
    }

    proptest! {
        #[test]
        fn however_a_stream_is_cut_its_end_is_kept(
            lengths in prop::collection::vec(0..2 * KEPT, 0..8)
        ) {
            let whole: Vec<_> = (0..=250_u8).cycle().take(lengths.iter().sum()).collect();
            let (mut tail, mut rest) = (OutputTail::default(), &whole[..]);
            for length in lengths {
                tail.push(rest.split_off(..length).expect("so much"));
            }
            prop_assert_eq!(&tail.0, &whole[whole.len().saturating_sub(KEPT)..]);
        }
    }
}
