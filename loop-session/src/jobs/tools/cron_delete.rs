//! `CronDelete`: deletes a scheduled prompt.

use async_trait::async_trait;
use loop_agents::tools::{Tool, ToolContext, ToolError};
use loop_core::with_causes;
use loop_schedule::JobId;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::jobs::session_jobs::SessionJobs;

/// Removes a job.
pub(super) struct CronDelete {
    pub(super) jobs: SessionJobs,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The job's id, as `CronList` shows it.
    id: String,
}

#[async_trait]
impl Tool for CronDelete {
    type Arguments = Arguments;

    fn name(&self) -> &'static str {
        "CronDelete"
    }

    fn description(&self) -> &'static str {
        "Deletes a scheduled prompt by its id. It does not fire again, even if it is already due."
    }

    async fn call(&self, Arguments { id }: Arguments, cx: &ToolContext) -> Result<String, ToolError> {
        let known: JobId = id.parse().map_err(|error| ToolError::rejected(format!("{id}: {error}")))?;
        let jobs = self.jobs.clone();
        let delete = move || jobs.delete_for_model(known);
        let is_deleted =
            cx.blocking(move |_, _| delete().map_err(|error| ToolError::failed(with_causes(&error)))).await?;
        match is_deleted {
            true => Ok(format!("{known} is deleted")),
            false => Err(ToolError::rejected(format!("there is no job {known}; CronList lists the jobs"))),
        }
    }
}
