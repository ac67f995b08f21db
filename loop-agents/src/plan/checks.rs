//! The questions of validations about the workspace.

use std::{collections::BTreeMap, fmt, future::pending, time::Duration};

use async_trait::async_trait;
use loop_core::with_causes;
use loop_guardrails::policy::Verb;
use serde_json::json;

use crate::{
    output::excerpt,
    process::CutReason,
    shell::Shell,
    tools::{ToolOutcome, Toolbox},
};

/// The default time limit of a validation: 30 seconds.
pub const VALIDATION_TIME: Duration = Duration::from_secs(30);

/// The most bytes of output that a validation feeds back.
const FEEDBACK_BYTES: usize = 8000;

/// The reason why a check does not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FailedCheck {
    /// The workspace is not as it should be. The agent may be able to repair that.
    NotMet(String),
    /// The policy does not allow the check, or there is no such check. Only a person can change that.
    Refused(String),
}

/// Answers the validations that are about the workspace.
#[async_trait]
pub trait StepChecks: Send + Sync {
    /// Runs a command under the policy. It has to exit with 0.
    ///
    /// # Errors
    /// It does not, was refused, or took too long.
    async fn command(&self, line: &str) -> Result<(), FailedCheck>;

    /// Runs the command of this name in the user's settings. It has to exit with 0.
    ///
    /// # Errors
    /// It does not, took too long, or the settings do not name it.
    async fn custom(&self, name: &str) -> Result<(), FailedCheck>;

    /// Returns whether a path in the workspace exists.
    ///
    /// # Errors
    /// The policy does not let it be looked at.
    fn exists(&self, path: &str) -> Result<bool, FailedCheck>;
}

/// Checks through a [`Toolbox`], so that the policy of tools applies to them.
pub struct ToolChecks {
    tools: Toolbox,
    custom: BTreeMap<String, String>,
    shell: Shell,
    time: Duration,
}

impl ToolChecks {
    /// Creates checks with these tools, of which it needs `run_command`.
    ///
    /// # Default
    /// No custom validations, and [`VALIDATION_TIME`] for each.
    pub fn new(tools: Toolbox) -> Self {
        Self { tools, custom: BTreeMap::new(), shell: Shell::new(), time: VALIDATION_TIME }
    }

    /// Sets the shell commands of custom validations by their names, and the shell that runs them. They are not subject
    /// to the policy, so take them from the user and from nobody else.
    #[must_use]
    pub fn custom(self, custom: BTreeMap<String, String>, shell: Shell) -> Self {
        Self { custom, shell, ..self }
    }

    /// Sets the time limit of each validation, in whole seconds.
    #[must_use]
    pub fn max_time(self, time: Duration) -> Self {
        Self { time, ..self }
    }
}

#[async_trait]
impl StepChecks for ToolChecks {
    async fn command(&self, line: &str) -> Result<(), FailedCheck> {
        let arguments = json!({ "command": line, "max_seconds": self.time.as_secs().max(1) });
        let report = self.tools.call("run_command", &arguments).await;
        let passed = |exit_code| report.outcome == ToolOutcome::Done && exit_code == 0;
        match report.commands.last() {
            Some(run) if passed(run.exit_code) && !run.timed_out => Ok(()),
            _ => {
                let text = excerpt(report.text.as_bytes(), FEEDBACK_BYTES);
                Err(match report.outcome {
                    ToolOutcome::Rejected => FailedCheck::Refused(text),
                    _ => FailedCheck::NotMet(text),
                })
            }
        }
    }

    async fn custom(&self, name: &str) -> Result<(), FailedCheck> {
        let Some(line) = self.custom.get(name) else {
            return Err(FailedCheck::Refused(
                "the settings have no validation of this name: add it to `[plan.validations]`".to_owned(),
            ));
        };
        let process = self.shell.command(line.as_str()).merged().max_time(self.time);
        let finished = process.run(pending(), |_, _| {}).await;
        let finished = finished.map_err(|error| FailedCheck::NotMet(with_causes(&error)))?;
        let cut = match finished.cut {
            Some(CutReason::TimeLimit(_)) => ", because it took too long",
            _ => "",
        };
        match finished.exit.success() && finished.cut.is_none() {
            true => Ok(()),
            false => Err(FailedCheck::NotMet(format!(
                "{}\n(exit {}{cut})",
                finished.stdout.excerpt(FEEDBACK_BYTES).trim_end(),
                finished.exit.shell_code()
            ))),
        }
    }

    fn exists(&self, path: &str) -> Result<bool, FailedCheck> {
        let workspace = self.tools.workspace();
        let refused = |error| FailedCheck::Refused(with_causes(&error));
        let path = workspace.check(path, Verb::Read).map_err(refused)?;
        Ok(workspace.root().join(path.as_path()).symlink_metadata().is_ok())
    }
}

impl fmt::Debug for ToolChecks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolChecks").field("tools", &self.tools).finish_non_exhaustive()
    }
}
