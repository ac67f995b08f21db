//! Runs the script of a skill as a call of a tool, so that it is audited, confined and limited like any command.

use std::time::Duration;

use async_trait::async_trait;
use loop_core::with_causes;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{MAX_SCRIPT_TIME, SkillScript};
use crate::{
    process::CutReason,
    tools::{CommandRun, Tool, ToolContext, ToolError},
};

/// The maximum size of the output in a report, in bytes.
const MAX_OUTPUT: usize = 32 << 10;

/// The time after the limit of the script in which its processes end.
const MARGIN: Duration = Duration::from_secs(10);

/// Runs one script. It is no tool for models: put it into a toolbox of its own after a person agreed to the
/// [digest](SkillScript::digest).
#[derive(Debug, Clone)]
pub struct RunSkillScript {
    script: SkillScript,
    variables: Vec<(String, String)>,
}

/// The arguments of `run_skill_script`, for the audit log.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunSkillScriptArguments {
    /// The path of the script.
    path: String,
    /// The digest to which a person agreed.
    digest: String,
}

impl RunSkillScript {
    /// Creates the tool for a script, with further variables of its environment.
    pub fn new(script: SkillScript, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { script, variables: variables.into_iter().collect() }
    }
}

#[async_trait]
impl Tool for RunSkillScript {
    type Arguments = RunSkillScriptArguments;

    fn name(&self) -> &'static str {
        "run_skill_script"
    }

    fn description(&self) -> &'static str {
        "Runs the script of a skill to which the user agreed."
    }

    fn max_time(&self, _: &ToolContext) -> Duration {
        MAX_SCRIPT_TIME + MARGIN
    }

    async fn call(&self, arguments: RunSkillScriptArguments, cx: &ToolContext) -> Result<String, ToolError> {
        let script = &self.script;
        if arguments.digest != script.digest() || arguments.path != script.path() {
            return Err(ToolError::rejected("nobody agreed to this script"));
        }
        let checked = script.clone();
        cx.blocking(move |workspace, _| {
            checked.check(workspace).map_err(|error| ToolError::rejected(error.to_string()))
        })
        .await?;
        let process = cx.process().also_env(self.variables.iter().cloned());
        let (process, missing) = cx.confined_script(process).await?;
        cx.lacks(missing);
        let done = script.run(process, cx.workspace()).await;
        let done = done.map_err(|error| ToolError::failed(with_causes(&error)))?;
        let exit_code = done.exit.shell_code();
        let timed_out = matches!(done.cut, Some(CutReason::TimeLimit(_)));
        cx.ran(CommandRun { line: arguments.path, exit_code, timed_out });
        let cut = done.cut.map(|cut| format!(", it was ended {cut}")).unwrap_or_default();
        let text = done.stdout.excerpt(MAX_OUTPUT);
        Ok(format!("{}\n(exit {exit_code}{cut})", text.trim_end()))
    }
}
