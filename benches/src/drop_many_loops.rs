//! Measures how dropping many loops at once affects the rest of a program.
//!
//! A server that gives up on all of its runs drops their futures on its own thread. The commands of these runs must
//! still be found and ended, but nothing else may wait for that. So a ticker runs in parallel, and we measure its
//! longest pause. The floor is the same number of plain children, which are killed and then waited for on other
//! threads.

use std::{
    future::{Future, poll_fn},
    io,
    pin::Pin,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::Poll,
    time::Duration,
};

use anyhow::{Context, Result};
use loop_agents::shell::ShellAgent;
use loop_core::{Loop, never};
use tokio::{
    task::{AbortHandle, spawn_blocking},
    time::{Instant, MissedTickBehavior, interval, sleep, timeout},
};

use crate::{
    pairs::in_turn,
    table::{Row, Table},
};

/// How many loops are dropped at once.
const MANY: usize = 64;
const TICK: Duration = Duration::from_millis(1);
/// How long we watch the ticker. The drop comes after a quarter of this time.
const WATCHED: Duration = Duration::from_millis(400);
/// The time limit for the start of all agents.
const START: Duration = Duration::from_secs(60);

/// Runs the measurement.
///
/// # Errors
/// If the commands do not start.
pub fn measure(table: &mut Table) -> Result<()> {
    let pairs = in_turn(|| longest_pause(loops), || longest_pause(async || children()))?;
    let what = format!("{MANY} loops dropped at once: pause of a 1 ms ticker / of plain children");
    let (loops, children) = (pairs.first.median * 1e3, pairs.second.median * 1e3);
    table.add(Row::new(what, pairs.ratio).at_most(2.0).note(format!("{loops:.1} ms over {children:.1} ms")));
    Ok(())
}

/// Returns the longest pause of a ticker on a thread that drops everything that `begin` started. Returns once the
/// commands have ended.
fn longest_pause<T: Send + 'static>(begin: impl AsyncFnOnce() -> Result<T>) -> Result<Duration> {
    // Dropping it waits for its threads.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let begun = begin().await?;
        let dropping = tokio::spawn(async move {
            sleep(WATCHED / 4).await;
            drop(begun);
        });
        let pause = watch_ticker().await;
        dropping.await?;
        Ok(pause)
    })
}

async fn watch_ticker() -> Duration {
    let mut ticker = interval(TICK);
    ticker.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let begun = Instant::now();
    let (mut last, mut longest) = (begun, Duration::ZERO);
    while last - begun < WATCHED {
        ticker.tick().await;
        longest = longest.max(last.elapsed());
        last = Instant::now();
    }
    longest
}

type Run = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Drops the loops of a task.
struct LoopTask(AbortHandle);

impl Drop for LoopTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Starts loops whose agents sleep, all in one task, so that they are dropped at once.
async fn loops() -> Result<LoopTask> {
    let started = Arc::new(AtomicUsize::new(0));
    let mut runs = (0..MANY).map(|_| run(&started)).collect::<Result<Vec<Run>>>()?;
    let task = tokio::spawn(poll_fn(move |cx| {
        runs.retain_mut(|run| run.as_mut().poll(cx).is_pending());
        Poll::<()>::Pending
    }));
    let all_run = async {
        while started.load(Ordering::Relaxed) < MANY {
            sleep(TICK).await;
        }
    };
    timeout(START, all_run).await.context("the agents do not start")?;
    Ok(LoopTask(task.abort_handle()))
}

/// Creates a loop whose agent counts itself and then sleeps.
fn run(started: &Arc<AtomicUsize>) -> Result<Run> {
    let started = Arc::clone(started);
    let agent = ShellAgent::new("echo up; exec sleep 60")?.on_output(move |_, _| {
        started.fetch_add(1, Ordering::Relaxed);
    });
    let run = Loop::new(agent).until(never()).at_most(1).run();
    Ok(Box::pin(async move { drop(run.await) }))
}

/// A command, without a loop around it.
struct PlainChild(Option<Child>);

impl Drop for PlainChild {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let ended = child.kill();
            drop(spawn_blocking(move || ended.and_then(|()| child.wait())));
        }
    }
}

fn children() -> Result<Vec<PlainChild>> {
    let child =
        |_| Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().map(|child| PlainChild(Some(child)));
    Ok((0..MANY).map(child).collect::<io::Result<_>>()?)
}
