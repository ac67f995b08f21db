//! The agent's command line, and the two ways to pass it a prompt.

use super::{
    quoting::{QuotingError, problem_at, quote},
    variables::{Piece, Variables},
};

/// The longest command line that `sh -c` accepts, in bytes. Linux limits each argument to 128 KiB, including its final
/// NUL (`MAX_ARG_STRLEN`), whatever else is free.
pub const MAX_LINE_BYTES: usize = 128 * 1024 - 1;

const PLACE: &str = "{prompt}";

/// A checked command line, with or without places for the prompt.
///
/// `{prompt}` is replaced by the prompt as one quoted word, and the command's standard input is empty. Without
/// `{prompt}`, the command reads the prompt from its standard input, which has no limit.
///
/// The quoting is correct for the shell that reads this line. A command that passes its arguments to another shell
/// (`ssh host agent -p {prompt}`, `eval`, `sh -c {prompt}`) would run code in the prompt. Do not use `{prompt}` in such
/// commands.
///
/// ```
/// use loop_agents::shell::CommandLine;
///
/// let command = CommandLine::parse("agent -p {prompt}")?;
/// let call = command.with_prompt("it's \"q\" $(touch x)")?;
/// assert_eq!(call.line, r#"agent -p 'it'\''s "q" $(touch x)'"#);
/// assert_eq!(call.input, "");
///
/// let error = CommandLine::parse("agent -p '{prompt}'").unwrap_err();
/// assert_eq!(error.offset(), Some(10));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    text: String,
    /// The offsets of `{prompt}`, in bytes.
    places: Vec<usize>,
}

/// A command line to run, and its input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The line for `sh -c`.
    pub line: String,
    /// The standard input. It is empty if the prompt is in the line.
    pub input: String,
}

impl CommandLine {
    /// Checks a command line.
    ///
    /// # Errors
    /// Fails if the line is empty, too long, or has a NUL byte in it, or if a `{prompt}` is at a place where the shell
    /// would not read a quoted word as one.
    pub fn parse(text: &str) -> Result<Self, CommandError> {
        Self::parse_with(text, &Variables::default())
    }

    /// Checks a command line, and puts these values into it, each quoted. A `{prompt}` in a value is text.
    ///
    /// # Errors
    /// Fails like [`parse`](Self::parse), and if a variable is at such a place.
    pub fn parse_with(text: &str, values: &Variables) -> Result<Self, CommandError> {
        check_line(text)?;
        Variables::check_places(text)?;
        let (mut line, mut places) = (String::new(), Vec::new());
        for piece in values.pieces(text) {
            match piece {
                Piece::Value(value) => line += &quote(value),
                Piece::Text(part, start) => {
                    for (at, _) in part.match_indices(PLACE) {
                        let offset = start + at;
                        if let Some(problem) = problem_at(text, offset) {
                            return Err(CommandError::PromptPlace { offset, problem });
                        }
                        places.push(line.len() + at);
                    }
                    line += part;
                }
            }
        }
        check_line(&line)?;
        Ok(Self { text: line, places })
    }

    /// Returns the line as it was written, with the values of its variables.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns true if the prompt becomes part of the line.
    pub fn takes_prompt(&self) -> bool {
        !self.places.is_empty()
    }

    /// Returns the invocation with this prompt.
    ///
    /// # Errors
    /// Fails if the prompt has to be an argument and cannot be one.
    pub fn with_prompt(&self, prompt: impl Into<String>) -> Result<Invocation, PromptUndeliverable> {
        let prompt = prompt.into();
        if !self.takes_prompt() {
            return Ok(Invocation { line: self.text.clone(), input: prompt });
        }
        if let Some(offset) = prompt.find('\0') {
            return Err(PromptUndeliverable::Nul { offset });
        }
        let word = quote(&prompt);
        let line_bytes = self.text.len() + self.places.len() * word.len() - self.places.len() * PLACE.len();
        if line_bytes > MAX_LINE_BYTES {
            return Err(PromptUndeliverable::TooLong { prompt_bytes: prompt.len(), line_bytes });
        }
        let (mut line, mut at) = (String::with_capacity(line_bytes), 0);
        for &place in &self.places {
            line += &self.text[at..place];
            line += &word;
            at = place + PLACE.len();
        }
        line += &self.text[at..];
        Ok(Invocation { line, input: String::new() })
    }
}

/// Checks the requirements of every command line, with or without a prompt.
pub(super) fn check_line(text: &str) -> Result<(), CommandError> {
    if text.trim().is_empty() {
        return Err(CommandError::Empty);
    }
    if let Some(offset) = text.find('\0') {
        return Err(CommandError::Nul { offset });
    }
    if text.len() > MAX_LINE_BYTES {
        return Err(CommandError::TooLong { bytes: text.len() });
    }
    Ok(())
}

