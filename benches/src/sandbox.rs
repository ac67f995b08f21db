//! Measures the time that a sandbox adds to the start of a command.

use std::{
    env, fs,
    future::pending,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use loop_agents::process::{Process, sandbox::Sandbox};
use tokio::runtime::{Builder, Runtime};

use crate::{
    pairs::{Pairs, Spread, in_turn},
    table::{Row, Table},
};

const RATIO: &str = "a command in a sandbox / without one";
const ADDED: &str = "time that a sandbox adds to a command / 1.5 ms";
const HIDING: &str = "the same with a secret to hide / 1.5 ms";
/// The number of commands in one half of a pair.
const COMMANDS: usize = 200;
const GOAL_SECONDS: f64 = 0.0015;

/// Runs the measurements. If this machine cannot hold a sandbox, the rows say so.
///
/// # Errors
/// If a command fails.
pub fn measure(table: &mut Table) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let workspace = folder.path().canonicalize()?;
    fs::write(workspace.join(".env"), "")?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let bare = Process::program("/bin/true", <[&str; 0]>::default()).dir(&workspace);
    let sandbox = Sandbox::new().write(&workspace);
    for (what, sandbox) in [(ADDED, sandbox.clone()), (HIDING, sandbox.hide(workspace.join(".env")))] {
        let prepared = match sandbox.prepare(&env::temp_dir()) {
            Ok(prepared) => prepared,
            Err(error) => {
                table.add(Row::skipped(what, error.to_string()));
                continue;
            }
        };
        let boxed = bare.clone().sandbox(prepared);
        let pairs = in_turn(|| timed(&runtime, &boxed), || timed(&runtime, &bare))?;
        if what == ADDED {
            table.add(Row::new(RATIO, pairs.ratio).note(note(&pairs)));
        }
        table.add(Row::new(what, added(&pairs)).at_most(1.0));
    }
    for (name, arguments) in others(&workspace.to_string_lossy()) {
        let what = format!("time that {name} adds to a command / 1.5 ms");
        let other = Process::program(name, arguments).dir(&workspace);
        // It is not installed, or cannot work here.
        if !runtime.block_on(other.run(pending(), |_, _| {})).is_ok_and(|done| done.exit.success()) {
            table.add(Row::skipped(what, format!("{name} does not run here")));
            continue;
        }
        let pairs = in_turn(|| timed(&runtime, &other), || timed(&runtime, &bare))?;
        table.add(Row::new(what, added(&pairs)).note(note(&pairs)));
    }
    Ok(())
}

/// Other programs that confine a command, with arguments for a sandbox like ours.
fn others(workspace: &str) -> [(&'static str, Vec<&str>); 2] {
    let run = ["--", "/bin/true"];
    [
        (
            "bwrap",
            [&["--ro-bind", "/", "/", "--bind", workspace, workspace, "--dev", "/dev"][..], &run].concat(),
        ),
        (
            "sandlock",
            [
                &[
                    "run", "-r", "/usr", "-r", "/lib", "-r", "/lib64", "-r", "/bin", "-r", "/etc", "-w",
                    workspace,
                ][..],
                &run,
            ]
            .concat(),
        ),
    ]
}

/// Returns the time of one command in a sandbox and without one.
fn note(pairs: &Pairs) -> String {
    format!("{:.0} us over {:.0} us", pairs.first.median * 1e6, pairs.second.median * 1e6)
}

/// Returns how much longer a command of the first half takes, as a part of the goal.
fn added(pairs: &Pairs) -> Spread {
    let each = |of: fn(&Spread) -> f64| (of(&pairs.first) - of(&pairs.second)) / GOAL_SECONDS;
    Spread { least: each(|it| it.least), median: each(|it| it.median), greatest: each(|it| it.greatest) }
}

/// Runs the command again and again, one at a time, and returns the time of one by the clock: this thread waits for other
/// threads and processes. It is that of the fastest tenth, because everything else on the machine only adds to it.
fn timed(runtime: &Runtime, command: &Process) -> Result<Duration> {
    let mut times = Vec::new();
    for _ in 0..COMMANDS {
        let start = Instant::now();
        let done = runtime.block_on(command.run(pending(), |_, _| {}))?;
        times.push(start.elapsed());
        ensure!(done.exit.success(), "the command failed: {:?}", done.exit);
    }
    times.sort();
    Ok(times[times.len() / 10])
}
