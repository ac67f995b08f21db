//! Redacts secrets that were cut where the middle of a text was left out.
//!
//! Of a long output, only the head and the tail are kept. A secret at the edge of the omitted part is missing a few
//! bytes, and a search for the whole secret does not find it. So at such an edge we also redact parts of secrets.

use super::{REDACTED, Redactor, forms::LEAST};

/// The maximum length of an escaped character, in bytes: `\\ud83d\\ude00`.
const LONGEST_ESCAPE: usize = 12;

/// The start and the end of the notice that replaces the middle of a text.
const NOTICE: (&str, &str) = ("\n[... ", " bytes left out ...]\n");

impl Redactor {
    /// Redacts the head and the tail of a text whose middle, of `omitted` bytes, is missing. At the end of the head it
    /// redacts bytes that may begin a secret, and at the start of the tail bytes that end a known secret, in both cases
    /// from 6 bytes on, because shorter parts occur everywhere. It cannot recognise the end of a key that is known only
    /// by its shape.
    ///
    /// ```
    /// use loop_telemetry::Redactor;
    /// let redactor = Redactor::new(["hunter2-hunter2"]);
    /// let (head, tail) = redactor.redact_ends(b"with hunter2-hun", 900, b"r2-hunter2.");
    /// assert_eq!((&head[..], &tail[..]), (&b"with [redacted]"[..], &b"[redacted]."[..]));
    /// // Nothing is missing between these.
    /// let (head, tail) = redactor.redact_ends(b"with hunt", 0, b"er2-hunter2.");
    /// assert_eq!((&head[..], &tail[..]), (&b"with "[..], &b"[redacted]."[..]));
    /// ```
    pub fn redact_ends(&self, head: &[u8], omitted: u64, tail: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let (mut stream, mut clean_head, mut clean_tail) = (self.stream(), Vec::new(), Vec::new());
        stream.push(head, &mut clean_head);
        if omitted == 0 {
            stream.push(tail, &mut clean_tail);
            stream.finish(&mut clean_tail);
            return (clean_head, clean_tail);
        }
        stream.cut(LEAST, &mut clean_head);
        let rest = self.rest_of_a_secret(tail);
        if rest > 0 {
            clean_tail.extend_from_slice(REDACTED.as_bytes());
        }
        clean_tail.extend_from_slice(&self.redact_bytes(&tail[rest..]));
        (clean_head, clean_tail)
    }

    /// Returns how many bytes at the start are the end of a known secret whose beginning is missing.
    fn rest_of_a_secret(&self, tail: &[u8]) -> usize {
        // An escape may be cut too.
        let from = (0..tail.len().min(LONGEST_ESCAPE))
            .filter(|from| *from == 0 || !tail[*from].is_ascii_whitespace());
        let rest = |from: usize| Some(from + self.0.rest_of_a_secret(&tail[from..])?);
        from.filter_map(rest).max().unwrap_or(0)
    }

    /// Redacts a text that contains notices of omitted bytes; `None` if it has no notice.
    pub(super) fn redact_excerpt(&self, text: &str) -> Option<String> {
        let (head, rest) = split_at_notice(text)?;
        let (notice, tail) = rest.split_at(rest.find(NOTICE.1)? + NOTICE.1.len());
        let (head, tail) = self.redact_ends(head.as_bytes(), 1, tail.as_bytes());
        let tail = String::from_utf8_lossy(&tail).into_owned();
        let tail = self.redact_excerpt(&tail).unwrap_or(tail);
        Some(format!("{}{notice}{tail}", String::from_utf8_lossy(&head)))
    }
}

/// Splits the text before its first notice.
fn split_at_notice(text: &str) -> Option<(&str, &str)> {
    let is_notice = |at: &usize| {
        let rest = &text[at + NOTICE.0.len()..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && rest[digits..].starts_with(NOTICE.1)
    };
    let at = text.match_indices(NOTICE.0).map(|(at, _)| at).find(is_notice)?;
    Some(text.split_at(at))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECRET: &str = "correct-horse-battery";

    proptest! {
        #[test]
        fn at_no_edge_are_six_bytes_of_a_secret_left(cut in 0..=SECRET.len(), begun in 0..=SECRET.len()) {
            let redactor = Redactor::new([SECRET]);
            let (head, tail) = (format!("a {}", &SECRET[..cut]), format!("{} z", &SECRET[begun..]));
            let excerpt = format!("{head}\n[... 12 bytes left out ...]\n{tail}");
            let clean = redactor.redact(&excerpt).into_owned();
            let (head, tail) = redactor.redact_ends(head.as_bytes(), 12, tail.as_bytes());
            let parts = [head, b"\n[... 12 bytes left out ...]\n".to_vec(), tail].concat();
            prop_assert_eq!(clean.as_bytes(), &parts);
            for part in SECRET.as_bytes().windows(LEAST) {
                prop_assert!(!parts.windows(LEAST).any(|window| window == part), "{}", clean);
            }
        }

        #[test]
        fn where_nothing_is_missing_the_parts_give_what_the_whole_gives(text in "[ab -]{0,40}", cut in 0..40_usize) {
            let redactor = Redactor::new(["ab-ab-", "bbaabb"]).shapes();
            let (head, tail) = text.as_bytes().split_at(cut.min(text.len()));
            let (head, tail) = redactor.redact_ends(head, 0, tail);
            prop_assert_eq!([head, tail].concat(), redactor.redact_bytes(text.as_bytes()).into_owned());
        }
    }

    #[test]
    fn what_only_looks_like_a_notice_is_none() {
        let redactor = Redactor::new([SECRET]);
        for text in
            ["\n[... x bytes left out ...]\nbattery", "[... 3 bytes left out ...]\nbattery", "a correct-h"]
        {
            assert_eq!(redactor.redact(text), text);
        }
        let key = format!("\n[... 1 bytes left out ...]\n{SECRET}\n[... 2 bytes left out ...]\n-battery");
        let clean = "\n[... 1 bytes left out ...]\n[redacted]\n[... 2 bytes left out ...]\n[redacted]";
        assert_eq!(redactor.redact(&key), clean);
    }
}
