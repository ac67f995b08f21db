//! The tool with which a model reads a skill.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Skills;
use crate::tools::{Tool, ToolContext, ToolError};

/// Gives a model the body of a skill from the [catalogue](Skills::catalogue).
///
/// # Default
/// Nothing is redacted.
#[derive(Clone)]
pub struct LoadSkill {
    skills: Arc<Skills>,
    redact: Arc<dyn Fn(&str) -> String + Send + Sync>,
}

/// The arguments of `load_skill`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadSkillArguments {
    /// The name of the skill.
    name: String,
}

impl LoadSkill {
    /// Creates the tool for these skills.
    pub fn new(skills: Arc<Skills>) -> Self {
        Self { skills, redact: Arc::new(str::to_owned) }
    }

    /// Redacts what the model reads.
    #[must_use]
    pub fn redacted(self, redact: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        Self { redact: Arc::new(redact), ..self }
    }
}

#[async_trait]
impl Tool for LoadSkill {
    type Arguments = LoadSkillArguments;

    fn name(&self) -> &'static str {
        "load_skill"
    }

    fn description(&self) -> &'static str {
        "Returns the instructions of a skill. Call it before you do a task that a skill is for. Read the files that the \
         instructions name with the other tools."
    }

    async fn call(&self, arguments: LoadSkillArguments, cx: &ToolContext) -> Result<String, ToolError> {
        let Some(skill) = self.skills.find(&arguments.name).cloned() else {
            let problem =
                format!("there is no skill `{}`; the system prompt lists the skills", arguments.name);
            return Err(ToolError::failed(problem));
        };
        let read = cx.blocking(move |_, _| {
            skill.instructions(&[]).map_err(|error| ToolError::failed(error.to_string()))
        });
        Ok((self.redact)(&read.await?))
    }
}

impl fmt::Debug for LoadSkill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LoadSkill")
    }
}
