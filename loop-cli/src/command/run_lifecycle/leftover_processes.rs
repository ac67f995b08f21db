//! Leftovers of dead runs.
//!
//! If a run's process is killed, and its watchdog was killed before it, the agent continues without any limit. So every
//! command but those that only print texts looks for such runs in its folder and in the folders above, and for those whose
//! folder was renamed. It ends their remaining processes.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use loop_agents::process::{SweptProcess, check_process_list, sweep, wake};

use super::stored_runs::store;
use crate::command::environment;
use crate::{
    args::{Command, PlanCommand},
    view::{self, text},
};

/// Returns the folder that a command concerns; `None` if it only prints a text.
fn folder(command: &Command) -> Option<PathBuf> {
    let cwd = match command {
        Command::Run(args) => args.options.cwd.as_deref(),
        Command::Plan(args) => match &args.command {
            Some(PlanCommand::Run(args) | PlanCommand::Next(args)) => args.options.cwd.as_deref(),
            _ => None,
        },
        Command::Pipeline(args) => args.options.cwd.as_deref(),
        Command::Every(args) => args.cwd.as_deref(),
        Command::Chat(args) => args.cwd.as_deref(),
        Command::Schema { .. } | Command::Completions { .. } | Command::Man { .. } => return None,
        _ => None,
    };
    // The command itself reports problems with the folder.
    environment::dir(cwd).ok()
}

/// Ends the remaining processes of dead runs that concern this command's folder. A failure here does not fail the command.
pub(crate) fn end_leftover_processes(command: &Command) {
    if let Some(folder) = folder(command)
        && let Err(error) = end_in(&folder)
    {
        view::warning(&format!("cannot look for processes of dead runs: {error:#}"));
    }
}

fn end_in(folder: &Path) -> anyhow::Result<()> {
    // Without a state directory there are no runs. Commands that need one report its absence.
    let Ok(store) = store() else { return Ok(()) };
    if let Some(run) = store.active_around(folder)?
        && wake(&run.id, store.process_of(&run))
    {
        let run = run.id;
        view::warning(&format!("the run {run} was stopped, and no watchdog continued it: it continues now"));
    }
    // Keep the locks until cleanup is done, so that nobody resumes these runs meanwhile.
    let dead = store.dead_around(folder)?;
    let names: Vec<_> = dead.iter().map(loop_telemetry::DeadRun::id).collect();
    if !names.is_empty() {
        check_process_list().context("the list of processes cannot be read")?;
    }
    let remains = LeftoverProcesses::end(&names);
    if let Some(ended) = remains.ended {
        view::warning(&format!("ended processes that a dead run had left behind: {ended}"));
    }
    if let Some(alive) = remains.alive {
        view::warning(&format!(
            "cannot end processes that a dead run left behind: {alive}\n  end them yourself"
        ));
    }
    Ok(())
}

/// The leftovers of dead runs, in words.
pub(crate) struct LeftoverProcesses {
    pub(crate) ended: Option<String>,
    pub(crate) alive: Option<String>,
}

impl LeftoverProcesses {
    /// Ends the remaining processes of these runs.
    pub(crate) fn end(runs: &[&str]) -> Self {
        let (ended, alive): (Vec<_>, Vec<_>) = sweep(runs).into_iter().partition(|process| process.ended);
        Self { ended: names(&ended), alive: names(&alive) }
    }
}

fn names(processes: &[SweptProcess]) -> Option<String> {
    let name = |process: &SweptProcess| format!("{} ({})", process.pid, text::printable(&process.name));
    let names: Vec<_> = processes.iter().map(name).collect();
    (!names.is_empty()).then(|| names.join(", "))
}
