//! Pipelines: commands that pass their output on.

use std::fmt;

use super::CommandLine;
use crate::policy::DeniedAction;

/// The programs that only read their input, whatever it contains. The policy judges their options.
const FILTERS: [&str; 11] = ["cat", "cut", "grep", "head", "jq", "nl", "sort", "tail", "tr", "uniq", "wc"];

const BLANKS: [char; 2] = [' ', '\t'];

/// A command of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PipedCommand {
    /// The command, without what follows it.
    pub line: String,
    /// Whether an unquoted `2>&1` at its end sends its errors along with its output.
    pub sends_errors: bool,
}

/// Returns the commands of a line: the texts between unquoted words `|`.
///
/// ```
/// use loop_guardrails::policy::command::pipeline;
/// let commands = pipeline("cargo test 2>&1 | grep 'a | b'");
/// assert_eq!([&commands[0].line, &commands[1].line], ["cargo test", "grep 'a | b'"]);
/// assert!(commands[0].sends_errors && !commands[1].sends_errors);
/// ```
pub fn pipeline(line: &str) -> Vec<PipedCommand> {
    let (mut commands, mut rest) = (vec![Vec::new()], line);
    while !rest.trim_start_matches(BLANKS).is_empty() {
        let blanks = rest.len() - rest.trim_start_matches(BLANKS).len();
        let (word, after) = rest.split_at(blanks + length_of_word(&rest[blanks..]));
        match (&word[blanks..], commands.last_mut()) {
            ("|", _) | (_, None) => commands.push(Vec::new()),
            (_, Some(words)) => words.push(word),
        }
        rest = after;
    }
    let command = |mut words: Vec<&str>| {
        let sends_errors = words.pop_if(|word| word.trim_start_matches(BLANKS) == "2>&1").is_some();
        PipedCommand { line: words.concat().trim_start_matches(BLANKS).to_owned(), sends_errors }
    };
    commands.into_iter().map(command).collect()
}

impl fmt::Display for PipedCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.line, if self.sends_errors { " 2>&1" } else { "" })
    }
}

/// Returns the length of the word at the beginning of a text, with its quotes. An open quote reaches to the end.
fn length_of_word(text: &str) -> usize {
    let (mut quote, mut is_escaped) = (None, false);
    for (at, sign) in text.char_indices() {
        match (sign, quote) {
            _ if is_escaped => is_escaped = false,
            ('\\', None | Some('"')) => is_escaped = true,
            (sign, Some(open)) if sign == open => quote = None,
            (_, Some(_)) => {}
            ('\'' | '"', None) => quote = Some(sign),
            (sign, None) if BLANKS.contains(&sign) => return at,
            _ => {}
        }
    }
    text.len()
}

impl CommandLine {
    /// Judges whether this command, which is written as `text`, may read the output of another command.
    ///
    /// A rule that allows a command was written without its input in mind: `sqlite3 x.db` is harmless until somebody pipes
    /// `.shell` into it. So behind a `|` only programs run that do nothing but read their input.
    ///
    /// # Errors
    /// [`DeniedAction`] if only a person can allow it.
    pub fn behind_pipe(self, text: &str) -> Result<Self, DeniedAction> {
        if self.is_known() && FILTERS.contains(&self.program.as_str()) {
            return Ok(self);
        }
        let mut ruling = self.ruling;
        ruling.allowed = false;
        ruling.rule = format!(
            "only a person can allow `{text}` to read the output of another command; run each command by itself"
        );
        Err(DeniedAction { action: format!("to run `{text}`"), ruling })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_an_unquoted_word_divides_a_line() {
        for (line, expected) in [
            ("a", &["a"][..]),
            ("a b | c", &["a b", "c"]),
            ("cargo test 2>&1 | tail -5", &["cargo test", "tail -5"]),
            ("cargo test 2>&1", &["cargo test"]),
            ("a '2>&1'", &["a '2>&1'"]),
            ("grep 'a | b' x | wc", &["grep 'a | b' x", "wc"]),
            ("grep \"a \\\" | b\" x", &["grep \"a \\\" | b\" x"]),
            ("grep '|' x", &["grep '|' x"]),
            // The escaped blank belongs to the word.
            (r"echo \ | c", &[r"echo \ | c"]),
            (r"echo \| c", &[r"echo \| c"]),
            ("a|b", &["a|b"]),
            ("a || b", &["a || b"]),
            ("a |& b", &["a |& b"]),
            ("a ' | b", &["a ' | b"]),
            ("| a", &["", "a"]),
            ("", &[""]),
        ] {
            let lines: Vec<_> = pipeline(line).into_iter().map(|command| command.line).collect();
            assert_eq!(lines, expected, "{line}");
        }
    }

    #[test]
    fn a_line_is_shown_as_it_was_written() {
        for line in ["a 2>&1 | b", "a | b 2>&1", "a '2>&1' | b"] {
            let shown: Vec<_> = pipeline(line).iter().map(ToString::to_string).collect();
            assert_eq!(shown.join(" | "), line);
        }
    }

    proptest! {
        #[test]
        fn the_words_of_all_commands_are_those_of_the_line(line in "[a-c|'\"\\\\ \t>&12]{0,24}") {
            let Some(words) = shlex::split(&line) else { return Ok(()) };
            let parts = pipeline(&line);
            let split = parts.iter().map(|part| shlex::split(&part.line));
            let Some(split) = split.collect::<Option<Vec<_>>>() else { return Err(TestCaseError::fail(line)) };
            let kept = |word: &&String| !["|", "2>&1"].contains(&word.as_str());
            let all: Vec<_> = split.iter().flatten().filter(kept).collect();
            prop_assert_eq!(all, words.iter().filter(kept).collect::<Vec<_>>());
        }
    }
}
