//! Text that arrives as bytes.

/// Decodes UTF-8 that arrives in pieces, which may end within a character.
///
/// ```
/// use loop_telemetry::words::Utf8Decoder;
///
/// let mut decoder = Utf8Decoder::default();
/// assert_eq!(decoder.push(b"caf\xc3"), "caf");
/// assert_eq!(decoder.push(b"\xa9"), "\u{e9}");
/// ```
#[derive(Debug, Default)]
pub struct Utf8Decoder(Vec<u8>);

impl Utf8Decoder {
    /// Returns the next text. Each invalid part becomes a replacement character.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.0.extend_from_slice(bytes);
        let complete = self.complete();
        let text = String::from_utf8_lossy(&self.0[..complete]).into_owned();
        self.0.drain(..complete);
        text
    }

    /// Returns the number of bytes before a character that is still incomplete.
    fn complete(&self) -> usize {
        let last = self.0.utf8_chunks().last();
        let incomplete = last.map_or(0, |chunk| {
            let error = std::str::from_utf8(chunk.invalid()).err();
            if error.is_some_and(|error| error.error_len().is_none()) { chunk.invalid().len() } else { 0 }
        });
        self.0.len() - incomplete
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pieces_of_text_are_that_text(text in "[a-zé漢👍]{0,20}", size in 1..5_usize) {
            let mut decoder = Utf8Decoder::default();
            let decoded: String = text.as_bytes().chunks(size).map(|piece| decoder.push(piece)).collect();
            prop_assert_eq!(decoded, text);
        }
    }

    #[test]
    fn invalid_bytes_are_replaced_at_once() {
        let mut decoder = Utf8Decoder::default();
        assert_eq!(decoder.push(b"a\xffb\xc3"), "a\u{fffd}b");
        assert_eq!(decoder.push(b"\xa9"), "é");
    }
}
