//! `loop schedule run`: runs the scheduler in the foreground.

use std::{
    env,
    process::ExitCode,
    sync::{Arc, Mutex},
};

use loop_agents::process::Supervisor;
use loop_schedule::CancellationToken;
use loop_schedule::{DISABLE_VARIABLE, FiringSwitch, Runner, StoreError};

use super::{
    super::{OrFail, environment},
    Failure, folder, zone,
};
use crate::{
    args::RunScheduleArgs,
    clock, exit,
    schedule::{self, FireDelivery, FireReporter, FolderSchedule, JobsPanel},
    signals::{Signal, Signals, SuspendSignals, stop_here},
    view::{self, StatusBoard},
};

pub(super) fn exec(args: &RunScheduleArgs) -> Result<ExitCode, Failure> {
    if schedule::is_disabled() {
        view::say(&format!("nothing fires: {DISABLE_VARIABLE} is set"));
        return Ok(ExitCode::from(exit::OK));
    }
    let folder = Arc::new(folder(args.cwd.as_deref())?);
    if args.once && folder.project.off_switch().is_off() {
        view::say("nothing fires: `loop schedule on` lets jobs fire again");
        return Ok(ExitCode::from(exit::OK));
    }
    let supervisor = environment::supervisor(environment::new_run_id())
        .or_internal("cannot supervise the processes of jobs")?;
    let done = environment::block_on(fire(args, folder, supervisor.clone()));
    supervisor.end();
    done
}

/// Fires jobs until a signal arrives, or once.
async fn fire(
    args: &RunScheduleArgs,
    folder: Arc<FolderSchedule>,
    supervisor: Supervisor,
) -> Result<ExitCode, Failure> {
    let signals = Signals::listen().or_internal("cannot listen for signals")?;
    let reporter = reporter(args, &folder)?;
    let heard = Arc::clone(&reporter);
    let watched = folder.project.off_switch().watch(&reporter.switch, move || heard.phase());
    let _watched = watched.or_setup(|| "cannot create the folder of all schedules")?;
    let program = env::current_exe().or_internal("cannot find this program")?;
    let firing = FireDelivery {
        program: program.to_string_lossy().into_owned(),
        folder: Arc::clone(&folder),
        reporter: Arc::clone(&reporter),
        supervisor,
    };
    let runner = Runner::new(folder.project.store().clone(), firing, clock::now);
    let runner = runner.with_settings(folder.project.settings().clone()).with_switch(reporter.switch.clone());
    if !args.once && folder.project.store().is_firing().is_ok_and(|is_fired| is_fired) {
        reporter.phase();
    }
    let cancel = CancellationToken::new();
    let work = run(runner, args.once, cancel.clone());
    let (ran, signal) = tokio::select! {
        attended = attend(work, signals, &cancel, &reporter.board) => attended?,
        () = keep_page(&reporter, folder) => unreachable!("a page is kept for ever"),
    };
    reporter.board.hide();
    view::flush();
    let fired = ran.transpose()?;
    if fired == Some(false) && !args.quiet {
        view::say("another process fires these jobs");
    }
    Ok(ExitCode::from(signal.map_or(exit::OK, exit::of_signal)))
}

/// Creates the reporter, with the live table if there is a terminal for it.
fn reporter(args: &RunScheduleArgs, folder: &FolderSchedule) -> Result<Arc<FireReporter>, Failure> {
    let page = Arc::new(Mutex::new(JobsPanel::new(folder)));
    let is_live = StatusBoard::is_possible() && !args.quiet && !args.once;
    let board = if is_live { StatusBoard::new(page.clone()) } else { StatusBoard::plain() };
    let zone = zone(None)?;
    let (switch, firing) = (FiringSwitch::default(), false.into());
    Ok(Arc::new(FireReporter { board: Arc::new(board), page, zone, switch, firing, quiet: args.quiet }))
}

/// Updates the live table forever.
async fn keep_page(reporter: &FireReporter, folder: Arc<FolderSchedule>) {
    if !reporter.board.is_live() {
        return std::future::pending().await;
    }
    schedule::keep_updated(Arc::clone(&reporter.page), folder, Arc::clone(&reporter.board)).await;
}

/// Runs the scheduler. Returns whether it fired jobs here.
async fn run(runner: Runner, once: bool, cancel: CancellationToken) -> Result<bool, StoreError> {
    match once {
        true => runner.run_once(cancel).await,
        false => runner.run(cancel).await.map(|()| true),
    }
}

/// Waits for the end of the work while handling signals. The first signal cancels the work and everything it started;
/// the second one drops it. Returns the result, unless the work was dropped, and the first signal.
async fn attend<T>(
    work: impl Future<Output = T>,
    mut signals: Signals,
    cancel: &CancellationToken,
    board: &StatusBoard,
) -> Result<(Option<T>, Option<Signal>), Failure> {
    let mut suspensions = SuspendSignals::listen().or_internal("cannot listen for Ctrl+Z")?;
    let mut work = std::pin::pin!(work);
    let mut first = None;
    loop {
        tokio::select! {
            done = &mut work => return Ok((Some(done), first)),
            () = suspensions.next() => {
                board.hide();
                view::flush();
                stop_here();
                board.show();
            }
            signal = signals.next() => {
                if first.is_some() {
                    return Ok((None, first));
                }
                first = Some(signal);
                cancel.cancel();
            }
        }
    }
}
