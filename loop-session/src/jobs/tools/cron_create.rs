//! `CronCreate`: a prompt more that fires by the clock.

use async_trait::async_trait;
use loop_agents::tools::{Tool, ToolContext, ToolError};
use loop_core::with_causes;
use loop_schedule::{Cron, JobError, When};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Input;
use crate::jobs::session_jobs::SessionJobs;

/// The answer to a command, a shell line or a question to another model.
const NO_PROMPT: &str =
    "a job of yours is a prompt that you are told: what begins with `/`, `!` or `@` is for a person to type";

/// Adds a job.
pub(super) struct CronCreate {
    pub(super) jobs: SessionJobs,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// Minute, hour, day of month, month and day of week (0 is Sunday), in digits and by the user's clock: `*/5 * * * *`.
    cron: String,
    /// What is to be said when it fires.
    prompt: String,
    /// Whether it fires again and again, and not only the next time.
    #[serde(default = "yes")]
    recurring: bool,
    /// Whether it is kept when this session ends; then it fires only while `loop schedule run` works.
    #[serde(default)]
    durable: bool,
}

const fn yes() -> bool {
    true
}

#[async_trait]
impl Tool for CronCreate {
    type Arguments = Arguments;

    fn name(&self) -> &'static str {
        "CronCreate"
    }

    fn description(&self) -> &'static str {
        "Schedules a prompt, which is said to you between two turns when its time has come. Answers with its id."
    }

    async fn call(&self, arguments: Arguments, cx: &ToolContext) -> Result<String, ToolError> {
        let Arguments { cron, prompt, recurring, durable } = arguments;
        // A line of the session can change rules, read other sessions and ask other models: that is for a person to type.
        if !matches!(Input::of(&prompt), Input::Prompt(_)) {
            return Err(ToolError::rejected(NO_PROMPT));
        }
        let expression: Cron =
            cron.parse().map_err(|error| ToolError::rejected(format!("{cron}: {error}")))?;
        let (jobs, now) = (self.jobs.clone(), self.jobs.host.now());
        let zone = jobs.zone().clone();
        let when = match recurring {
            true => When::Cron { expression, zone: zone.clone() },
            false => When::next_of(&expression, &zone, now)
                .ok_or_else(|| ToolError::rejected(JobError::NeverFires.to_string()))?,
        };
        let added = match durable {
            false => jobs.add(when, &prompt).map_err(|error| ToolError::rejected(with_causes(&error)))?,
            true => {
                let add = move || jobs.add_durable(when, &prompt);
                cx.blocking(move |_, _| add().map_err(|error| ToolError::rejected(with_causes(&error))))
                    .await?
            }
        };
        Ok(added.text(&zone, now))
    }
}
