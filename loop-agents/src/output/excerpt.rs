//! Cuts a text to the size that fits in a prompt.

/// The default bound of one placeholder's text: 32 KiB.
pub const DEFAULT_EXCERPT_BYTES: usize = 32 * 1024;

/// The maximum length of the notice about left-out bytes.
pub const MAX_NOTICE_BYTES: usize = 64;

/// The text around the number in that notice.
const BEFORE: &str = "[... ";
const BEHIND: &str = " bytes left out ...]";

/// Returns `bytes` as text of at most `max_bytes`. If it has to cut, it keeps head and tail, with a notice between them
/// that contains the number of bytes left out.
///
/// The notice comes on top of the bound, and the cuts are on character boundaries. Bytes that are not UTF-8 show as
/// U+FFFD. The number in the notice counts bytes of the original.
///
/// ```
/// use loop_agents::output::excerpt;
///
/// assert_eq!(excerpt(b"all of it", 100), "all of it");
/// assert_eq!(excerpt("héad, and the end".as_bytes(), 6), "hé\n[... 12 bytes left out ...]\nend");
/// ```
pub fn excerpt(bytes: &[u8], max_bytes: usize) -> String {
    Excerpt::of_whole(bytes, max_bytes).into_text()
}

/// The mark of a cut in a short text. By it, a redactor knows that a part of a secret may be beside it.
pub(crate) const ELLIPSIS: &str = "…";

/// Returns the beginning of a text in at most `max_bytes`. If it has to cut, the result ends with `…`.
///
/// ```
/// use loop_agents::output::beginning;
///
/// assert_eq!(beginning("all of it", 9), "all of it");
/// assert_eq!(beginning("too long for it", 10), "too lon…");
/// ```
pub fn beginning(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    match max_bytes.checked_sub(ELLIPSIS.len()) {
        Some(room) => text[..text.floor_char_boundary(room)].trim_end().to_owned() + ELLIPSIS,
        None => String::new(),
    }
}

/// Returns the end of a text in at most `max_bytes`. If it has to cut, the result begins with `…`.
///
/// ```
/// use loop_agents::output::ending;
///
/// assert_eq!(ending("too long for it", 10), "…for it");
/// ```
pub fn ending(text: &str, max_bytes: usize) -> String {
    ending_of(text.as_bytes(), true, max_bytes)
}

/// Returns a text on one line: its words, with one space between them.
///
/// ```
/// use loop_agents::output::one_line;
///
/// assert_eq!(one_line(" not found:\n\ta.txt"), "not found: a.txt");
/// ```
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the first line of a text without surrounding white space. If more lines follow, the result ends with `…`.
///
/// ```
/// use loop_agents::output::first_line;
///
/// assert_eq!(first_line("not found: a.txt\n"), "not found: a.txt");
/// assert_eq!(first_line("not found:\n  a.txt"), "not found:…");
/// ```
pub fn first_line(text: &str) -> String {
    match text.trim().split_once('\n') {
        Some((line, _)) => line.trim_end().to_owned() + ELLIPSIS,
        None => text.trim().to_owned(),
    }
}

/// The length of a word, in bytes, from which on it may be the beginning of a longer word that a program wrapped.
const WRAPPED_BYTES: usize = 16;

/// Returns the last line of a text without surrounding white space, if it has one. If the line before ends with a long
/// word, the result begins with `…`, because a program may have wrapped that word.
pub(crate) fn last_line(text: &str) -> Option<String> {
    let mut lines = text.trim().lines().rev().map(str::trim);
    let last = lines.next().filter(|line| !line.is_empty())?;
    let is_long =
        |line: &str| line.split_whitespace().next_back().is_some_and(|word| word.len() >= WRAPPED_BYTES);
    let mark = if lines.next().is_some_and(is_long) { ELLIPSIS } else { "" };
    Some(format!("{mark}{last}"))
}

/// Returns the end of bytes as [`ending`] does. `is_whole` tells whether nothing is missing before them.
pub(super) fn ending_of(bytes: &[u8], is_whole: bool, max_bytes: usize) -> String {
    let bytes = if is_whole { bytes } else { &bytes[character_start(bytes, 0)..] };
    let (text, kept) = back(bytes, max_bytes);
    if is_whole && kept == bytes.len() {
        return text;
    }
    match max_bytes.checked_sub(ELLIPSIS.len()) {
        Some(room) => ELLIPSIS.to_owned() + back(bytes, room).0.trim_start(),
        None => String::new(),
    }
}

