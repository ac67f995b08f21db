//! Actions that wait for a person's decision.

use loop_guardrails::policy::{
    DeniedAction, LocalPath, NEEDS_PERSON, Verb,
    command::CommandPrefix,
    workspace::{Workspace, WorkspaceError},
};

use super::{ApprovalKind, ApprovalRequest, Need, ToolError, diff::visible};

/// An action that only a person can allow.
#[derive(Debug)]
pub(super) enum PendingApproval {
    /// A change that the policy leaves to a person.
    Guarded {
        denied: DeniedAction,
        /// The path as the caller wrote it, and the path to which it leads.
        paths: Vec<LocalPath>,
    },
    /// A change that the policy allows, and that a person wants to see.
    Change {
        /// [`ApprovalKind::Write`] or [`ApprovalKind::Lasting`].
        kind: ApprovalKind,
        action: String,
        /// The path of the file, without links; empty if the change is about no file.
        path: String,
    },
    /// A command that no entry allows.
    Command {
        denied: DeniedAction,
        line: String,
        /// The proposed entry.
        entry: CommandPrefix,
        /// The entry for this line only.
        exact: CommandPrefix,
    },
    /// A pipeline whose commands no rule refuses, and not all of which an entry allows.
    Pipeline {
        /// The refusal of the first such command.
        denied: DeniedAction,
        line: String,
        /// The entry that would allow the first such command, if one can.
        entry: Option<CommandPrefix>,
        /// The entries for these commands only.
        exact: Vec<CommandPrefix>,
    },
    /// A line that only a shell would understand.
    ShellLine { denied: DeniedAction, line: String },
}

impl PendingApproval {
    /// Creates the question about a refusal, if a person can allow the action.
    pub(super) fn of(refusal: WorkspaceError, need: &Need, workspace: &Workspace) -> Result<Self, ToolError> {
        let denied = match refusal {
            WorkspaceError::Denied(denied) => denied,
            refusal => return Err(refusal.into()),
        };
        match (&denied.ruling.needs_approval, &denied.ruling.needs_entry, need) {
            (Some(leads_to), _, _) => {
                let written = need.path().and_then(|path| workspace.policy().local(path).ok());
                let paths = written.into_iter().chain([LocalPath::clone(leads_to)]).collect();
                Ok(Self::Guarded { denied, paths })
            }
            (None, Some(entry), Need::Command(line)) => {
                let (line, entry) = (line.clone(), CommandPrefix::clone(entry));
                let Ok(exact) = line.parse::<CommandPrefix>() else { return Err(denied.into()) };
                // Nobody is asked about a command that another rule refuses.
                match workspace.allowing(exact.clone()).check_command(&line) {
                    Err(refusal) if refusal.is_refusal() => Err(refusal.into()),
                    _ => Ok(Self::Command { denied, line, entry, exact }),
                }
            }
            _ => Err(denied.into()),
        }
    }

    /// Creates the question about writing the file at this path, as the caller wrote it.
    pub(super) fn write(path: &str, workspace: &Workspace) -> Self {
        // Detours such as `a/../b` are left out: one can be as long as a screen.
        let written = workspace.policy().local(path).ok();
        let place = workspace.check(path, Verb::Write).ok();
        let leads_elsewhere =
            written.as_ref().filter(|written| place.as_ref().is_some_and(|place| place != *written));
        let leads_elsewhere = leads_elsewhere.map(|written| format!(", to which `{written}` leads"));
        let path = place.or(written).map_or_else(|| path.to_owned(), |place| place.to_string());
        let action = format!("to write `{path}`{}", leads_elsewhere.unwrap_or_default());
        Self::Change { kind: ApprovalKind::Write, action, path }
    }

    /// Returns the line of a command.
    pub(super) fn line(&self) -> Option<&str> {
        match self {
            Self::Command { line, .. } | Self::Pipeline { line, .. } | Self::ShellLine { line, .. } => {
                Some(line)
            }
            Self::Guarded { .. } | Self::Change { .. } => None,
        }
    }

