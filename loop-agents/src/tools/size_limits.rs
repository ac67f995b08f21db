//! Bounds on the input and the output of tools.

use crate::output::{MAX_NOTICE_BYTES, excerpt};

/// The most bytes of a call's result for the model: 64 KiB, including the notice about omitted text.
pub const MAX_OUTPUT_BYTES: usize = 64 * 1024;

/// The most bytes of a file that a tool writes or edits as a whole: 10 MiB.
pub const MAX_CONTENT_BYTES: usize = 10 * 1024 * 1024;

/// The most bytes of text from a tool that cuts its own output, with room left for a notice.
pub(super) const ROOM: usize = MAX_OUTPUT_BYTES - 1024;

/// Formats a remark for the model about the text around it.
pub(super) fn notice(note: &str) -> String {
    format!("[... {note} ...]")
}

/// Returns the head and the tail of a text, with a notice between them, within [`MAX_OUTPUT_BYTES`].
pub(super) fn bounded(text: String) -> String {
    if text.len() <= MAX_OUTPUT_BYTES {
        return text;
    }
    excerpt(text.as_bytes(), MAX_OUTPUT_BYTES - MAX_NOTICE_BYTES)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_output_is_within_its_bound_and_says_what_is_missing(sign in "[a–😀]", count in 0usize..70_000) {
            let text = sign.repeat(count);
            let length = text.len();
            let cut = bounded(text);
            prop_assert!(cut.len() <= MAX_OUTPUT_BYTES);
            prop_assert_eq!(cut.contains("bytes left out"), length > MAX_OUTPUT_BYTES);
        }
    }
}