/// The two ends to show, and the number of bytes left out.
#[derive(Debug, PartialEq)]
pub(super) struct Excerpt {
    head: String,
    left_out: u64,
    tail: String,
}

impl Excerpt {
    /// Cuts a stream that was kept completely.
    pub(super) fn of_whole(bytes: &[u8], max_bytes: usize) -> Self {
        // Lossy conversion never shrinks a text, so a longer original cannot fit, and we need not convert all of it.
        if bytes.len() <= max_bytes {
            let text = String::from_utf8_lossy(bytes);
            if text.len() <= max_bytes {
                return Self { head: text.into_owned(), left_out: 0, tail: String::new() };
            }
        }
        let (head, taken) = front(bytes, max_bytes / 2);
        let rest = &bytes[taken..];
        let (tail, kept) = back(rest, max_bytes - head.len());
        Self { head, left_out: (rest.len() - kept) as u64, tail }
    }

    /// Cuts a stream of which only two ends were kept, `gap` bytes apart.
    pub(super) fn of_parts(first: &[u8], gap: u64, last: &[u8], max_bytes: usize) -> Self {
        // The gap may have split a character on either side. Its halves count as left out.
        let whole = &first[..first.len() - broken_end(first)];
        let (head, taken) = front(whole, max_bytes / 2);
        let (tail, kept) = back(&last[character_start(last, 0)..], max_bytes - head.len());
        let left_out = gap + (first.len() - taken + last.len() - kept) as u64;
        Self { head, left_out, tail }
    }

    pub(super) fn into_text(self) -> String {
        let Self { head, left_out, tail } = self;
        if left_out == 0 {
            return head + &tail;
        }
        format!("{head}{}{tail}", notice(left_out))
    }
}

fn notice(left_out: u64) -> String {
    format!("\n{BEFORE}{left_out}{BEHIND}\n")
}

/// Returns true if a line is the notice about left-out bytes.
pub(crate) fn is_notice(line: &str) -> bool {
    line.starts_with(BEFORE) && line.ends_with(BEHIND)
}

/// Returns the longest beginning whose text is at most `budget` bytes, and the number of original bytes that it
/// represents.
fn front(bytes: &[u8], budget: usize) -> (String, usize) {
    let mut text = String::new();
    let mut taken = 0;
    // Look at one character more than the budget can hold, so that this cut does not make a character look broken.
    let considered = &bytes[..bytes.len().min(budget + 4)];
    for chunk in considered.utf8_chunks() {
        let room = budget - text.len();
        let valid = chunk.valid();
        let end = floor_boundary(valid, room);
        text.push_str(&valid[..end]);
        taken += end;
        let full = end < valid.len() || text.len() + REPLACEMENT.len() > budget;
        if full || chunk.invalid().is_empty() {
            break;
        }
        text.push_str(REPLACEMENT);
        taken += chunk.invalid().len();
    }
    (text, taken)
}

/// Returns the longest end whose text is at most `budget` bytes, in the same form as [`front`].
fn back(bytes: &[u8], budget: usize) -> (String, usize) {
    let start = match bytes.len().saturating_sub(budget) {
        0 => 0,
        cut => character_start(bytes, cut),
    };
    let considered = &bytes[start..];
    let mut excess = String::from_utf8_lossy(considered).len().saturating_sub(budget);
    let mut text = String::new();
    let mut dropped = 0;
    for chunk in considered.utf8_chunks() {
        let valid = chunk.valid();
        let begin = ceil_boundary(valid, excess);
        excess = excess.saturating_sub(begin);
        dropped += begin;
        text.push_str(&valid[begin..]);
        if chunk.invalid().is_empty() {
            continue;
        }
        if excess > 0 {
            excess = excess.saturating_sub(REPLACEMENT.len());
            dropped += chunk.invalid().len();
        } else {
            text.push_str(REPLACEMENT);
        }
    }
    (text, considered.len() - dropped)
}

const REPLACEMENT: &str = "\u{FFFD}";

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// Returns `at`, or the end of a character that began before it (three bytes later at most).
fn character_start(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count()
}