    /// Returns the entry that would allow a command.
    pub(super) fn entry(&self) -> Option<&CommandPrefix> {
        match self {
            Self::Command { entry, .. } => Some(entry),
            Self::Pipeline { entry, .. } => entry.as_ref(),
            Self::Guarded { .. } | Self::Change { .. } | Self::ShellLine { .. } => None,
        }
    }

    /// Returns the rule that a model reads after a person's no, if it says more than the question.
    pub(super) fn rule(&self) -> Option<&str> {
        if let Self::Guarded { denied, .. } = self { Some(&denied.ruling.rule) } else { None }
    }

    /// Returns the question for a person, who is shown `diff`. A guarded change that is too long to read cannot be
    /// approved.
    pub(super) fn request(&self, diff: Option<String>) -> Result<ApprovalRequest, ToolError> {
        let (kind, action, path, why) = match self {
            Self::Guarded { denied, paths } => {
                let path = paths.last().map(ToString::to_string).unwrap_or_default();
                let rule = &denied.ruling.rule;
                let why = rule.strip_suffix(NEEDS_PERSON).unwrap_or(rule).to_owned();
                (ApprovalKind::Guarded, denied.action.clone(), path, why)
            }
            Self::Change { kind, action, path } => {
                (kind.clone(), action.clone(), path.clone(), "you see changes first".to_owned())
            }
            Self::Command { denied, entry, .. } => {
                let kind = ApprovalKind::Command { entry: entry.clone() };
                (kind, denied.action.clone(), String::new(), "no rule allows this command".to_owned())
            }
            Self::Pipeline { line, entry, .. } => {
                let why = "no rule allows all of its commands".to_owned();
                let kind = ApprovalKind::Pipeline { entry: entry.clone() };
                (kind, format!("to run `{line}`"), String::new(), why)
            }
            Self::ShellLine { line, .. } => {
                let why = "it needs a shell, and no rule judges that".to_owned();
                (ApprovalKind::ShellLine, format!("to run `{line}`"), String::new(), why)
            }
        };
        let diff = match (diff, &kind) {
            (Some(diff), _) => diff,
            (None, ApprovalKind::Write) => "(the change is too long to show)\n".to_owned(),
            (None, _) => {
                let what =
                    if path.is_empty() { "the action".to_owned() } else { format!("the change of `{path}`") };
                return Err(ToolError::rejected(format!(
                    "{what} is too long to show to the user, who must approve it"
                )));
            }
        };
        let [action, why] = [action, why].map(|text| visible(&text).into_owned());
        Ok(ApprovalRequest { kind, action, path, why, diff })
    }

    /// Returns the workspace in which the action is allowed, if it differs.
    pub(super) fn approved(&self, workspace: &Workspace) -> Option<Workspace> {
        match self {
            Self::Guarded { paths, .. } => Some(workspace.approving(paths.clone())),
            Self::Change { .. } => None,
            Self::Command { exact, .. } => Some(workspace.allowing(exact.clone())),
            Self::Pipeline { exact, .. } => {
                let allowing =
                    |workspace: Workspace, entry: &CommandPrefix| workspace.allowing(entry.clone());
                Some(exact.iter().fold(workspace.clone(), allowing))
            }
            Self::ShellLine { line, .. } => Some(workspace.allowing_in_shell(line)),
        }
    }
}

impl From<PendingApproval> for ToolError {
    fn from(question: PendingApproval) -> Self {
        match question {
            PendingApproval::Guarded { denied, .. }
            | PendingApproval::Command { denied, .. }
            | PendingApproval::ShellLine { denied, .. }
            | PendingApproval::Pipeline { denied, .. } => denied.into(),
            PendingApproval::Change { action, .. } => Self::rejected(format!(
                "{action} is not allowed: nobody is here to see the change and approve it"
            )),
        }
    }
}
