//! Tool calls by a person: `!command`, and commands that call a tool.

use std::time::Duration;

use loop_agents::tools::{ToolOutcome, ToolReport};
use loop_telemetry::words::style::{BAD, paint};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::state::Session;
use crate::InputError;

/// The exit code of a command that Ctrl+C ended, as shells report it. A command that is still in our process group
/// receives Ctrl+C together with us, and may end before we notice the signal.
const BY_CTRL_C: i32 = 130;

/// The time in which our own Ctrl+C must arrive in that case.
const HEARD: Duration = Duration::from_millis(200);

impl Session {
    /// Runs a command line if the policy allows it, and adds its output to the model's context.
    ///
    /// # Errors
    /// The policy refuses the command, or the command cannot start.
    pub(crate) async fn shell(&mut self, line: &str) -> Result<(), InputError> {
        self.show_call("run_command", &json!({ "command": line }), &format!("I ran: {line}")).await
    }

    /// Calls a tool, shows its result, and adds it to the model's context under the label `about`.
    ///
    /// # Errors
    /// As for [`call`](Self::call). A command that failed or was interrupted counts as run.
    pub(crate) async fn show_call(
        &mut self,
        tool: &str,
        arguments: &Value,
        about: &str,
    ) -> Result<(), InputError> {
        let doing = format!("running: {}", self.host().one_line(self.line()));
        let view = self.show("", doing, None, None);
        let report = self.call(tool, arguments).await;
        drop(view);
        if report.as_ref().is_err_and(InputError::is_interrupted) {
            // The effects before the interruption remain, so the model must know.
            self.add_excerpt_to_context(about, "(interrupted)");
        }
        let report = report?;
        self.say(&self.host().printable(report.text.trim_end()));
        self.add_excerpt_to_context(about, &report.text);
        match report.commands.last().filter(|run| run.exit_code != 0) {
            Some(run) if run.timed_out => Err(InputError::refused("the command was ended at its time limit")),
            Some(run) => {
                Err(InputError::refused(format!("the command exited with {}", paint(BAD, run.exit_code))))
            }
            None => Ok(()),
        }
    }

    /// Calls a tool for the person, and returns its report.
    ///
    /// # Errors
    /// Returns the policy's refusal, the tool's failure, or [`InputError::Interrupted`].
    pub(crate) async fn call(&mut self, tool: &str, arguments: &Value) -> Result<ToolReport, InputError> {
        let stop = self.stop();
        let report = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(InputError::Interrupted),
            report = self.tools.toolbox.call(tool, arguments) => report,
        };
        let by_ctrl_c = report.commands.last().is_some_and(|run| run.exit_code == BY_CTRL_C);
        if by_ctrl_c && timeout(HEARD, stop.cancelled()).await.is_ok() {
            return Err(InputError::Interrupted);
        }
        match report.outcome {
            ToolOutcome::Done => Ok(report),
            ToolOutcome::Failed | ToolOutcome::Rejected => Err(InputError::refused(report.text)),
        }
    }
}
