//! The meaning of the line that a person types at a question.
//!
//! A yes must be clear. Every text that could mean something else is a reason to refuse, and a line that is surely meant
//! for something else answers nothing.

use loop_agents::tools::ApprovalKind;

use crate::UserInput;

/// The words that mean yes.
const YES: [&str; 7] = ["y", "yes", "yep", "yeah", "ok", "okay", "sure"];

/// The words that mean no.
const NO: [&str; 4] = ["n", "no", "nope", "nah"];

/// A person's answer, as typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TypedAnswer<'a> {
    Once,
    Session,
    Always,
    No,
    /// No, with a note for the model.
    Note(&'a str),
    /// The line is no answer.
    Unrelated(&'a str),
    /// The line means yes, but the question needs the whole word.
    TooShort(&'a str),
}

impl<'a> TypedAnswer<'a> {
    /// Parses an answer. Every text that is no other answer is a note, and a note refuses.
    pub(super) fn of(typed: &'a str, kind: &ApprovalKind) -> Self {
        let line = typed.trim();
        if matches!(UserInput::of(line), UserInput::Nothing | UserInput::Command { .. } | UserInput::Shell(_))
        {
            return Self::Unrelated(line);
        }
        let is_command = matches!(kind, ApprovalKind::Command { .. });
        let is_for_session = is_command || *kind == ApprovalKind::Write;
        let words = line.to_lowercase();
        // A question mark stays: it makes a yes doubtful.
        let word = words.trim_end_matches(['.', '!', ',']);
        let polite = word.strip_suffix("please").map_or(word, |word| word.trim_end_matches([' ', ',']));
        match word {
            // Agents follow the file, and a script runs as the person, so nothing shorter than the word will do.
            _ if matches!(kind, ApprovalKind::Guarded | ApprovalKind::Script) => {
                if typed == "yes" {
                    Self::Once
                } else if YES.contains(&polite) {
                    Self::TooShort(line)
                } else {
                    Self::No
                }
            }
            _ if YES.contains(&polite) => Self::Once,
            _ if NO.contains(&word) => Self::No,
            "s" | "session" if is_for_session => Self::Session,
            "a" | "always" if is_command => Self::Always,
            _ => Self::Note(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn command() -> ApprovalKind {
        ApprovalKind::Command { entry: "cargo test".parse().expect("an entry") }
    }

    #[test]
    fn only_clear_words_allow_and_every_other_text_is_a_reason_to_refuse() {
        for (typed, expected) in [
            ("y", TypedAnswer::Once),
            (" Yes ", TypedAnswer::Once),
            ("y.", TypedAnswer::Once),
            ("OK", TypedAnswer::Once),
            ("Okay!", TypedAnswer::Once),
            ("sure", TypedAnswer::Once),
            ("Yes, please.", TypedAnswer::Once),
            ("yes please", TypedAnswer::Once),
            ("s", TypedAnswer::Session),
            ("A", TypedAnswer::Always),
            ("no", TypedAnswer::No),
            ("No!", TypedAnswer::No),
            ("yy", TypedAnswer::Note("yy")),
            ("ok?", TypedAnswer::Note("ok?")),
            ("please", TypedAnswer::Note("please")),
            ("yes, but later", TypedAnswer::Note("yes, but later")),
            ("sure, no", TypedAnswer::Note("sure, no")),
            ("not ok", TypedAnswer::Note("not ok")),
            ("please do not", TypedAnswer::Note("please do not")),
            ("", TypedAnswer::Unrelated("")),
            (" \t", TypedAnswer::Unrelated("")),
            ("/context", TypedAnswer::Unrelated("/context")),
            ("!ls", TypedAnswer::Unrelated("!ls")),
        ] {
            assert_eq!(TypedAnswer::of(typed, &command()), expected, "{typed}");
        }
        assert_eq!(TypedAnswer::of("a", &ApprovalKind::Write), TypedAnswer::Note("a"));
        assert_eq!(TypedAnswer::of("s", &ApprovalKind::Lasting), TypedAnswer::Note("s"));
        for typed in ["y", "Yes", " yes", "yes.", "sure", "ok"] {
            let expected = TypedAnswer::TooShort(typed.trim());
            assert_eq!(TypedAnswer::of(typed, &ApprovalKind::Guarded), expected, "{typed}");
        }
        for typed in ["n", "no", "yes?", "yes, but later", "s"] {
            assert_eq!(TypedAnswer::of(typed, &ApprovalKind::Guarded), TypedAnswer::No, "{typed}");
        }
    }

    proptest! {
        #[test]
        fn a_yes_consists_of_a_known_word(typed in "(y|yes|ok|sure|no|not|but|please|s|a|[ ,.!?'/-]){0,5}") {
            let words = typed.trim().to_lowercase();
            let is_yes = matches!(TypedAnswer::of(&typed, &ApprovalKind::Lasting), TypedAnswer::Once);
            let rest = words.trim_end_matches(['.', '!', ',', ' ']).trim_end_matches("please");
            prop_assert!(!is_yes || YES.contains(&rest.trim_end_matches([' ', ','])), "{typed}");
        }
    }
}
