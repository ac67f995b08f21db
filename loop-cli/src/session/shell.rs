//! `!command`, and what `/run` and `/git` have in common with it.

use anyhow::anyhow;
use serde_json::{Value, json};

use super::{
    Interrupted, Session,
    screen::{Live, Status},
};
use crate::view::{BAD, paint, text};

impl Session {
    /// Runs a command line as the policy allows it; the model is told what it printed.
    ///
    /// # Errors
    /// What the policy said, or that it could not be started.
    pub(super) async fn shell(&mut self, line: &str) -> anyhow::Result<()> {
        self.show_call("run_command", &json!({ "command": line }), &format!("I ran: {line}")).await
    }

    /// Calls a tool, shows what it says, and tells the model, under these words.
    ///
    /// # Errors
    /// As for [`Session::call`]; a command that failed is one that was run, and so is one that was interrupted.
    pub(super) async fn show_call(
        &mut self,
        tool: &str,
        arguments: &Value,
        about: &str,
    ) -> anyhow::Result<()> {
        let waiting =
            Live::begin("", Status::new(format!("running: {}", text::one_line(&self.line)), None, None));
        let report = self.call(tool, arguments).await;
        drop(waiting);
        if report.as_ref().is_err_and(anyhow::Error::is::<Interrupted>) {
            // What it had done by then is done.
            self.tell_model(about, "(interrupted)");
        }
        let report = report?;
        let shown = text::printable(report.text.trim_end());
        self.say(&shown);
        self.tell_model(about, &report.text);
        match report.commands.last().filter(|run| run.exit_code != 0) {
            Some(run) if run.timed_out => Err(anyhow!("the command was ended: its time was over")),
            Some(run) => Err(anyhow!("the command exited with {}", paint(BAD, run.exit_code))),
            None => Ok(()),
        }
    }
}
