//! The question about a line with commands.
//!
//! Models write `cargo test 2>&1 | tail -20` whatever a description says. So `|` between two commands works without a
//! shell, and each command is judged on its own. No rule judges the rest of the syntax of a shell. A person who reads such
//! a line can allow it once, and it runs in the sandbox.

use loop_guardrails::policy::{
    DeniedAction,
    command::{CommandLine, PipedCommand, pipeline},
    workspace::{Workspace, WorkspaceError},
};

use super::{Need, ToolError, pending_approval::PendingApproval};

/// Judges each command of a line. Returns a question about all of it if only a person can allow it.
///
/// # Errors
/// A rule refuses one of the commands.
pub(super) fn question(line: &str, workspace: &Workspace) -> Result<Option<PendingApproval>, ToolError> {
    let commands = pipeline(line);
    let question = match &commands[..] {
        [PipedCommand { line, .. }] => of_command(line, workspace).map(Judged::question),
        commands => of_pipeline(commands, workspace),
    };
    match question {
        Err(Refusal::NeedsShell(denied)) => {
            // Nobody is asked about a line with a forbidden program.
            match workspace.allowing_in_shell(line).check_command(line) {
                Err(refusal) if refusal.is_refusal() => Err(refusal.into()),
                _ => Ok(Some(PendingApproval::ShellLine { denied, line: line.to_owned() })),
            }
        }
        Err(Refusal::Final(error)) => Err(error),
        Ok(question) => Ok(question),
    }
}

/// The refusal of a command.
enum Refusal {
    /// Only a shell would understand it.
    NeedsShell(DeniedAction),
    Final(ToolError),
}

/// A command that no rule refuses.
enum Judged {
    Allowed(CommandLine),
    Asks(PendingApproval),
    /// The command itself reports why it cannot run.
    Fails,
}

impl Judged {
    fn question(self) -> Option<PendingApproval> {
        if let Self::Asks(question) = self { Some(question) } else { None }
    }
}

fn of_command(line: &str, workspace: &Workspace) -> Result<Judged, Refusal> {
    match workspace.check_command(line) {
        Err(WorkspaceError::Denied(denied)) if denied.ruling.needs_shell => Err(Refusal::NeedsShell(denied)),
        Err(refusal) if refusal.is_refusal() => {
            let question = PendingApproval::of(refusal, &Need::Command(line.to_owned()), workspace);
            question.map(Judged::Asks).map_err(Refusal::Final)
        }
        Ok(command) => Ok(Judged::Allowed(command)),
        Err(_) => Ok(Judged::Fails),
    }
}

fn of_pipeline(commands: &[PipedCommand], workspace: &Workspace) -> Result<Option<PendingApproval>, Refusal> {
    let (mut exact, mut refused) = (Vec::new(), None);
    for (at, PipedCommand { line: command, .. }) in commands.iter().enumerate() {
        let own = match of_command(command, workspace)? {
            Judged::Asks(PendingApproval::Command { denied, entry, exact: own, .. }) => {
                exact.push(own);
                Some((denied, Some(entry)))
            }
            Judged::Asks(other) => return Err(Refusal::Final(other.into())),
            Judged::Allowed(line) if at > 0 => line.behind_pipe(command).err().map(|denied| (denied, None)),
            Judged::Allowed(_) | Judged::Fails => None,
        };
        refused = refused.or(own);
    }
    let line: Vec<_> = commands.iter().map(ToString::to_string).collect();
    let line = line.join(" | ");
    Ok(refused.map(|(denied, entry)| PendingApproval::Pipeline { denied, line, entry, exact }))
}
