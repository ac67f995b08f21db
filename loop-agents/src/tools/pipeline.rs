//! Pipelines: commands that pass their output on, without a shell.
//!
//! Models write `cargo test 2>&1 | tail -20` whatever a description says. So `|` between two commands works, but nothing
//! else of a shell does. Each command is judged on its own, and a person decides about the whole line.

use loop_guardrails::policy::{command::PipedCommand, workspace::Workspace};

use super::{Need, ToolError, pending_approval::PendingApproval};

/// Judges each command of a pipeline. Returns a question about all of it if only a person can allow it.
///
/// # Errors
/// A rule refuses one of the commands.
pub(super) fn question(
    commands: &[PipedCommand],
    workspace: &Workspace,
) -> Result<Option<PendingApproval>, ToolError> {
    let (mut exact, mut refused) = (Vec::new(), None);
    for (at, PipedCommand { line: command, .. }) in commands.iter().enumerate() {
        let own = match workspace.check_command(command) {
            Ok(line) if at > 0 => line.behind_pipe(command).err().map(|denied| (denied, None)),
            Err(refusal) if refusal.is_refusal() => {
                match PendingApproval::of(refusal, &Need::Command(command.clone()), workspace)? {
                    PendingApproval::Command { denied, entry, exact: own, .. } => {
                        exact.push(own);
                        Some((denied, Some(entry)))
                    }
                    other => return Err(other.into()),
                }
            }
            // The command itself reports other errors.
            Ok(_) | Err(_) => None,
        };
        refused = refused.or(own);
    }
    let line: Vec<_> = commands.iter().map(ToString::to_string).collect();
    let line = line.join(" | ");
    Ok(refused.map(|(denied, entry)| PendingApproval::Pipeline { denied, line, entry, exact }))
}
