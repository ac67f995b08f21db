//! Input that spans several lines.

use reedline::{ValidationResult, Validator};

/// Continues on the next line after a `\`, and within a code fence.
pub(super) struct MultilineValidator;

impl Validator for MultilineValidator {
    fn validate(&self, line: &str) -> ValidationResult {
        if is_whole(line) { ValidationResult::Complete } else { ValidationResult::Incomplete }
    }
}

/// Returns whether the text is complete.
pub(super) fn is_whole(text: &str) -> bool {
    let fences = text.lines().filter(|line| line.trim_start().starts_with("```")).count();
    !text.ends_with('\\') && fences % 2 == 0
}

/// Returns the intended text, without the `\` that marks a continuation.
pub(super) fn joined(text: &str) -> String {
    text.replace("\\\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_is_coming_after_a_backslash_and_within_a_fence() {
        for (text, whole) in [
            ("a", true),
            ("a\\", false),
            ("a\\\nb", true),
            ("see:\n```rs", false),
            ("```\n\n```", true),
            ("a ``` b", true),
        ] {
            assert_eq!(is_whole(text), whole, "{text:?}");
        }
        assert_eq!(joined("one\\\ntwo\\n"), "one\ntwo\\n");
    }
}
