//! What a command printed: kept within a bound, quoted within a bound, and searched without one.
//!
//! An agent may print a gigabyte. A loop that keeps all of it dies of it, and a loop that
//! feeds all of it into the next prompt pays for it. So there are three views of a stream, and
//! none grows with it: a [`Capture`] keeps its head and its tail, [`excerpt`] cuts a text to
//! what a prompt may carry and says what it left out, and a [`PatternMatcher`] looks for a
//! pattern in every byte that passed, also in those that nobody kept.

mod capture;
mod excerpt;
mod garbled;
mod kept;
mod matcher;
pub(crate) mod objects;

use std::hash::{DefaultHasher, Hasher};

pub use capture::Capture;
pub(crate) use excerpt::is_notice;
pub use excerpt::{DEFAULT_EXCERPT_BYTES, MAX_NOTICE_BYTES, excerpt};
pub use garbled::garbled;
pub(crate) use garbled::{garbled_note, whole_chars};
pub use matcher::{Pattern, PatternError, PatternMatcher};

/// The name of the mark that an iteration makes of what it said, so that it is known for how many iterations
/// that has not changed ([`Progress::unchanged`](loop_core::Progress::unchanged)).
/// Its numbers hold for one run: another version of this crate may give others.
pub const OUTPUT_MARK: &str = "output";

/// Tells a text from others, by its length and by the parts of it that are kept.
pub(crate) fn fingerprint(length: u64, parts: &[&[u8]]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write_u64(length);
    parts.iter().for_each(|part| hasher.write(part));
    hasher.finish()
}
