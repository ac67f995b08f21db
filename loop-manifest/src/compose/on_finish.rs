//! The command after a run.
//!
//! People want to hear of the end of a long run by mail, chat or a sound. Each of them has a command for that already,
//! so the manifest only has to name it.

use std::{ffi::OsStr, time::Duration};

use loop_agents::process::Process;
use loop_telemetry::Record;

use crate::{context::ExecutionContext, plan::Plan};

/// How long the command of `on_finish` may run: one minute.
pub const ON_FINISH_TIME: Duration = Duration::from_mins(1);

/// The variable with the name of the run's ending, such as `goal_met`.
const REASON: &str = "LOOP_REASON";
/// The variable with the exit code of the run.
const EXIT_CODE: &str = "LOOP_EXIT_CODE";
/// The variable with the reported cost in US dollars. It does not exist if no cost was reported.
const COST: &str = "LOOP_COST_USD";

impl Plan {
    /// Returns the command of `on_finish`, if the plan has one, for a run with this record. It sees the variables of
    /// the check and those about the end of the run. Its input is the record, as one line of JSON. The supervisor of
    /// `cx` ends the processes that it leaves behind.
    ///
    /// # Default
    /// It may run for [`ON_FINISH_TIME`], and sends both of its outputs through one pipe.
    pub fn finish_command(&self, cx: &ExecutionContext, record: &Record, exit_code: u8) -> Option<Process> {
        let line = self.on_finish.as_ref()?;
        let seen = self.evaluator_sees().split(cx.variables().iter().cloned()).seen;
        // The variable of an outer run must not pass for an unknown cost of this one.
        let seen = seen.into_iter().filter(|(name, _)| name.as_os_str() != OsStr::new(COST));
        let cost = record.estimated_cost_usd.map(|cost| (COST, cost.to_string().replacen('$', "", 1)));
        let about_end = [(REASON, record.ending_name().to_owned()), (EXIT_CODE, exit_code.to_string())];
        let process = Process::shell(line).dir(cx.folder()).also_env(seen).also_env(&self.agent.env.set);
        let process = process.also_env(about_end.into_iter().chain(cost));
        let process = process.input(format!("{}\n", record.to_line())).merged().max_time(ON_FINISH_TIME);
        Some(process.supervisor(cx.supervisor().clone()))
    }
}
