//! The report of a call, for the model and for everybody else.

use loop_guardrails::policy::command::CommandPrefix;
use serde::Serialize;

use super::size_limits::notice;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolOutcome {
    /// The call succeeded.
    Done,
    /// The call was made, and failed.
    Failed,
    /// The call was not made: the tool does not exist, its arguments are wrong, or the policy refuses.
    Rejected,
}

/// A file or folder that a call made, changed or removed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct FileChange {
    /// Its path in the workspace, without links.
    pub path: String,
    /// Whether the call created it.
    pub created: bool,
}

/// A command that a call ran.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct CommandRun {
    /// The command line of the request.
    pub line: String,
    /// Its exit code as a shell would show it: 128 and the signal's number after a signal.
    pub exit_code: i32,
    /// Whether its time limit ended it.
    pub timed_out: bool,
}

/// The report of one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ToolReport {
    /// The tool's name in the request.
    pub tool: String,
    /// How it ended.
    pub outcome: ToolOutcome,
    /// The text for the model: at most [`MAX_OUTPUT_BYTES`](super::MAX_OUTPUT_BYTES), in whole characters.
    pub text: String,
    /// The files that it changed.
    pub files: Vec<FileChange>,
    /// The commands that it ran.
    pub commands: Vec<CommandRun>,
    /// Notes for a person on how the text differs from its source: it was cut, or some of it is not valid text. The
    /// model reads the same in the text.
    pub notes: Vec<String>,
    /// The parts of the sandbox that did not hold for its commands, such as secrets that they could read. The model reads
    /// the same in the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unenforced: Vec<String>,
    /// The entry of the policy that would have allowed the refused command, to tell a person. A model does not read it.
    #[serde(skip)]
    pub refused: Option<CommandPrefix>,
}

/// The most parts of the sandbox that a result names.
const MAX_UNENFORCED: usize = 5;

/// Returns the end of a result that names parts of the sandbox that did not hold.
pub(super) fn unenforced_notices(parts: &[String]) -> String {
    let line = |part: &String| format!("\n{}", notice(&unenforced_line(part)));
    parts.iter().take(MAX_UNENFORCED).map(line).collect()
}

fn unenforced_line(part: &String) -> String {
    format!("not enforced by the sandbox: {part}")
}

impl ToolReport {
    /// Returns a line about each part of the sandbox that did not hold.
    pub fn unenforced_lines(&self) -> impl ExactSizeIterator<Item = String> {
        self.unenforced.iter().map(unenforced_line)
    }

    /// Creates the report of a call that was not made.
    pub(crate) fn rejected(tool: &str, text: String) -> Self {
        Self {
            tool: tool.to_owned(),
            outcome: ToolOutcome::Rejected,
            text,
            files: Vec::new(),
            commands: Vec::new(),
            notes: Vec::new(),
            unenforced: Vec::new(),
            refused: None,
        }
    }
}
