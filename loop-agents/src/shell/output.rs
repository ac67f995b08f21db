//! The result of an agent's command.

use serde::{Deserialize, Serialize};

use crate::{output::Capture, process::Exit};

/// The result of an agent's command.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShellOutput {
    /// How the command ended.
    pub exit: Exit,
    /// Why we made it end, if we did: "after 10s, its time limit". The command may still have ended by itself in the
    /// same moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    /// The captured standard output.
    pub stdout: Capture,
    /// The captured standard error.
    pub stderr: Capture,
    /// The agent's last words, if its [`UsageReader`](crate::usage::UsageReader) can tell them from the rest of its output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Capture>,
    /// Why the last words do not end the agent's work, if its [`UsageReader`](crate::usage::UsageReader) reports that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<String>,
    /// The command lines of processes that were still running when the command had ended, and that were ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_behind: Vec<String>,
}

impl ShellOutput {
    /// Creates the output of a command that ended by itself, without the details that only a
    /// [`UsageReader`](crate::usage::UsageReader) knows.
    pub fn new(exit: Exit, stdout: Capture, stderr: Capture) -> Self {
        Self { exit, cut: None, stdout, stderr, text: None, unfinished: None, left_behind: Vec::new() }
    }

    /// Returns how the command ended, if it failed. The text follows "it": "exited with 1", "was ended after 10s, its
    /// time limit", "did not report that it had finished".
    pub fn failure(&self) -> Option<String> {
        let cut = self.cut.as_ref().map(|cut| format!("was ended {cut}"));
        let cut = cut.or_else(|| (!self.exit.success()).then(|| self.exit.to_string()));
        cut.or_else(|| self.unfinished.clone())
    }

    /// Returns the text for the next iteration: the agent's last words, or else its whole output.
    pub fn said(&self) -> &Capture {
        self.text.as_ref().unwrap_or(&self.stdout)
    }
}
