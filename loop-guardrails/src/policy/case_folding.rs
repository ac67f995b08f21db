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
    // The capital `ẞ` is folded only by way of the small one.
    seen.flat_map(char::to_lowercase).flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// The characters that fold to ASCII letters, or to nothing. Programs such as git and `rg` do not fold them.
pub(super) const FOLDED_SIGNS: [char; 28] = [
    '\u{df}', '\u{131}', '\u{17f}', '\u{1e9e}', '\u{200c}', '\u{200d}', '\u{200e}', '\u{200f}', '\u{202a}',
    '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{206a}', '\u{206b}', '\u{206c}', '\u{206d}',
    '\u{206e}', '\u{206f}', '\u{212a}', '\u{fb00}', '\u{fb01}', '\u{fb02}', '\u{fb03}', '\u{fb04}',
    '\u{fb05}', '\u{fb06}', '\u{feff}',
];

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
    fn each_sign_that_folds_to_ascii_is_known() {
        let folds = |sign: &char| !sign.is_ascii() && folded(&sign.to_string()).is_ascii();
        let all: Vec<_> = ('\u{80}'..=char::MAX).filter(folds).collect();
        assert_eq!(all, FOLDED_SIGNS);
    }

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
            ("STRA\u{1e9e}E", "strasse"),
            ("Äpfel", "äpfel"),
        ] {
            assert_eq!(folded(name), form);
            assert_eq!(folded_rule(name), form);
        }
    }
}
