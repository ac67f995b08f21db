//! Bounds on the input and the output of tools.

use crate::output::{MAX_NOTICE_BYTES, excerpt};

/// The most bytes of a call's result for the model: 64 KiB, including the notice about omitted text.
pub const MAX_OUTPUT_BYTES: usize = 64 * 1024;

/// The lowest bound on a result that a [`Toolbox`](super::Toolbox) takes: 1 KiB.
pub const MIN_OUTPUT_BYTES: usize = 1024;

/// The most bytes of a file that a tool writes or edits as a whole: 10 MiB.
pub const MAX_CONTENT_BYTES: usize = 10 * 1024 * 1024;

/// The most bytes of text from a tool that cuts its own output, with room left for a notice.
pub(super) const ROOM: usize = MAX_OUTPUT_BYTES - 1024;

/// Formats a remark for the model about the text around it.
pub(super) fn notice(note: &str) -> String {
    format!("[... {note} ...]")
}

/// Returns the head and the tail of a text, with a notice between them, within this number of bytes.
pub(super) fn bounded(text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    excerpt(text.as_bytes(), most - MAX_NOTICE_BYTES)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_output_is_within_its_bound_and_says_what_is_missing(sign in "[a–😀]", count in 0usize..70_000, most in prop::sample::select(vec![MIN_OUTPUT_BYTES, 9_999, MAX_OUTPUT_BYTES])) {
            let text = sign.repeat(count);
            let length = text.len();
            let cut = bounded(text, most);
            prop_assert!(cut.len() <= most);
            prop_assert_eq!(cut.contains("bytes left out"), length > most);
        }
    }
}
