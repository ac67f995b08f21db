//! A file that is a prompt of a pipeline.

use std::io::{self, Read as _};

use loop_guardrails::policy::workspace::{Workspace, WorkspaceError};

use crate::output::lines::{Line, lines};

/// The most bytes of a file: 64 KiB.
pub const MAX_FILE_BYTES: u64 = 64 * 1024;

/// The most files of a pipeline.
pub const MAX_FILES: usize = 50;

/// A prompt in a file, and the model that answers it.
///
/// ```
/// use loop_agents::pipeline::PipelineFile;
///
/// let file = PipelineFile::parse("review.md", "@gpt-5 Review this.\nMail to me@example.org.\n")?;
/// assert_eq!((file.model(), file.text()), (Some("gpt-5"), "Review this.\nMail to me@example.org."));
/// # Ok::<(), loop_agents::pipeline::PipelineFileError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelineFile {
    path: String,
    model: Option<String>,
    text: String,
}

/// A file that cannot be a step of a pipeline.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineFileError {
    /// The workspace does not let it be read.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The system does not let it be read, or it is not text.
    #[error("cannot read {path}")]
    Read {
        /// The file.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// It is too long.
    #[error("{path} is longer than {} KiB, the limit of a step: divide it", MAX_FILE_BYTES / 1024)]
    TooLong {
        /// The file.
        path: String,
    },
    /// It has no prompt.
    #[error("{path} has no prompt: write one, or leave the file out")]
    Empty {
        /// The file.
        path: String,
    },
    /// It names two models.
    #[error("{path} names two models, `@{first}` and `@{second}`: keep one of them")]
    TwoModels {
        /// The file.
        path: String,
        /// The first name.
        first: String,
        /// Another name.
        second: String,
    },
}

impl PipelineFile {
    /// Reads the file at this path of a workspace.
    ///
    /// # Errors
    /// The policy or the system refuses, the file is longer than [`MAX_FILE_BYTES`], or [`parse`](Self::parse) fails.
    pub fn read(workspace: &Workspace, path: &str) -> Result<Self, PipelineFileError> {
        let opened = workspace.read(path)?;
        let (mut text, path) = (String::new(), path.to_owned());
        match opened.file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text) {
            // The cut may be within a character, which is then the error.
            _ if opened.bytes > MAX_FILE_BYTES || text.len() as u64 > MAX_FILE_BYTES => {
                Err(PipelineFileError::TooLong { path })
            }
            Err(source) => Err(PipelineFileError::Read { path, source }),
            Ok(_) => Self::parse(path, &text),
        }
    }

    /// Parses the text of a file. `@NAME` as the first word of a line names the model, and is no part of the prompt. It does
    /// not count inside of a fenced block.
    ///
    /// # Errors
    /// The text names two models, or has no prompt.
    pub fn parse(path: impl Into<String>, text: &str) -> Result<Self, PipelineFileError> {
        let (path, mut model) = (path.into(), None::<&str>);
        let (mut prompt, mut end) = (String::new(), 0);
        for line in lines(text).filter(|line| !line.is_fenced) {
            let Some(name) = mention(&line, text) else { continue };
            if let Some(first) = model.filter(|first| *first != name) {
                let (first, second) = (first.to_owned(), name.to_owned());
                return Err(PipelineFileError::TwoModels { path, first, second });
            }
            model = Some(name);
            prompt.push_str(&text[end..line.place.start]);
            let rest = text[line.place.start..].trim_start_matches([' ', '\t']);
            let rest = rest[1 + name.len()..].trim_start_matches([' ', '\t']);
            end = text.len() - rest.len();
        }
        prompt.push_str(&text[end..]);
        let (text, model) = (prompt.trim().to_owned(), model.map(str::to_owned));
        if text.is_empty() { Err(PipelineFileError::Empty { path }) } else { Ok(Self { path, model, text }) }
    }

    /// Returns the path, as it was given.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the name of the model, if the file names one.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// Returns the prompt.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Returns the name after `@` in the first word of a line.
fn mention<'t>(line: &Line, text: &'t str) -> Option<&'t str> {
    let word = text[line.place.clone()].split_whitespace().next()?;
    word.strip_prefix('@').filter(|name| name.starts_with(char::is_alphanumeric))
}
