//! Measures the time that a sandbox adds to the start of a command.

use std::{env, future::pending, time::Duration};

use anyhow::{Result, ensure};
use loop_agents::process::{Process, sandbox::Sandbox};
use tokio::runtime::{Builder, Runtime};

use crate::{
    pairs::{Spread, in_turn},
    stopwatch::Stopwatch,
    table::{Row, Table},
};

const RATIO: &str = "a command in a sandbox / without one";
const ADDED: &str = "time that a sandbox adds to a command / 1.5 ms";
/// The number of commands in one half of a pair.
const COMMANDS: u32 = 200;
const GOAL_SECONDS: f64 = 0.0015;

/// Runs the measurements. If this machine cannot hold a sandbox, the rows say so.
///
/// # Errors
/// If a command fails.
pub fn measure(table: &mut Table) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let sandbox = match Sandbox::new().write(folder.path()).prepare(&env::temp_dir()) {
        Ok(sandbox) => sandbox,
        Err(error) => {
            for what in [RATIO, ADDED] {
                table.add(Row::skipped(what, error.to_string()));
            }
            return Ok(());
        }
    };
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let bare = Process::program("/bin/true", <[&str; 0]>::default()).dir(folder.path());
    let boxed = bare.clone().sandbox(sandbox);
    let pairs = in_turn(|| timed(&runtime, &boxed), || timed(&runtime, &bare))?;
    let (inside, outside) =
        (pairs.first.times(1.0 / f64::from(COMMANDS)), pairs.second.times(1.0 / f64::from(COMMANDS)));
    let note = format!("{:.0} us over {:.0} us", inside.median * 1e6, outside.median * 1e6);
    table.add(Row::new(RATIO, pairs.ratio).note(note));
    let added = |of: fn(&Spread) -> f64| (of(&inside) - of(&outside)) / GOAL_SECONDS;
    let added = Spread {
        least: added(|it| it.least),
        median: added(|it| it.median),
        greatest: added(|it| it.greatest),
    };
    table.add(Row::new(ADDED, added).at_most(1.0));
    Ok(())
}

/// Runs the command again and again, one at a time.
fn timed(runtime: &Runtime, command: &Process) -> Result<Duration> {
    let watch = Stopwatch::start();
    for _ in 0..COMMANDS {
        let done = runtime.block_on(command.run(pending(), |_, _| {}))?;
        ensure!(done.exit.success(), "the command failed: {:?}", done.exit);
    }
    Ok(watch.elapsed())
}
