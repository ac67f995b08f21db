//! A stream's head and tail, in bounded memory.

use std::{collections::VecDeque, fmt};

use super::{
    excerpt::{ELLIPSIS, Excerpt, ending_of},
    fingerprint,
    garbled::{garbled, whole_chars},
};

/// The head and the tail of a stream of bytes, and the number of bytes left out between them.
///
/// In its head, a tool usually reports what it is about to do, and in its tail how that ended. Memory is at most twice
/// the limit, however long the stream is. For a short stream, it is not more than the stream.
///
/// ```
/// use loop_agents::output::Capture;
///
/// let mut capture = Capture::with_limit(4);
/// capture.push(b"0123456789");
/// assert_eq!((capture.head(), capture.omitted()), (&b"0123"[..], 2));
/// assert_eq!(capture.to_bytes(), b"01236789");
/// ```
#[derive(Clone)]
pub struct Capture {
    limit: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl Capture {
    /// The default number of bytes to keep of the head, and of the tail: 1 MiB each.
    pub const DEFAULT_LIMIT: usize = 1024 * 1024;

    /// Creates an empty capture that keeps `limit` bytes of the head and as many of the tail.
    pub fn with_limit(limit: usize) -> Self {
        Self { limit, head: Vec::new(), tail: VecDeque::new(), total: 0 }
    }

    /// Adds the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        let room = self.limit - self.head.len();
        let (to_head, rest) = bytes.split_at(room.min(bytes.len()));
        let more = growth(self.head.len(), self.head.capacity(), to_head.len(), self.limit);
        self.head.reserve_exact(more);
        self.head.extend_from_slice(to_head);

        // Do not store bytes that we would drop at once, so that the tail does not grow past its limit.
        let to_tail = &rest[rest.len().saturating_sub(self.limit)..];
        let excess = (self.tail.len() + to_tail.len()).saturating_sub(self.limit);
        self.tail.drain(..excess);
        let more = growth(self.tail.len(), self.tail.capacity(), to_tail.len(), self.limit);
        self.tail.reserve_exact(more);
        self.tail.extend(to_tail);
    }

    /// Marks the end of a stream whose rest may be missing, unless the stream is empty.
    pub(crate) fn mark_cut(&mut self) {
        if !self.is_empty() {
            self.push(ELLIPSIS.as_bytes());
        }
    }

    /// Returns the length of the stream in bytes, kept or not.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the number of bytes between head and tail that were not kept.
    pub fn omitted(&self) -> u64 {
        self.total - (self.head.len() + self.tail.len()) as u64
    }

    /// Returns true if the stream was empty.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Returns a hash of the stream's length and of its kept parts; see [`OUTPUT_MARK`](super::OUTPUT_MARK).
    pub(crate) fn fingerprint(&self) -> u64 {
        let (first, second) = self.tail.as_slices();
        fingerprint(self.total, &[&self.head, first, second])
    }

