//! Driving a run: the people who watch it, answer it, and end it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use loop_agents::process::Job;
use loop_core::{
    BuildError, CancellationToken, Ending, Event, EventKind, Halt, Observer, Progress, Report, StopReason,
    TimeOff,
};

use crate::{
    ask::{Declining, Terminal},
    compose::{self, Place},
    keeping::Past,
    manifest::Plan,
    signals::{Signal, Signals, Suspensions, stop_here},
    view::{self, Lines, Output, Screen, Table},
};

/// Who is there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Audience {
    /// Nobody wants to see anything.
    pub(crate) quiet: bool,
    /// Somebody answers questions.
    pub(crate) can_be_asked: bool,
    /// Somebody wants to see all that the agent and the check print.
    pub(crate) show_output: bool,
}

/// A run that is over.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) ending: Ending,
    pub(crate) progress: Progress,
    /// The first signal that asked for its end.
    pub(crate) signal: Option<Signal>,
    /// Its iterations, for people; empty if nobody watched.
    pub(crate) table: String,
    /// Why its journal lacks its end, if it does.
    pub(crate) unrecorded: Option<String>,
}

/// What is still there of a run that was dropped.
#[derive(Debug, Default)]
struct Seen {
    progress: Progress,
    table: Table,
}

/// Runs a plan to its end. The first signal cancels it; the second one drops it, and with it
/// everything that it started.
pub(crate) async fn drive(
    plan: &Plan,
    place: &Place,
    audience: Audience,
    past: Past,
    signals: Signals,
) -> anyhow::Result<Ended> {
    let cancel = CancellationToken::new();
    let declining = Declining::default();
    let max_iterations = plan.limits.max_iterations.get();
    let seen = Arc::new(Mutex::new(Seen::default()));
    let screen = Screen::new(&plan.limits, audience);
    let mut agent = compose::agent(plan, place)?;
    let mut evaluator = compose::evaluator(plan, place)?;
    if audience.show_output || screen.is_live() {
        let output = || Output::new(screen.clone(), audience.show_output);
        let (mut of_agent, mut of_check) = (output(), output());
        agent = agent.on_output(move |_, bytes| of_agent.feed(bytes));
        evaluator = evaluator.on_output(move |_, bytes| of_check.feed(bytes));
    }
    let fold = Arc::clone(&seen);
    let mut composed = compose::compose(plan, place, agent, evaluator).cancel_on(cancel.clone()).observe(
        move |event: &Event, progress: &Progress| {
            let mut seen = lock(&fold);
            match event.kind {
                // What was before, nobody here has seen.
                EventKind::RunResumed {} => seen.progress = progress.clone(),
                _ => seen.progress.apply(event),
            }
            seen.table.on_event(event, progress);
        },
    );
    if !audience.quiet {
        composed = composed.observe(Lines::new(screen.clone(), max_iterations));
    }
    if audience.can_be_asked {
        composed = composed.on_ask(Terminal::new(screen.clone(), declining.clone(), max_iterations));
    }
    composed = past.give_to(composed);
    let time_off = TimeOff::new();
    let run = composed.time_off(time_off.clone()).run();
    let suspend = || suspend(&place.job, &screen, &time_off);
    let (report, first) = attend(run, signals, &cancel, &declining, suspend).await?;
    screen.hide();
    let seen = lock(&seen);
    let table = if audience.quiet { String::new() } else { seen.table.render() };
    let unrecorded = report.as_ref().and_then(|report| report.unrecorded()).map(str::to_owned);
    let (mut ending, progress) = match report {
        Some(report) => (report.ending().clone(), report.progress().clone()),
        None => killed(seen.progress.clone()),
    };
    if let (StopReason::Cancelled, "", Some(signal)) = (ending.reason(), ending.halt.message.as_str(), first)
    {
        ending.halt.message = format!("the run was sent {signal}");
    }
    Ok(Ended { ending, progress, signal: first, table, unrecorded })
}

/// Stops the run, what it started and this process, until somebody lets it go on.
fn suspend(job: &Job, screen: &Screen, time_off: &TimeOff) {
    // The agent has a session of its own, and would work on with nobody to watch it.
    job.stop();
    let was_shown = screen.is_shown();
    screen.hide();
    // Whatever is printed after this would stand in the shell's way.
    view::flush();
    let stopped = stop_here();
    time_off.add(stopped);
    screen.skip(stopped);
    // A question that stands has the terminal to itself.
    if was_shown {
        screen.show();
    }
    job.go_on();
}

/// Waits for the end of a run, and hears signals meanwhile: gives its report, unless it was dropped, and
/// the first signal that asked for its end.
async fn attend<O>(
    run: impl Future<Output = Result<Report<O>, BuildError>>,
    mut signals: Signals,
    cancel: &CancellationToken,
    declining: &Declining,
    suspend: impl Fn(),
) -> anyhow::Result<(Option<Report<O>>, Option<Signal>)> {
    let mut suspensions = Suspensions::listen().context("Ctrl+Z cannot be listened for")?;
    let mut run = Box::pin(run);
    let mut first = None;
    loop {
        tokio::select! {
            report = &mut run => return Ok((Some(report.context("the loop could not be built")?), first)),
            () = suspensions.next() => suspend(),
            signal = signals.next() => {
                if signal == Signal::Interrupt && declining.decline() {
                    continue;
                }
                if first.is_some() {
                    return Ok((None, first));
                }
                first = Some(signal);
                cancel.cancel();
            }
        }
    }
}

/// What is to be said of a run that was killed: nobody was left to say it.
fn killed(mut progress: Progress) -> (Ending, Progress) {
    // What was killed was begun, and counts.
    progress.apply(&Event { at: progress.now(), kind: EventKind::WorkCut { notes: None } });
    let halt = Halt::new(StopReason::Cancelled, "killed by a second signal");
    (Ending { halt, guardrail: None }, progress)
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}
