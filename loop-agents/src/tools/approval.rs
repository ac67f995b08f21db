//! Asks a person before a tool makes certain changes.

use std::fmt;

use async_trait::async_trait;
use loop_guardrails::policy::{
    command::CommandPrefix,
    workspace::{Workspace, WorkspaceError},
};

use super::{
    MAX_CONTENT_BYTES, ToolError,
    diff::{diff, visible},
    pending_approval::PendingApproval,
    read_file,
};

/// Asks a person for permission to make a call.
///
/// The toolbox asks about actions that the policy leaves [to a
/// person](loop_guardrails::policy::Ruling::needs_approval), about commands that [no
/// entry](loop_guardrails::policy::Ruling::needs_entry) allows, and about changes of files if the implementation wants
/// it. It asks after everything else that could refuse them. Several
/// calls may ask at the same time. The time until the answer does not count towards the tool's time limit. An
/// implementation without anybody to ask answers [`ApprovalAnswer::No`].
#[async_trait]
pub trait Approval: fmt::Debug + Send + Sync + 'static {
    /// Asks, and waits for the answer. The caller may drop the future while it waits.
    async fn ask(&self, request: &ApprovalRequest) -> ApprovalAnswer;

    /// Returns whether a person wants to see every change of a file now, before a tool makes it. By default nobody does.
    fn asks_before_writes(&self) -> bool {
        false
    }

    /// Returns whether a person decides now about changes that outlive the session. By default as
    /// [`asks_before_writes`](Self::asks_before_writes).
    fn asks_before_lasting_changes(&self) -> bool {
        self.asks_before_writes()
    }
}

/// The subject of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApprovalKind {
    /// A change of a file that an agent follows or a later command executes. Each needs its own yes.
    Guarded,
    /// A script, whose yes holds until its text changes or somebody withdraws it. Each needs its own yes.
    Script,
    /// A change of any other file, which the policy allows.
    Write,
    /// A change that outlives the session, such as a scheduled job. Each needs its own yes.
    Lasting,
    /// A command that no entry of the policy allows.
    Command {
        /// The entry that would allow it, and others like it.
        entry: CommandPrefix,
    },
    /// Commands that pass their output on, not all of which an entry of the policy allows. Each pipeline needs its own
    /// yes.
    Pipeline {
        /// The entry that would allow the first of these commands that no entry allows, if one can.
        entry: Option<CommandPrefix>,
    },
    /// A line that only a shell understands, which runs in the sandbox. Each needs its own yes.
    ShellLine,
}

/// A question for a person about an action.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The subject of the question.
    pub kind: ApprovalKind,
    /// The action, such as "to write `AGENTS.md`". Invisible characters are escaped, as in the diff.
    pub action: String,
    /// The path, relative to the workspace and without links; empty for a command.
    pub path: String,
    /// Why the action needs a person's permission, as a sentence without its full stop.
    pub why: String,
    /// The whole change, line by line: `+` before new lines, `-` before old ones. For a command, its line. The text comes
    /// from a model.
    ///
    /// Invisible characters are escaped (`\u{202e}`, `\t`), and the backslashes in such lines are doubled. An
    /// implementation that hides a part of it, such as a secret, must answer no without asking, except for a
    /// [`Write`](ApprovalKind::Write).
    pub diff: String,
}

/// A person's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalAnswer {
    /// Allows the action once.
    Yes,
    /// Refuses the action, with a text for the model: "the user said no".
    No(String),
}

/// The change that a call would make, to show to a person.
pub struct ProposedChange(Kind);

type Edit = Box<dyn FnOnce(String) -> Result<String, ToolError> + Send>;

enum Kind {
    Text { path: String, edit: Edit },
    Described { action: String, text: String, kind: ApprovalKind },
}

impl ProposedChange {
    /// Describes a change of a file's text. `edit` gets the old text, which is empty if the file does not exist.
    pub fn of_file(
        path: impl Into<String>,
        edit: impl FnOnce(String) -> Result<String, ToolError> + Send + 'static,
    ) -> Self {
        Self(Kind::Text { path: path.into(), edit: Box::new(edit) })
    }

    /// Describes another kind of change in words: the action, such as "to create a folder", and what it changes, line by
    /// line.
    pub fn described(action: impl Into<String>, text: impl Into<String>) -> Self {
        Self(Kind::Described { action: action.into(), text: text.into(), kind: ApprovalKind::Write })
    }

