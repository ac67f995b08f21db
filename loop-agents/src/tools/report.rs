//! What a call did, for the model and for everybody else.

use serde::Serialize;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolOutcome {
    /// It was done.
    Done,
    /// It was tried, and did not work.
    Failed,
    /// It was not done: the tool does not exist, its arguments are wrong, or the policy refuses.
    Rejected,
}

/// A file or folder that a call made, changed or removed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct FileChange {
    /// Its path in the workspace, without links.
    pub path: String,
    /// Whether it was not there before.
    pub created: bool,
}

/// A command that a call ran.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct CommandRun {
    /// The command, as it was asked for.
    pub line: String,
    /// Its exit code as a shell would show it: 128 and the signal's number after a signal.
    pub exit_code: i32,
    /// Whether it was ended by its time limit.
    pub timed_out: bool,
}

/// What one call did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ToolReport {
    /// The tool's name, as it was asked for.
    pub tool: String,
    /// How it ended.
    pub outcome: ToolOutcome,
    /// What the model is told: at most [`MAX_OUTPUT_BYTES`](super::MAX_OUTPUT_BYTES), on whole characters.
    pub text: String,
    /// The files that it changed.
    pub files: Vec<FileChange>,
    /// The commands that it ran.
    pub commands: Vec<CommandRun>,
    /// In which ways the text is not what it was made of, in words for a person: it was cut, or not all of it is text.
    /// The model reads that in the text.
    pub notes: Vec<String>,
}

impl ToolReport {
    /// Of a call that was not made.
    pub(crate) fn rejected(tool: &str, text: String) -> Self {
        Self {
            tool: tool.to_owned(),
            outcome: ToolOutcome::Rejected,
            text,
            files: Vec::new(),
            commands: Vec::new(),
            notes: Vec::new(),
        }
    }
}
