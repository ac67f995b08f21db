//! The command after a run.
//!
//! People want to hear of the end of a long run by mail, chat or a sound. Each of them has a command for that already,
//! so the manifest only has to name it.

use std::{ffi::OsStr, time::Duration};

use loop_agents::process::Process;
use loop_core::Usd;
use loop_telemetry::Record;

use crate::{context::ExecutionContext, plan::Plan};

/// How long the command of `on_finish` may run: one minute.
pub const ON_FINISH_TIME: Duration = Duration::from_mins(1);

/// The variable with the name of the run's ending, such as `goal_met`.
const REASON: &str = "LOOP_REASON";
/// The variable with the exit code of the run.
const EXIT_CODE: &str = "LOOP_EXIT_CODE";
/// The variable with the reported cost in US dollars. It does not exist if no cost was reported, unless the goal was met
/// before the first iteration.
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
        // The check came first and passed, so no agent ever started.
        let nothing = (record.success && record.iterations == 0).then_some(Usd::ZERO);
        let cost = record.estimated_cost_usd.or(nothing);
        let cost = cost.map(|cost| (COST, cost.to_string().replacen('$', "", 1)));
        let about_end = [(REASON, record.ending_name().to_owned()), (EXIT_CODE, exit_code.to_string())];
        let process = Process::shell(line).dir(cx.folder()).also_env(seen).also_env(&self.agent.env.set);
        let process = process.also_env(about_end.into_iter().chain(cost));
        let process = process.input(format!("{}\n", record.to_line())).merged().max_time(ON_FINISH_TIME);
        Some(process.supervisor(cx.supervisor().clone()))
    }
}

#[cfg(test)]
mod tests {
    use loop_agents::process::{CutReason, ProcessError, Supervisor};
    use loop_core::{Ending, Progress};
    use tokio::time::{Instant, timeout};

    use super::*;
    use crate::Source;

    /// The clock is virtual: it moves on while nothing but the command is waited for.
    #[tokio::test(start_paused = true)]
    async fn a_command_that_does_not_end_is_ended_after_a_minute() {
        let text = "\
agent: {command: 'true'}
evaluator: {command: 'true'}
guardrails: {max_iterations: 1}
on_finish: 'echo begun; exec sleep 100000'
";
        let source = Source::from_bytes("loop.yaml".as_ref(), text.into()).unwrap();
        let plan = Plan::of(source).unwrap().plan;
        let cx = ExecutionContext::new("/", Supervisor::new("on-finish-test")).unwrap();
        let cx = cx.with_variables([("PATH".into(), "/bin:/usr/bin".into())]);
        let now = std::time::SystemTime::UNIX_EPOCH.try_into().unwrap();
        let record = Record::of("it", &Ending::goal_met(""), &Progress::default()).between(now, now);
        let command = plan.finish_command(&cx, &record, 0).unwrap();
        let started = Instant::now();
        let running = command.run(std::future::pending(), |_, _| {});
        match timeout(2 * ON_FINISH_TIME, running).await.expect("a limit") {
            Ok(finished) => assert_eq!(finished.cut, Some(CutReason::TimeLimit(ON_FINISH_TIME))),
            // The virtual clock passes the time in which the system ends the process.
            Err(ProcessError::Undying { .. }) => {}
            Err(error) => panic!("{error}"),
        }
        assert!(started.elapsed() >= ON_FINISH_TIME);
    }
}