/// An invalid command line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// The command line is empty.
    #[error("the command is empty")]
    Empty,
    /// The line has a NUL byte in it.
    #[error("the command contains a NUL byte, which cannot be passed to a program")]
    Nul {
        /// The offset in bytes.
        offset: usize,
    },
    /// The line is longer than the system allows.
    #[error(
        "the command has {bytes} bytes, but the system accepts at most {MAX_LINE_BYTES}: put it into a script"
    )]
    TooLong {
        /// The line's length, in bytes.
        bytes: usize,
    },
    /// The prompt cannot replace `{prompt}` at this place.
    #[error("`{{prompt}}` cannot be filled in here: {problem}")]
    PromptPlace {
        /// The offset in bytes.
        offset: usize,
        /// The reason, and what to do.
        problem: QuotingError,
    },
    /// A value cannot replace `{var.NAME}` at this place.
    #[error("`{{var.{name}}}` cannot be filled in here: {problem}")]
    VariablePlace {
        /// The variable.
        name: String,
        /// The offset in bytes.
        offset: usize,
        /// The reason, and what to do.
        problem: QuotingError,
    },
}

impl CommandError {
    /// Returns the offset in the line, in bytes, so that a caret can point at it.
    pub fn offset(&self) -> Option<usize> {
        match self {
            Self::Nul { offset } | Self::PromptPlace { offset, .. } | Self::VariablePlace { offset, .. } => {
                Some(*offset)
            }
            Self::Empty | Self::TooLong { .. } => None,
        }
    }
}

/// A prompt that cannot be an argument.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PromptUndeliverable {
    /// The prompt is too long.
    #[error(
        "the prompt ({prompt_bytes} bytes) is too long to be an argument: with it the command has \
         {line_bytes} bytes, but the system accepts at most {MAX_LINE_BYTES}. Leave `{{prompt}}` out of the \
         command: the prompt then arrives on standard input (stdin), at any size"
    )]
    TooLong {
        /// The prompt's length, in bytes.
        prompt_bytes: usize,
        /// The length of the command line with the prompt, in bytes.
        line_bytes: usize,
    },
    /// The system does not accept a command of this length together with this environment.
    #[error(
        "the command with the prompt in it ({line_bytes} bytes) and its environment \
         ({environment_bytes} bytes) are too long for this system. Leave `{{prompt}}` out of the \
         command: the prompt then arrives on standard input (stdin), at any size"
    )]
    NoRoom {
        /// The length of the command line with the prompt, in bytes.
        line_bytes: usize,
        /// The length of all variables together, in bytes.
        environment_bytes: usize,
    },
    /// The prompt has a NUL byte in it.
    #[error(
        "the prompt has a NUL byte (at byte {offset}), which no argument can contain. Leave `{{prompt}}` \
         out of the command: the prompt then arrives on standard input (stdin), byte for byte"
    )]
    Nul {
        /// The offset in the prompt, in bytes.
        offset: usize,
    },
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_prompt_is_one_word_of_the_line(prompt in r#"([a-z'"\\$`(){}!\n é]|\{prompt\}){0,30}"#) {
            let command = CommandLine::parse("agent {prompt} x={prompt}").unwrap();
            let call = command.with_prompt(prompt.as_str()).unwrap();
            let words = shlex::split(&call.line).unwrap();
            prop_assert_eq!(words, ["agent".to_owned(), prompt.clone(), format!("x={prompt}")]);
        }
    }

    #[test]
    fn without_a_place_the_prompt_is_the_input() {
        let command = CommandLine::parse("agent").unwrap();
        assert!(!command.takes_prompt());
        let prompt = "x\0y".repeat(MAX_LINE_BYTES);
        let call = command.with_prompt(prompt.as_str()).unwrap();
        assert_eq!((call.line.as_str(), call.input), ("agent", prompt));
    }

    #[test]
    fn the_limit_is_that_of_the_whole_line_to_the_byte() {
        let command = CommandLine::parse("agent {prompt}").unwrap();
        let room = MAX_LINE_BYTES - "agent ''".len();
        assert_eq!(command.with_prompt("x".repeat(room)).unwrap().line.len(), MAX_LINE_BYTES);
        let error = command.with_prompt("x".repeat(room + 1)).unwrap_err();
        assert!(error.to_string().contains("standard input (stdin)"), "{error}");
        // A quoted single quote takes four bytes in the line.
        assert!(command.with_prompt("'".repeat(room / 2)).is_err());
    }

    #[test]
    fn what_cannot_be_run_is_refused() {
        assert_eq!(CommandLine::parse(" \n"), Err(CommandError::Empty));
        assert_eq!(CommandLine::parse("a\0").unwrap_err().offset(), Some(1));
        assert!(matches!(CommandLine::parse(&"x".repeat(131_072)), Err(CommandError::TooLong { .. })));
        let error = CommandLine::parse("agent \"{prompt}\"").unwrap_err();
        assert_eq!(error.offset(), Some(7));
        assert!(error.to_string().contains("remove them"), "{error}");
        let nul = CommandLine::parse("agent {prompt}").unwrap().with_prompt("a\0").unwrap_err();
        assert_eq!(nul, PromptUndeliverable::Nul { offset: 1 });
    }
}