    /// Marks a described change as one that outlives the answers of a session: an earlier yes never covers it.
    #[must_use]
    pub fn lasting(mut self) -> Self {
        if let Kind::Described { kind, .. } = &mut self.0 {
            *kind = ApprovalKind::Lasting;
        }
        self
    }

    pub(super) fn is_lasting(&self) -> bool {
        matches!(self.0, Kind::Described { kind: ApprovalKind::Lasting, .. })
    }

    /// Returns why the policy refuses the new text, if it does.
    pub(super) fn refusal(self, workspace: &Workspace) -> Option<WorkspaceError> {
        let Kind::Text { path, edit } = self.0 else { return None };
        // If the change is impossible, the call itself reports why.
        let new = edit(old_text(workspace, &path).ok()?).ok()?;
        let refusal = workspace.check_write(&path, new.as_bytes()).err()?;
        Some(refusal).filter(WorkspaceError::is_refusal)
    }

    /// Returns the path as the caller wrote it, if the change is about a file.
    pub(super) fn path(&self) -> Option<&str> {
        if let Kind::Text { path, .. } = &self.0 { Some(path) } else { None }
    }

    /// Returns the question about this change, which the policy allows.
    pub(super) fn question(&self, workspace: &Workspace) -> PendingApproval {
        match &self.0 {
            Kind::Text { path, .. } => PendingApproval::write(path, workspace),
            Kind::Described { action, kind, .. } => {
                let (kind, action) = (kind.clone(), action.clone());
                PendingApproval::Change { kind, action, path: String::new() }
            }
        }
    }

    /// Formats the change for a person; `None` if it is too long for one to read. Also returns the text that it changes.
    pub(super) fn shown(
        self,
        workspace: &Workspace,
    ) -> Result<(Option<String>, Option<ShownText>), ToolError> {
        let (path, edit) = match self.0 {
            Kind::Text { path, edit } => (path, edit),
            Kind::Described { text, .. } => {
                let is_readable =
                    text.lines().count() <= MAX_DESCRIBED_LINES && text.len() <= MAX_DESCRIBED_BYTES;
                return Ok((is_readable.then(|| visible(&text).into_owned()), None));
            }
        };
        let old = old_text(workspace, &path)?;
        let new = edit(old.clone())?;
        Ok((diff(&old, &new), Some(ShownText { path, text: old })))
    }
}

/// The text of a file when a person saw what changes in it.
pub(super) struct ShownText {
    path: String,
    text: String,
}

impl ShownText {
    /// Refuses a change of a file that is not the one which the person saw.
    pub(super) fn check(&self, workspace: &Workspace) -> Result<(), ToolError> {
        let Self { path, text } = self;
        match old_text(workspace, path)? == *text {
            true => Ok(()),
            false => Err(ToolError::rejected(format!(
                "`{path}` is unchanged by this call: it changed while the question about it was open. Read it, and try again"
            ))),
        }
    }
}

/// The most lines of a described change that a person can be asked about: a screen of them.
const MAX_DESCRIBED_LINES: usize = 50;
/// The most bytes of a described change.
const MAX_DESCRIBED_BYTES: usize = 4096;

/// Returns the text of a file; a file that does not exist has an empty text.
fn old_text(workspace: &Workspace, path: &str) -> Result<String, ToolError> {
    match workspace.read(path) {
        Ok(opened) => read_file::whole(opened.file, path, MAX_CONTENT_BYTES),
        Err(WorkspaceError::NotFound { .. }) => Ok(String::new()),
        Err(error) => Err(error.into()),
    }
}

impl fmt::Debug for ProposedChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Change").finish_non_exhaustive()
    }
}

/// Builds the question whether a script may run, with its whole text as new lines.
#[cfg(feature = "skills")]
pub(crate) fn script_question(
    kind: ApprovalKind,
    action: String,
    why: String,
    path: &str,
    text: &str,
) -> ApprovalRequest {
    let lines = text.split_terminator('\n').map(|line| format!("+{}\n", visible(line))).collect();
    let [action, why] = [action, why].map(|text| visible(&text).into_owned());
    ApprovalRequest { kind, action, path: path.to_owned(), why, diff: lines }
}
