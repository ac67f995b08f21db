//! Drives a run, together with the people who watch it, answer it and end it.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use loop_agents::process::{DEFAULT_GRACE, Job, Supervisor};
use loop_core::{
    Bounded, BuildError, CancellationToken, Ending, Event, EventKind, Halt, HistoryError, Iteration, Loop,
    LoopStep, Observer as _, Phase, Progress, Report, StopReason, SuspendedTime,
};

use crate::{
    ask::OpenQuestion,
    command::{Failure, OrFail},
    signals::{Signal, Signals, SuspendSignals, stop_here},
    view::{self, IterationTable, RunScreen},
};

/// The people around a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DisplayOptions {
    /// Nobody wants any output.
    pub(crate) quiet: bool,
    /// Somebody can answer questions.
    pub(crate) can_be_asked: bool,
    /// Somebody wants the whole output of the agent and the check.
    pub(crate) show_output: bool,
}

/// The surroundings of a run: its processes, its screen and its observers.
pub(crate) struct DriveContext<'a> {
    /// The running command, to be suspended and continued.
    pub(crate) job: &'a Job,
    /// The supervisor of the run's processes.
    pub(crate) supervisor: &'a Supervisor,
    /// The run's time limit.
    pub(crate) max_time: Option<Duration>,
    pub(crate) screen: &'a RunScreen,
    /// The open question, which Ctrl+C declines.
    pub(crate) open_question: OpenQuestion,
    pub(crate) signals: Signals,
    /// The run's iterations so far.
    pub(crate) table: IterationTable,
}

/// A finished run.
#[derive(Debug)]
pub(crate) struct FinishedRun {
    pub(crate) ending: Ending,
    pub(crate) progress: Progress,
    /// The first signal that requested its end.
    pub(crate) signal: Option<Signal>,
    /// Its iterations.
    pub(crate) table: IterationTable,
    /// Why the journal lacks the run's end, if it does.
    pub(crate) unrecorded: Option<String>,
    /// Whether its record was added to the file of records.
    pub(crate) is_recorded: bool,
    /// True if a requested record could not be written.
    pub(crate) lacks_record: bool,
}

/// The state that remains after a run was dropped.
#[derive(Debug, Default)]
struct RunSoFar {
    progress: Progress,
    table: IterationTable,
}

/// Runs a loop to its end. The first signal cancels it; the second one drops it, together with everything that it
/// started.
pub(crate) async fn drive<I, S>(
    composed: Loop<I, S, Bounded>,
    context: DriveContext<'_>,
) -> Result<FinishedRun, Failure>
where
    I: Iteration + 'static,
    S: LoopStep<Output = I::Output> + 'static,
{
    let DriveContext { job, supervisor, max_time, screen, open_question, signals, table } = context;
    let cancel = CancellationToken::new();
    let seen = Arc::new(Mutex::new(RunSoFar { progress: Progress::default(), table }));
    let fold = Arc::clone(&seen);
    let limited = supervisor.clone();
    let composed = composed.cancel_on(cancel.clone()).observe(move |event: &Event, progress: &Progress| {
        announce_end(&limited, max_time, event, progress);
        let mut seen = lock(&fold);
        seen.progress.clone_from(progress);
        seen.table.on_event(event, progress);
    });
    let suspended_time = SuspendedTime::new();
    let run = composed.suspended_time(suspended_time.clone()).run();
    let suspend = || suspend(job, screen, &suspended_time);
    let (report, first) = supervise(run, signals, &cancel, &open_question, suspend).await?;
    screen.hide();
    let RunSoFar { progress, table } = std::mem::take(&mut *lock(&seen));
    let unrecorded = report.as_ref().and_then(|report| report.unrecorded()).map(str::to_owned);
    let (mut ending, progress) = match report {
        Some(report) => (report.ending().clone(), report.progress().clone()),
        None => close_killed_run(progress).or_internal("the end of the run cannot be counted")?,
    };
    if let (Some(StopReason::Cancelled), "", Some(signal)) = (ending.reason(), ending.message(), first) {
        *ending.message_mut() = format!("the run received {signal}");
    }
    Ok(FinishedRun {
        ending,
        progress,
        signal: first,
        table,
        unrecorded,
        is_recorded: false,
        lacks_record: false,
    })
}

/// The extra time before the watchdog ends the current work at the time limit, so that the run itself can end it first.
const HEAD_START: Duration = Duration::from_millis(500);

/// Announces to the watchdog when the work must end, in case this process is unable to end it.
fn announce_end(supervisor: &Supervisor, max_time: Option<Duration>, event: &Event, progress: &Progress) {
    let granted = progress.granted().map(|grant| grant.time).unwrap_or_default();
    let left = || Some(max_time?.saturating_add(granted).saturating_sub(event.at.into()));
    match event.kind {
        EventKind::IterationStarted { .. } | EventKind::EvaluationStarted {} => {
            supervisor.ends_within(left().map(|left| left.saturating_add(DEFAULT_GRACE + HEAD_START)));
        }
        EventKind::IterationFinished { .. }
        | EventKind::EvaluationFinished { .. }
        | EventKind::WorkCut { .. }
        | EventKind::RunFinished { .. } => supervisor.ends_within(None),
        _ => {}
    }
}

/// Suspends the run, its processes and this process, until somebody continues it.
fn suspend(job: &Job, screen: &RunScreen, suspended_time: &SuspendedTime) {
    // The agent has its own process session, and would otherwise continue with nobody watching.
    job.stop();
    let was_shown = screen.is_shown();
    screen.hide();
    // Later output would interfere with the shell.
    view::flush();
    let stopped = stop_here();
    suspended_time.add(stopped);
    screen.skip(stopped);
    // An open question has the terminal to itself.
    if was_shown {
        screen.show();
    }
    job.resume();
}

/// Waits for the end of a run while handling signals. Returns its report, unless the run was dropped, and the first
/// signal that requested its end.
async fn supervise<O>(
    run: impl Future<Output = Result<Report<O>, BuildError>>,
    mut signals: Signals,
    cancel: &CancellationToken,
    open_question: &OpenQuestion,
    suspend: impl Fn(),
) -> Result<(Option<Report<O>>, Option<Signal>), Failure> {
    let mut suspensions = SuspendSignals::listen().or_internal("cannot listen for Ctrl+Z")?;
    let mut run = Box::pin(run);
    let mut first = None;
    loop {
        tokio::select! {
            report = &mut run => return Ok((Some(report.or_internal("the loop could not be built")?), first)),
            () = suspensions.next() => suspend(),
            signal = signals.next() => {
                if signal == Signal::Interrupt && open_question.decline() {
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
fn close_killed_run(mut progress: Progress) -> Result<(Ending, Progress), HistoryError> {
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

fn lock(seen: &Mutex<RunSoFar>) -> MutexGuard<'_, RunSoFar> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}
