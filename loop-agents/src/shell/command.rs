//! The agent's command line, and the two ways of handing it a prompt.

use super::quoting::{Unquotable, problem_at, quote};

/// The longest command line that can be given to `sh -c`, in bytes: Linux takes no argument
/// longer than 128 KiB, its final NUL included (`MAX_ARG_STRLEN`), whatever else is free.
pub const MAX_LINE_BYTES: usize = 128 * 1024 - 1;

const PLACE: &str = "{prompt}";

/// A command line, checked, with or without places for the prompt.
///
/// Where `{prompt}` stands the prompt is put as one quoted word, and the command's standard
/// input is empty. Without it the prompt comes on standard input, which has no limit.
///
/// The quoting holds for the one shell that reads this line. A command that hands its words to
/// another shell (`ssh host agent -p {prompt}`, `eval`, `sh -c {prompt}`) would run what is in the
/// prompt: leave `{prompt}` out of these.
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
    /// Where `{prompt}` stands, in bytes.
    places: Vec<usize>,
}

/// A command line as it is run, and what it can read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// For `sh -c`.
    pub line: String,
    /// For its standard input; empty if the prompt is in the line.
    pub input: String,
}

impl CommandLine {
    /// Checks a command line.
    ///
    /// # Errors
    /// A line that is empty, too long, or has a NUL byte in it; and a `{prompt}` where a
    /// quoted word would not be read as one.
    pub fn parse(text: &str) -> Result<Self, CommandError> {
        check_line(text)?;
        let places: Vec<usize> = text.match_indices(PLACE).map(|(offset, _)| offset).collect();
        for &offset in &places {
            if let Some(problem) = problem_at(text, offset) {
                return Err(CommandError::PromptPlace { offset, problem });
            }
        }
        Ok(Self { text: text.to_owned(), places })
    }

    /// The line as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the prompt becomes part of the line.
    pub fn takes_prompt(&self) -> bool {
        !self.places.is_empty()
    }

    /// The call with this prompt.
    ///
    /// # Errors
    /// A prompt that has to be an argument and cannot be one.
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
        Ok(Invocation { line: self.text.replace(PLACE, &word), input: String::new() })
    }
}

/// Checks what every command line needs, with or without a prompt.
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

/// A command line that cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// There is nothing to run.
    #[error("the command is empty")]
    Empty,
    /// The line has a NUL byte in it.
    #[error("the command contains a NUL byte, which no program can be given")]
    Nul {
        /// Where, in bytes.
        offset: usize,
    },
    /// The line is longer than the system takes.
    #[error("the command has {bytes} bytes, and the system takes {MAX_LINE_BYTES}: put it in a script")]
    TooLong {
        /// The line's length.
        bytes: usize,
    },
    /// The prompt cannot be put where `{prompt}` stands.
    #[error("`{{prompt}}` cannot be filled in here: {problem}")]
    PromptPlace {
        /// Where, in bytes.
        offset: usize,
        /// Why, and what to do.
        problem: Unquotable,
    },
}

impl CommandError {
    /// Where in the line, in bytes, so that a caret can point at it.
    pub fn offset(&self) -> Option<usize> {
        match self {
            Self::Nul { offset } | Self::PromptPlace { offset, .. } => Some(*offset),
            Self::Empty | Self::TooLong { .. } => None,
        }
    }
}

/// A prompt that cannot be an argument.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PromptUndeliverable {
    /// It is too long.
    #[error(
        "the prompt ({prompt_bytes} bytes) is too long to be an argument: with it the command has \
         {line_bytes} bytes, and the system takes {MAX_LINE_BYTES}. Leave `{{prompt}}` out of the \
         command: the prompt then comes on standard input (stdin), at any size"
    )]
    TooLong {
        /// The prompt's length.
        prompt_bytes: usize,
        /// The length that the command line would have.
        line_bytes: usize,
    },
    /// The system takes no command of this length together with this environment.
    #[error(
        "the command with the prompt in it ({line_bytes} bytes) and its environment \
         ({environment_bytes} bytes) are too long for this system. Leave `{{prompt}}` out of the \
         command: the prompt then comes on standard input (stdin), at any size"
    )]
    NoRoom {
        /// The length of the command line with the prompt in it.
        line_bytes: usize,
        /// The length of all variables together.
        environment_bytes: usize,
    },
    /// It has a NUL byte in it.
    #[error(
        "the prompt has a NUL byte (at byte {offset}), which no argument can have. Leave `{{prompt}}` \
         out of the command: the prompt then comes on standard input (stdin), byte for byte"
    )]
    Nul {
        /// Where in the prompt, in bytes.
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
        // A single quote takes four bytes in the line.
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
