//! Names as file systems that ignore capitals compare them.
//!
//! They fold more than ASCII: `ſ` is an `s` to them, and the Kelvin sign a `k`. HFS+ also passes over signs that nobody
//! sees. A rule that compares names in another way is dodged by such a name.

use std::borrow::Cow;

/// A name in the form in which rules compare it. Two names that any file system takes for one have the same form.
pub(super) fn folded(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    let seen = name.chars().filter(|sign| !is_passed_over(*sign));
    seen.flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// The same for a rule, which is nearly always in this form.
pub(super) fn folded_rule(rule: &str) -> Cow<'_, str> {
    let is_folded = rule.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if is_folded { rule.into() } else { folded(rule).into() }
}

/// What HFS+ passes over in a name.
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
