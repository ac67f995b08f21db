//! The request in a line of a session. Parsing is pure and looks nothing up.

/// The request of a person who typed a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserInput<'a> {
    /// An empty line, or a lone `/`, `!` or `@`.
    Nothing,
    /// `/name arguments`, with the name as written. A first word with a second `/` is a path, and begins a prompt.
    Command {
        /// Without the `/`.
        name: &'a str,
        /// The rest, without surrounding space.
        arguments: &'a str,
    },
    /// `!line`: a command line to run.
    Shell(&'a str),
    /// `@model prompt`: one turn with another model.
    Mention {
        /// Without the `@`.
        model: &'a str,
        /// The prompt; may be empty.
        prompt: &'a str,
    },
    /// Anything else is a prompt for the model.
    Prompt(&'a str),
}

impl<'a> UserInput<'a> {
    /// Parses a line, which may contain line breaks.
    pub fn of(line: &'a str) -> Self {
        let line = line.trim();
        if line.is_empty() {
            return Self::Nothing;
        }
        if let Some(rest) = line.strip_prefix('/') {
            let (name, arguments) = split_word(rest.trim_start());
            return match name {
                "" => Self::Nothing,
                // A path: no command has such a name.
                _ if name.contains('/') => Self::Prompt(line),
                _ => Self::Command { name, arguments },
            };
        }
        if let Some(rest) = line.strip_prefix('!') {
            return if rest.trim().is_empty() { Self::Nothing } else { Self::Shell(rest.trim()) };
        }
        match line.strip_prefix('@').map(split_word) {
            Some(("", "")) => Self::Nothing,
            Some((model, prompt)) if !model.is_empty() => Self::Mention { model, prompt },
            _ => Self::Prompt(line),
        }
    }
}

/// Returns the first word, and the rest without surrounding space.
pub fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::test_cases;

    #[test]
    fn a_line_says_by_its_first_sign_what_it_is() {
        for (line, meant) in [
            ("", UserInput::Nothing),
            (" \n", UserInput::Nothing),
            ("/", UserInput::Nothing),
            ("! ", UserInput::Nothing),
            ("/help", UserInput::Command { name: "help", arguments: "" }),
            ("/ Read  a b ", UserInput::Command { name: "Read", arguments: "a b" }),
            (
                "/context add\nline one\n\nline two",
                UserInput::Command { name: "context", arguments: "add\nline one\n\nline two" },
            ),
            ("/tmp/a.png what is this?", UserInput::Prompt("/tmp/a.png what is this?")),
            ("//", UserInput::Prompt("//")),
            ("!ls -l | head", UserInput::Shell("ls -l | head")),
            ("@", UserInput::Nothing),
            ("@ a", UserInput::Prompt("@ a")),
            ("@ollama:qwen3", UserInput::Mention { model: "ollama:qwen3", prompt: "" }),
            ("a/b @c !d", UserInput::Prompt("a/b @c !d")),
        ] {
            assert_eq!(UserInput::of(line), meant, "{line:?}");
        }
    }

    #[test]
    fn a_model_is_named_as_people_know_it() {
        for (input, expected) in test_cases::of("atMention") {
            let meant = match UserInput::of(input.as_str().expect("a line")) {
                UserInput::Mention { model, prompt } => (true, model, prompt),
                _ => (false, "", ""),
            };
            let said = (&expected["ok"], &expected["name"], &expected["prompt"]);
            assert_eq!(
                (meant.0.into(), meant.1.into(), meant.2.into()),
                (said.0.clone(), said.1.clone(), said.2.clone())
            );
        }
    }

    proptest! {
        #[test]
        fn what_is_said_is_said_whole(text in "[^/!@\\s](.|\n){0,60}") {
            prop_assert_eq!(UserInput::of(&text), UserInput::Prompt(text.trim()));
        }
    }
}
