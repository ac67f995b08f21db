//! A command's output: kept and quoted within bounds, and searched completely.
//!
//! An agent may print a gigabyte. A loop that keeps all of it runs out of memory, and a loop that puts all of it into
//! the next prompt pays for it. So there are three views of a stream, and none of them grows with it. A [`Capture`]
//! keeps its head and its tail. [`excerpt`] cuts a text to the size that fits in a prompt, and states how much it left
//! out. A [`PatternMatcher`] looks for a pattern in every byte, including bytes that were not kept.

mod capture;
mod excerpt;
mod garbled;
pub(crate) mod json_objects;
#[cfg(feature = "review")]
pub(crate) mod lines;
mod matcher;
mod stored_capture;

use std::hash::{DefaultHasher, Hasher};

pub use capture::Capture;
pub use excerpt::{
    DEFAULT_EXCERPT_BYTES, MAX_NOTICE_BYTES, beginning, ending, excerpt, first_line, one_line,
};
pub(crate) use excerpt::{ELLIPSIS, is_notice, last_line};
pub use garbled::garbled;
pub(crate) use garbled::{garbled_note, whole_chars};
pub use json_objects::unique_json;
pub use matcher::{Pattern, PatternError, PatternMatcher};

/// Returns a line with this name that the text does not contain. Between two such lines in a prompt, the text cannot fake its
/// own end.
///
/// ```
/// use loop_agents::output::boundary;
///
/// assert_eq!(boundary("OUTPUT", "Roses"), "=====OUTPUT 1=====");
/// assert_eq!(boundary("OUTPUT", "=====OUTPUT 1====="), "=====OUTPUT 2=====");
/// ```
pub fn boundary(name: &str, text: &str) -> String {
    let mut lines = (1_u64..).map(|number| format!("====={name} {number}====="));
    lines.find(|line| !text.contains(line)).unwrap_or_default()
}

/// The name of the mark with an iteration's output, which shows for how many iterations the output has not changed
/// ([`Progress::unchanged`](loop_core::Progress::unchanged)). Its numbers are valid within one run, because another
/// version of this crate may compute others.
pub const OUTPUT_MARK: &str = "output";

/// Adds the next bytes of a stream to its kept end, which has at most `most` bytes.
///
/// ```
/// let mut kept = b"abcd".to_vec();
/// loop_agents::output::keep_end(&mut kept, b"ef", 4);
/// assert_eq!(kept, b"cdef");
/// ```
pub fn keep_end(kept: &mut Vec<u8>, bytes: &[u8], most: usize) {
    let bytes = &bytes[bytes.len().saturating_sub(most)..];
    let excess = (kept.len() + bytes.len()).saturating_sub(most);
    kept.drain(..excess);
    kept.extend_from_slice(bytes);
}

/// Returns a hash of a text's length and of its kept parts.
pub(crate) fn fingerprint(length: u64, parts: &[&[u8]]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write_u64(length);
    parts.iter().for_each(|part| hasher.write(part));
    hasher.finish()
}
