//! Compares names as case-insensitive file systems do.
//!
//! They fold more than ASCII: they treat `ſ` as an `s`, and the Kelvin sign as a `k`. HFS+ also ignores invisible
//! characters. Such a name would evade a rule that compares names in any other way.

use std::borrow::Cow;

/// Returns the form of a name that rules compare. If any file system treats two names as equal, they have the same
/// form.
pub(super) fn folded(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    let seen = name.chars().filter(|sign| !is_passed_over(*sign));
    seen.flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// The characters that are one ASCII letter, `k` and `s`, for file systems that ignore case. Programs such as git fold
/// only ASCII.
pub(super) const UNICODE_LETTERS: [char; 2] = ['\u{212a}', '\u{17f}'];

/// Folds the name in a rule, which is nearly always folded already.
pub(super) fn folded_rule(rule: &str) -> Cow<'_, str> {
    let is_folded = rule.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if is_folded { rule.into() } else { folded(rule).into() }
}

/// Returns whether HFS+ ignores this character in a name.
const fn is_passed_over(sign: char) -> bool {
    matches!(sign, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_one_to_a_file_system_have_one_form() {
        for (name, form) in [
            ("Server.\u{17f}ECRET", "server.secret"),
            ("\u{212a}EYS", "keys"),
            (".gi\u{200c}t", ".git"),
            ("\u{fb01}le", "file"),
            ("\u{3a3}\u{3c2}\u{3c3}", "\u{3c3}\u{3c3}\u{3c3}"),
            ("STRASSE", "strasse"),
            ("stra\u{df}e", "strasse"),
            ("Äpfel", "äpfel"),
        ] {
            assert_eq!(folded(name), form);
            assert_eq!(folded_rule(name), form);
        }
    }
}
