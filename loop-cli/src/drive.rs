//! Driving a run: the people who watch it, answer it, and end it.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use loop_agents::process::{Custody, DEFAULT_GRACE, Job, KeepAwake};
use loop_core::{
    Bounded, BuildError, CancellationToken, Ending, Event, EventKind, Halt, HistoryError, Iteration, Loop,
    LoopStep, Observer as _, Phase, Progress, Report, StopReason, TimeOff,
};

use crate::{
    ask::Declining,
    command::{Failure, OrFail},
    signals::{Signal, Signals, Suspensions, stop_here},
    view::{self, Screen, Table},
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

/// Where a run takes place, and where it is seen and heard of.
pub(crate) struct Stage<'a> {
    /// The command that runs, to be stopped and continued.
    pub(crate) job: &'a Job,
    /// What answers for the run's processes.
    pub(crate) custody: &'a Custody,
    /// The run's time limit.
    pub(crate) max_time: Option<Duration>,
    pub(crate) screen: &'a Screen,
    /// A question that stands, which Ctrl+C declines.
    pub(crate) declining: Declining,
    pub(crate) signals: Signals,
    /// The run's iterations so far.
    pub(crate) table: Table,
}

/// A run that is over.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) ending: Ending,
    pub(crate) progress: Progress,
    /// The first signal that asked for its end.
    pub(crate) signal: Option<Signal>,
    /// Its iterations.
    pub(crate) table: Table,
    /// Why its journal lacks its end, if it does.
    pub(crate) unrecorded: Option<String>,
    /// A record of it that was asked for could not be written.
    pub(crate) lacks_record: bool,
}

/// What is still there of a run that was dropped.
#[derive(Debug, Default)]
struct Seen {
    progress: Progress,
    table: Table,
}

/// Runs a loop to its end. The first signal cancels it; the second one drops it, and with it
/// everything that it started.
pub(crate) async fn drive<I, S>(composed: Loop<I, S, Bounded>, stage: Stage<'_>) -> Result<Ended, Failure>
where
    I: Iteration + 'static,
    S: LoopStep<Output = I::Output> + 'static,
{
    let Stage { job, custody, max_time, screen, declining, signals, table } = stage;
    let cancel = CancellationToken::new();
    let seen = Arc::new(Mutex::new(Seen { progress: Progress::default(), table }));
    let fold = Arc::clone(&seen);
    let awake = Arc::new(custody.keep_awake());
    let limited = Arc::clone(&awake);
    let composed = composed.cancel_on(cancel.clone()).observe(move |event: &Event, progress: &Progress| {
        announce_end(&limited, max_time, event, progress);
        let mut seen = lock(&fold);
        seen.progress.clone_from(progress);
        seen.table.on_event(event, progress);
    });
    let time_off = TimeOff::new();
    let run = composed.time_off(time_off.clone()).run();
    let suspend = || suspend(job, screen, &time_off, &awake);
    let (report, first) = attend(run, signals, &cancel, &declining, suspend).await?;
    screen.hide();
    let Seen { progress, table } = std::mem::take(&mut *lock(&seen));
    let unrecorded = report.as_ref().and_then(|report| report.unrecorded()).map(str::to_owned);
    let (mut ending, progress) = match report {
        Some(report) => (report.ending().clone(), report.progress().clone()),
        None => killed(progress).or_internal("the end of the run cannot be counted")?,
    };
    if let (Some(StopReason::Cancelled), "", Some(signal)) = (ending.reason(), ending.message(), first) {
        *ending.message_mut() = format!("the run was sent {signal}");
    }
    Ok(Ended { ending, progress, signal: first, table, unrecorded, lacks_record: false })
}

/// How much later than the run itself its guardian ends the work that is under way at the time limit.
const HEAD_START: Duration = Duration::from_millis(500);

/// Tells the guardian until when the work may take that begins, in case this process is kept from ending it.
fn announce_end(awake: &KeepAwake, max_time: Option<Duration>, event: &Event, progress: &Progress) {
    let granted = progress.granted().map(|grant| grant.time).unwrap_or_default();
    let left = || Some(max_time?.saturating_add(granted).saturating_sub(event.at.into()));
    match event.kind {
        EventKind::IterationStarted { .. } | EventKind::EvaluationStarted {} => {
            awake.ends_within(left().map(|left| left.saturating_add(DEFAULT_GRACE + HEAD_START)));
        }
        EventKind::IterationFinished { .. }
        | EventKind::EvaluationFinished { .. }
        | EventKind::WorkCut { .. }
        | EventKind::RunFinished { .. } => awake.ends_within(None),
        _ => {}
    }
}

/// Stops the run, what it started and this process, until somebody lets it go on.
fn suspend(job: &Job, screen: &Screen, time_off: &TimeOff, awake: &KeepAwake) {
    // The agent has a session of its own, and would work on with nobody to watch it.
    job.stop();
    let was_shown = screen.is_shown();
    screen.hide();
    // Whatever is printed after this would stand in the shell's way.
    view::flush();
    let stopped = awake.suspend(stop_here);
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
) -> Result<(Option<Report<O>>, Option<Signal>), Failure> {
    let mut suspensions = Suspensions::listen().or_internal("Ctrl+Z cannot be listened for")?;
    let mut run = Box::pin(run);
    let mut first = None;
    loop {
        tokio::select! {
            report = &mut run => return Ok((Some(report.or_internal("the loop could not be built")?), first)),
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

/// Ends the account of a run that was killed: nobody else is left to do it.
fn killed(mut progress: Progress) -> Result<(Ending, Progress), HistoryError> {
    let ending = Ending::halted(Halt::new(StopReason::Cancelled, "killed by a second signal"));
    // The work that was killed was begun, and counts.
    if let Phase::Working(_) = progress.phase() {
        if !progress.is_interrupted() {
            let cause = Box::new(ending.clone());
            progress.apply(&Event::new(progress.now(), EventKind::InterruptRequested { cause }))?;
        }
        progress.apply(&Event::new(progress.now(), EventKind::WorkCut { notes: None }))?;
    }
    Ok((ending, progress))
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}
