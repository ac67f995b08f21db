//! What a model can call to schedule prompts of its session.
//!
//! The names are those that models know from elsewhere.

mod cron_create;
mod cron_delete;
mod cron_list;

use loop_agents::tools::Toolbox;

use self::{cron_create::CronCreate, cron_delete::CronDelete, cron_list::CronList};
use crate::jobs::session_jobs::SessionJobs;

/// These tools, and those for the jobs of the session.
pub(crate) fn with_tools(tools: Toolbox, jobs: &SessionJobs) -> Toolbox {
    tools
        .with(CronCreate { jobs: jobs.clone() })
        .with(CronList { jobs: jobs.clone() })
        .with(CronDelete { jobs: jobs.clone() })
}