/// Returns the number of bytes at the end that begin an incomplete character.
fn broken_end(bytes: &[u8]) -> usize {
    let near = &bytes[bytes.len().saturating_sub(3)..];
    let incomplete = |start: &usize| match std::str::from_utf8(&near[*start..]) {
        Ok(_) => false,
        Err(error) => error.valid_up_to() == 0 && error.error_len().is_none(),
    };
    (0..near.len()).find(incomplete).map_or(0, |start| near.len() - start)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::output::Capture;

    /// Generates texts in which the cuts meet characters of every length, and broken ones.
    fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            "[a-z\n]{1,4}".prop_map(String::into_bytes),
            prop::sample::select(vec!["é", "–", "😀", "\u{FFFD}"]).prop_map(|s| s.as_bytes().to_vec()),
            prop::collection::vec(any::<u8>(), 1..4),
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    #[test]
    fn the_last_line_begins_with_an_ellipsis_where_a_program_may_have_wrapped_it() {
        assert_eq!(last_line("it began well\nnot found: a.txt\n").as_deref(), Some("not found: a.txt"));
        assert_eq!(last_line("TZaBkeqI3cUxh6\\vLcnGh2BC\nbhqhCyWv").as_deref(), Some("…bhqhCyWv"));
        assert_eq!(last_line(" "), None);
    }

    #[test]
    fn the_longest_notice_is_within_its_bound() {
        assert!(notice(u64::MAX).len() <= MAX_NOTICE_BYTES);
    }

    proptest! {
        #[test]
        fn whole_when_it_fits_and_within_the_bound_otherwise(bytes in any_bytes(), max in 0_usize..120) {
            let lossy = String::from_utf8_lossy(&bytes);
            let cut = Excerpt::of_whole(&bytes, max);
            if lossy.len() <= max {
                prop_assert_eq!(cut.left_out, 0);
                prop_assert_eq!(cut.into_text(), lossy);
            } else {
                prop_assert!(cut.left_out > 0);
                prop_assert!(cut.head.len() + cut.tail.len() <= max);
                prop_assert!(lossy.starts_with(&cut.head));
            }
        }

        #[test]
        fn of_valid_text_both_ends_are_its_own_and_the_count_is_exact(
            text in "[a-zé–😀]{0,60}", max in 0_usize..80,
        ) {
            let cut = Excerpt::of_whole(text.as_bytes(), max);
            prop_assert!(text.starts_with(&cut.head) && text.ends_with(&cut.tail));
            prop_assert_eq!(cut.head.len() + cut.tail.len() + cut.left_out as usize, text.len());
        }

        #[test]
        fn no_more_is_left_out_than_a_character_at_each_cut(bytes in any_bytes(), max in 0_usize..120) {
            let cut = Excerpt::of_whole(&bytes, max);
            prop_assert!(cut.left_out == 0 || cut.head.len() + cut.tail.len() + 7 > max);
        }

        #[test]
        fn a_capture_and_its_stream_give_the_same_text_where_the_capture_kept_enough(
            bytes in any_bytes(), max in 0_usize..60,
        ) {
            let mut capture = Capture::with_limit(64);
            capture.push(&bytes);
            prop_assert_eq!(capture.excerpt(max), excerpt(&bytes, max));
        }

        #[test]
        fn what_was_never_kept_is_counted(bytes in any_bytes(), limit in 0_usize..20) {
            let mut capture = Capture::with_limit(limit);
            capture.push(&bytes);
            let (head, tail) = (capture.head(), &capture.to_bytes()[capture.head().len()..]);
            let cut = Excerpt::of_parts(head, capture.omitted(), tail, 1000);
            prop_assert!(cut.left_out >= capture.omitted());
            // In addition, the excerpt leaves out at most a broken character on each side.
            prop_assert!(cut.left_out <= capture.omitted() + 6);
        }

        #[test]
        fn a_valid_text_stays_valid_through_a_small_capture(
            text in "[a-zé–😀]{0,60}", limit in 0_usize..30, max in 0_usize..80,
        ) {
            let mut capture = Capture::with_limit(limit);
            capture.push(text.as_bytes());
            prop_assert!(!capture.excerpt(max).contains(REPLACEMENT));
        }
    }
}
