//! The command after a run.

use loop_agents::process::{DEFAULT_GRACE, Process, Supervisor};
use loop_core::with_causes;
use loop_manifest::ON_FINISH_TIME;

use super::setup::warn_of_survivors;
use crate::{
    signals::Signals,
    view::{self, text},
};

/// Runs the command to its end, and ends the processes that it leaves behind. Its failure is only a warning, because
/// the run is over and recorded. A signal ends the command.
pub(super) async fn run(command: &Process, supervisor: &Supervisor) {
    // The command could stop this process, which then could not enforce the limit.
    supervisor.ends_within(Some(ON_FINISH_TIME + 2 * DEFAULT_GRACE));
    let problem = problem(command).await;
    warn_of_survivors(&supervisor.end_async().await);
    if let Some(problem) = problem {
        view::warning(&format!("the command in `on_finish` {}", text::printable(&problem)));
    }
}

/// Runs the command. Returns how it failed, if it did.
async fn problem(command: &Process) -> Option<String> {
    let mut signals = match Signals::listen() {
        Ok(signals) => signals,
        Err(error) => return Some(format!("did not run, because nothing could interrupt it: {error}")),
    };
    let finished = command.run(async { _ = signals.next().await }, |_, _| {}).await;
    let finished = match finished {
        Ok(finished) => finished,
        Err(error) => return Some(format!("could not be run: {}", with_causes(&error))),
    };
    match finished.cut {
        Some(cut) => Some(format!("was ended {cut}")),
        None if finished.exit.success() => None,
        None => Some(finished.exit.with_reason(&finished.stdout)),
    }
}
