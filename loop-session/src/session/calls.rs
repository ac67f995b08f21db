//! Tools that a person calls: `!command`, and the commands that are tools.

use std::time::Duration;

use loop_agents::tools::{ToolOutcome, ToolReport};
use loop_telemetry::words::style::{BAD, paint};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::state::Session;
use crate::InputError;

/// The exit code of a command that Ctrl+C ended, as shells show it. A command that has not left our process group yet
/// hears Ctrl+C when we do, and may be quicker.
const BY_CTRL_C: i32 = 130;

/// The time that we may take to hear of Ctrl+C then.
const HEARD: Duration = Duration::from_millis(200);

impl Session {
    /// Runs a command line as the policy allows it, and tells the model what it printed.
    ///
    /// # Errors
    /// The refusal of the policy, or the command could not be started.
    pub(crate) async fn shell(&mut self, line: &str) -> Result<(), InputError> {
        self.show_call("run_command", &json!({ "command": line }), &format!("I ran: {line}")).await
    }

    /// Calls a tool, shows its result, and tells the model under the words `about`.
    ///
    /// # Errors
    /// As for [`call`](Self::call). A command that failed was run, and so was one that was interrupted.
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
            // What it had done by then is done.
            self.tell_model(about, "(interrupted)");
        }
        let report = report?;
        self.say(&self.host().printable(report.text.trim_end()));
        self.tell_model(about, &report.text);
        match report.commands.last().filter(|run| run.exit_code != 0) {
            Some(run) if run.timed_out => {
                Err(InputError::refused("the command was ended: its time was over"))
            }
            Some(run) => {
                Err(InputError::refused(format!("the command exited with {}", paint(BAD, run.exit_code))))
            }
            None => Ok(()),
        }
    }

    /// Calls a tool for the person, and returns its report.
    ///
    /// # Errors
    /// The refusal of the policy, the failure of the tool, or [`InputError::Interrupted`].
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
