//! Drives a run, together with the people who watch it, answer it and end it.

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

/// The people around a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Audience {
    /// Nobody wants any output.
    pub(crate) quiet: bool,
    /// Somebody can answer questions.
    pub(crate) can_be_asked: bool,
    /// Somebody wants the whole output of the agent and the check.
    pub(crate) show_output: bool,
}

/// The surroundings of a run: its processes, its screen and its observers.
pub(crate) struct Stage<'a> {
    /// The running command, to be suspended and continued.
    pub(crate) job: &'a Job,
    /// The supervisor of the run's processes.
    pub(crate) custody: &'a Custody,
    /// The run's time limit.
    pub(crate) max_time: Option<Duration>,
    pub(crate) screen: &'a Screen,
    /// The open question, which Ctrl+C declines.
    pub(crate) declining: Declining,
    pub(crate) signals: Signals,
    /// The run's iterations so far.
    pub(crate) table: Table,
}

/// A finished run.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) ending: Ending,
    pub(crate) progress: Progress,
    /// The first signal that requested its end.
    pub(crate) signal: Option<Signal>,
    /// Its iterations.
    pub(crate) table: Table,
    /// Why the journal lacks the run's end, if it does.
    pub(crate) unrecorded: Option<String>,
    /// True if a requested record could not be written.
    pub(crate) lacks_record: bool,
}

/// The state that remains after a run was dropped.
#[derive(Debug, Default)]
struct Seen {
    progress: Progress,
    table: Table,
}

/// Runs a loop to its end. The first signal cancels it; the second one drops it, together with everything that it
/// started.
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

/// The extra time before the guardian ends the current work at the time limit, so that the run itself can end it first.
const HEAD_START: Duration = Duration::from_millis(500);

/// Announces to the guardian when the work must end, in case this process is unable to end it.
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

/// Suspends the run, its processes and this process, until somebody continues it.
fn suspend(job: &Job, screen: &Screen, time_off: &TimeOff, awake: &KeepAwake) {
    // The agent has its own process session, and would otherwise continue with nobody watching.
    job.stop();
    let was_shown = screen.is_shown();
    screen.hide();
    // Later output would interfere with the shell.
    view::flush();
    let stopped = awake.suspend(stop_here);
    time_off.add(stopped);
    screen.skip(stopped);
    // An open question has the terminal to itself.
    if was_shown {
        screen.show();
    }
    job.go_on();
}

/// Waits for the end of a run while handling signals. Returns its report, unless the run was dropped, and the first
/// signal that requested its end.
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

/// Completes the history of a killed run, because nobody else can.
fn killed(mut progress: Progress) -> Result<(Ending, Progress), HistoryError> {
    let ending = Ending::halted(Halt::new(StopReason::Cancelled, "killed by a second signal"));
    // The killed work had begun, so it counts.
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