    /// Returns the first bytes of the stream, up to the limit.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Restores a capture from its parts. They may be longer than the limit if somebody has changed them in between.
    pub(super) fn of_parts(limit: usize, head: Vec<u8>, omitted: u64, tail: Vec<u8>) -> Self {
        let limit = limit.max(head.len()).max(tail.len());
        let total = omitted.saturating_add((head.len() + tail.len()) as u64);
        Self { limit, head, tail: tail.into(), total }
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the last bytes of the stream that are not in the head.
    pub(super) fn tail(&self) -> impl Iterator<Item = u8> {
        self.tail.iter().copied()
    }

    /// Returns all kept bytes: the head, then the tail. Nothing marks the place where bytes were left out
    /// ([`omitted`](Self::omitted)).
    pub fn to_bytes(&self) -> Vec<u8> {
        let (first, second) = self.tail.as_slices();
        [&self.head, first, second].concat()
    }

    /// Returns how many of the kept bytes are not UTF-8; see [`garbled`](super::garbled).
    pub fn garbled(&self) -> u64 {
        if self.omitted() == 0 {
            return garbled(&self.to_bytes());
        }
        let (first, second) = self.tail.as_slices();
        garbled(whole_chars(&self.head)) + garbled(whole_chars(&[first, second].concat()))
    }

    /// Returns the stream as text of at most `max_bytes` plus a notice, cut as [`excerpt`](super::excerpt) does. Bytes
    /// that were not kept count as left out.
    pub fn excerpt(&self, max_bytes: usize) -> String {
        let (first, second) = self.tail.as_slices();
        if self.omitted() == 0 {
            Excerpt::of_whole(&self.to_bytes(), max_bytes)
        } else {
            Excerpt::of_parts(&self.head, self.omitted(), &[first, second].concat(), max_bytes)
        }
        .into_text()
    }

    /// Returns the end of the stream as text of at most `max_bytes`, cut as [`ending`](super::ending) does, without
    /// surrounding white space. Use it in a message that explains why a program could not run.
    pub fn last_text(&self, max_bytes: usize) -> String {
        // If bytes were left out, the head is not part of the stream's end.
        let is_whole = self.omitted() == 0;
        let head = if is_whole { &self.head[..] } else { &[] };
        let kept = head.iter().chain(&self.tail).rev().copied();
        // A few more bytes show whether the first character is complete.
        let most = max_bytes.saturating_add(LONGEST_CHARACTER);
        let mut last: Vec<u8> = kept.skip_while(u8::is_ascii_whitespace).take(most).collect();
        last.reverse();
        ending_of(&last, is_whole && last.len() < most, max_bytes).trim().to_owned()
    }
}

/// The maximum length of a UTF-8 character in bytes.
const LONGEST_CHARACTER: usize = 4;

/// Returns by how much to grow before `more` is added: to twice the length, as vectors do, but never beyond the limit.
fn growth(length: usize, capacity: usize, more: usize, limit: usize) -> usize {
    if capacity - length >= more { 0 } else { more.max(length).min(limit - length) }
}

impl Default for Capture {
    fn default() -> Self {
        Self::with_limit(Self::DEFAULT_LIMIT)
    }
}

impl fmt::Debug for Capture {
    /// Shows the numbers and the beginning, because two megabytes in a log line do not help.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Capture")
            .field("total", &self.total)
            .field("omitted", &self.omitted())
            .field("text", &self.excerpt(256))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn head_and_tail_are_those_of_the_stream_however_it_is_split(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..12),
            limit in 0_usize..64,
        ) {
            let whole = chunks.concat();
            let mut capture = Capture::with_limit(limit);
            for chunk in &chunks {
                capture.push(chunk);
            }
            let head = &whole[..limit.min(whole.len())];
            let rest = &whole[head.len()..];
            let tail = &rest[rest.len().saturating_sub(limit)..];
            prop_assert_eq!(capture.head(), head);
            prop_assert_eq!(capture.to_bytes(), [head, tail].concat());
            prop_assert_eq!(capture.total(), whole.len() as u64);
            prop_assert_eq!(capture.omitted(), (whole.len() - head.len() - tail.len()) as u64);
        }
    }

    #[test]
    fn memory_is_bounded_on_a_long_stream_and_small_on_a_short_one() {
        let mut capture = Capture::with_limit(1024);
        capture.push(b"short");
        assert!(capture.head.capacity() + capture.tail.capacity() < 64);
        for _ in 0..1000 {
            capture.push(&[b'x'; 700]);
        }
        assert!(capture.head.capacity() + capture.tail.capacity() <= 2 * 1024);
    }

    proptest! {
        #[test]
        fn the_last_text_is_the_end_and_within_its_bound(
            text in "[a-zé–😀 \n]{0,40}", limit in 40_usize..100, max in 0_usize..60,
        ) {
            let mut capture = Capture::with_limit(limit);
            capture.push(text.as_bytes());
            let last = capture.last_text(max);
            prop_assert!(last.len() <= max);
            let kept = last.strip_prefix('…').map(str::trim_start);
            prop_assert!(text.trim_end().ends_with(kept.unwrap_or(&last)));
            prop_assert_eq!(kept.is_none() && !last.is_empty(), text.trim_end().len() <= max && !text.trim().is_empty());
        }
    }

    #[test]
    fn the_last_text_begins_on_a_character() {
        let mut capture = Capture::default();
        capture.push("sh: 1: é: not found\n".as_bytes());
        assert_eq!(capture.last_text(15), "…: not found");
        assert_eq!(capture.last_text(16), "…é: not found");
        assert_eq!(capture.last_text(1000), "sh: 1: é: not found");
        assert_eq!(Capture::default().last_text(10), "");
    }
}
