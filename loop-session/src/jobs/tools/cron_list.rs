//! `CronList`: lists the scheduled prompts.

use async_trait::async_trait;
use loop_agents::tools::{Tool, ToolContext, ToolError};
use loop_core::with_causes;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::jobs::session_jobs::SessionJobs;

/// Lists jobs.
pub(super) struct CronList {
    pub(super) jobs: SessionJobs,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {}

#[async_trait]
impl Tool for CronList {
    type Arguments = Arguments;

    fn name(&self) -> &'static str {
        "CronList"
    }

    fn description(&self) -> &'static str {
        "Lists the scheduled prompts: id, schedule, next time and text."
    }

    async fn call(&self, Arguments {}: Arguments, cx: &ToolContext) -> Result<String, ToolError> {
        let (jobs, now) = (self.jobs.clone(), self.jobs.host.now());
        let read = move || jobs.page(now);
        cx.blocking(move |_, _| read().map_err(|error| ToolError::failed(with_causes(&error)))).await
    }
}
