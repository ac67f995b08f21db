//! `CronCreate`: schedules a prompt.

use async_trait::async_trait;
use loop_agents::tools::{ProposedChange, Tool, ToolContext, ToolError};
use loop_core::with_causes;
use loop_schedule::{Cron, CronError, JobError, Trigger};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::UserInput;
use crate::jobs::session_jobs::SessionJobs;

/// The answer to a command, a shell line or a question to another model.
const NO_PROMPT: &str =
    "your jobs are plain prompts: only a person may type a line that begins with `/`, `!` or `@`";

/// Adds a job.
pub(super) struct CronCreate {
    pub(super) jobs: SessionJobs,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// Minute, hour, day of month, month and day of week (0 is Sunday), in digits and in the user's time zone:
    /// `*/5 * * * *`.
    cron: String,
    /// The prompt to send when the job fires.
    prompt: String,
    /// Whether the job fires every time, or only the next time. Default: true.
    #[serde(default = "yes")]
    recurring: bool,
    /// Whether the job outlives this session. It then fires while `loop schedule run` or a session runs in this folder.
    /// Default: false.
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
        "Schedules a prompt. You get the prompt between two turns when it is due. Returns the job's id."
    }

    /// The turns of a job ask nobody before they change files. So while a person sees each change, they also decide
    /// about jobs.
    fn change(&self, arguments: &Arguments) -> Option<ProposedChange> {
        let Arguments { cron, prompt, recurring, durable } = arguments;
        // The call itself refuses these.
        let expression: Cron = cron.parse().ok().filter(|_| is_prompt(prompt))?;
        let planned = self.jobs.preview(self.trigger(&expression, *recurring)?, prompt)?;
        let how_often = if *recurring { "each time" } else { "once" };
        let how_long = if *durable { ", also after this session" } else { "" };
        let prompt: Vec<_> = prompt.lines().map(|line| format!("+ {line}\n")).collect();
        let action = "to schedule a job, which changes files without a question";
        let planned: Vec<_> = planned.iter().map(|line| format!("+{line}\n")).collect();
        let text =
            format!("{}+ `{expression}`, {how_often}{how_long}:\n{}", planned.concat(), prompt.concat());
        Some(ProposedChange::described(action, text).lasting())
    }

    async fn call(&self, arguments: Arguments, cx: &ToolContext) -> Result<String, ToolError> {
        let Arguments { cron, prompt, recurring, durable } = arguments;
        // A session line can change rules, read other sessions and ask other models. Only a person may type such a
        // line.
        if !is_prompt(&prompt) {
            return Err(ToolError::rejected(NO_PROMPT));
        }
        let expression: Cron =
            cron.parse().map_err(|error: CronError| ToolError::rejected(error.to_string()))?;
        let trigger = self.trigger(&expression, recurring);
        let trigger = trigger.ok_or_else(|| ToolError::rejected(JobError::NeverFires.to_string()))?;
        let jobs = self.jobs.clone();
        let added = match durable {
            false => jobs
                .add_for_model(trigger, &prompt)
                .map_err(|error| ToolError::rejected(with_causes(&error)))?,
            true => {
                let add = move || jobs.add_durable(trigger, &prompt);
                cx.blocking(move |_, _| add().map_err(|error| ToolError::rejected(with_causes(&error))))
                    .await?
            }
        };
        Ok(self.jobs.confirmation(&added))
    }
}

impl CronCreate {
    /// Returns the trigger of a job. `None` if the job would fire once, and never fires.
    fn trigger(&self, expression: &Cron, is_recurring: bool) -> Option<Trigger> {
        let zone = self.jobs.zone();
        match is_recurring {
            true => Some(Trigger::Cron { expression: expression.clone(), zone: zone.clone() }),
            false => Trigger::next_of(expression, zone, self.jobs.host.now()),
        }
    }
}

fn is_prompt(text: &str) -> bool {
    matches!(UserInput::of(text), UserInput::Prompt(_))
}
