//! Redacts secrets that were cut where a part of a text was left out.
//!
//! Of a long output, only the head and the tail are kept, and of a long message, only one of them. A secret at the edge
//! of the omitted part is missing a few bytes, and a search for the whole secret does not find it. So at such an edge
//! we also redact parts of secrets. A notice (`[... 12 bytes left out ...]`) or an ellipsis (`…`) marks it.

use std::ops::Range;

use super::{REDACTED, Redactor, tails::LONGEST_ESCAPE};

/// The start and the end of the notice that replaces the middle of a text.
const NOTICE: (&str, &str) = ("[... ", " bytes left out ...]");

/// The mark where a short text was cut.
const ELLIPSIS: &str = "…";

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
        if omitted > 0 {
            return (self.redact_part(head, false, true), self.redact_part(tail, true, false));
        }
        let (mut stream, mut clean_head, mut clean_tail) = (self.stream(), Vec::new(), Vec::new());
        stream.push(head, &mut clean_head);
        stream.push(tail, &mut clean_tail);
        stream.finish(&mut clean_tail);
        (clean_head, clean_tail)
    }

    /// Redacts a part of a text. The arguments tell whether bytes are missing before it and behind it.
    fn redact_part(&self, part: &[u8], is_cut_before: bool, is_cut_behind: bool) -> Vec<u8> {
        let rest = if is_cut_before { self.rest_of_a_secret(part, is_cut_behind) } else { 0 };
        let mut clean = if rest > 0 { REDACTED.as_bytes().to_vec() } else { Vec::new() };
        let mut stream = self.stream();
        stream.push(&part[rest..], &mut clean);
        if is_cut_behind {
            stream.cut(&mut clean);
        } else {
            stream.finish(&mut clean);
        }
        clean
    }

    /// Returns how many bytes at the start are the end of a known secret whose beginning is missing. With
    /// `is_cut_behind`, its end may be missing too.
    fn rest_of_a_secret(&self, part: &[u8], is_cut_behind: bool) -> usize {
        // An escape may be cut too.
        let from = (0..part.len().min(LONGEST_ESCAPE))
            .filter(|from| *from == 0 || !part[*from].is_ascii_whitespace());
        let rest = |from: usize| Some(from + self.0.rest_of_a_secret(&part[from..], is_cut_behind)?);
        from.filter_map(rest).max().unwrap_or(0)
    }

    /// Redacts a text with marks where it was cut; `None` if it has no mark.
    pub(super) fn redact_excerpt(&self, text: &str) -> Option<String> {
        if !text.contains(ELLIPSIS) && !text.contains(NOTICE.1) {
            return None;
        }
        // A secret may contain an ellipsis.
        let whole = self.redact_message(text);
        let whole = String::from_utf8_lossy(&whole);
        let (mut clean, mut at) = (String::with_capacity(whole.len()), 0);
        for mark in marks(&whole) {
            let part = self.redact_part(whole[at..mark.start].as_bytes(), at > 0, true);
            clean += &String::from_utf8_lossy(&part);
            clean += &whole[mark.clone()];
            at = mark.end;
        }
        clean += &String::from_utf8_lossy(&self.redact_part(whole[at..].as_bytes(), at > 0, false));
        Some(clean)
    }
}

/// Returns the ranges of the notices and ellipses in a text, with the white space and the marks of a quotation around
/// each.
fn marks(text: &str) -> Vec<Range<usize>> {
    let notice = |at: usize| {
        let number = at + NOTICE.0.len();
        let digits = text[number..].bytes().take_while(u8::is_ascii_digit).count();
        let is_notice = digits > 0 && text[number + digits..].starts_with(NOTICE.1);
        is_notice.then(|| at..number + digits + NOTICE.1.len())
    };
    let mut marks: Vec<_> = text.match_indices(NOTICE.0).filter_map(|(at, _)| notice(at)).collect();
    marks.extend(text.match_indices(ELLIPSIS).map(|(at, sign)| at..at + sign.len()));
    marks.sort_by_key(|mark| mark.start);
    let is_margin = |sign: char| sign.is_whitespace() || sign == '>';
    let mut last_end = 0;
    for mark in &mut marks {
        let start = last_end + text[last_end..mark.start].trim_end_matches(is_margin).len();
        last_end = text.len() - text[mark.end..].trim_start_matches(is_margin).len();
        *mark = start..last_end;
    }
    marks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::redact::forms::LEAST;

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
    fn what_only_looks_like_a_mark_is_none() {
        let redactor = Redactor::new([SECRET, "with…an…ellipsis"]);
        for text in
            ["[... x bytes left out ...]\nbattery", "[... 3 bytes left ...]\nbattery", "a correct-h", "a … b"]
        {
            assert_eq!(redactor.redact(text), text);
        }
        assert_eq!(redactor.redact("is with…an…ellipsis…"), "is [redacted]…");
        let key = format!("\n[... 1 bytes left out ...]\n{SECRET}\n[... 2 bytes left out ...]\n-battery");
        let clean = "\n[... 1 bytes left out ...]\n[redacted]\n[... 2 bytes left out ...]\n[redacted]";
        assert_eq!(redactor.redact(&key), clean);
    }

    #[test]
    fn a_text_of_marks_takes_no_more_time_than_it_is_long() {
        let text = "[... 1 bytes left out ...]\n… horse-bat\n".repeat(20_000) + "…";
        let clean = Redactor::new([SECRET]).redact(&text).into_owned();
        assert_eq!(clean.matches(REDACTED).count(), 20_000);
    }

    #[test]
    fn marks_in_one_line_and_in_quotations_are_marks_too() {
        let redactor = Redactor::new([SECRET]);
        for (text, clean) in [
            ("…horse-battery and correct-hor…", "…[redacted] and [redacted]…"),
            ("… horse-bat …", "… [redacted] …"),
            (
                "correct-h [... 8 bytes left out ...] battery",
                "[redacted] [... 8 bytes left out ...] [redacted]",
            ),
            (
                "> correct-h\n> [... 8 bytes left out ...]\n> battery",
                "> [redacted]\n> [... 8 bytes left out ...]\n> [redacted]",
            ),
        ] {
            assert_eq!(redactor.redact(text), clean);
        }
    }

    #[test]
    fn rows_of_a_table_before_a_mark_are_no_part_of_a_key() {
        // A key may begin with the last letter of a row, and the next row, which is alike, may be a margin.
        let row = |number: u8| format!("      {number}      18ms       3ms  fail           unknown\n");
        let redactor = Redactor::new([SECRET]).shapes();
        for last in ["      …  2 iterations left out\n", "[... 1 bytes left out ...]\n"] {
            let page = row(4) + &row(5) + last + &row(8);
            assert_eq!(redactor.redact(&page), page);
        }
        assert_eq!(redactor.redact("  4 ms correct-\n  5 ms hor…"), "  4 ms [redacted]…");
    }
}
