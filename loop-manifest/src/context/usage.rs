//! The usage that the agents of a run report outside of their output.

use std::path::{Path, PathBuf};

use loop_agents::usage::{UsageFile, UsageLog};

use super::ExecutionContext;

impl ExecutionContext {
    /// The file to which agents and checks append their usage.
    pub fn usage_file(&self) -> &UsageFile {
        &self.usage
    }

    /// The log of the agent, if the plan names one. It is known once the plan is composed.
    pub fn known_usage_log(&self) -> Option<&UsageLog> {
        self.usage_log.get()
    }

    /// Returns the log at `path`, from the folder of the run or, with `~/`, from the user's home.
    pub(crate) fn usage_log(&self, path: &Path) -> UsageLog {
        let home = || self.variable("HOME").map(PathBuf::from);
        let in_home = path.strip_prefix("~").ok().and_then(|rest| Some(home()?.join(rest)));
        self.usage_log
            .get_or_init(|| UsageLog::new(in_home.unwrap_or_else(|| self.folder.join(path))))
            .clone()
    }
}
