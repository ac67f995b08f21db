//! `loop schedule run`: the scheduler in the foreground.

use std::{
    env,
    process::ExitCode,
    sync::{Arc, Mutex},
};

use loop_agents::process::Custody;
use loop_schedule::CancellationToken;
use loop_schedule::{DISABLE_VARIABLE, Runner, StoreError, Switch};

use super::{
    super::{OrFail, setting},
    Failure, place, zone,
};
use crate::{
    args::RunScheduleArgs,
    clock, exit,
    schedule::{self, Firing, Page, SchedulePlace, Told},
    signals::{Signal, Signals, Suspensions, stop_here},
    view::{self, Board},
};

pub(super) fn exec(args: &RunScheduleArgs) -> Result<ExitCode, Failure> {
    if schedule::is_disabled() {
        view::say(&format!("nothing fires: {DISABLE_VARIABLE} is set"));
        return Ok(ExitCode::from(exit::OK));
    }
    let place = Arc::new(place(args.cwd.as_deref())?);
    if args.once && place.project.off_switch().is_off() {
        view::say("nothing fires: `loop schedule on` lets jobs fire again");
        return Ok(ExitCode::from(exit::OK));
    }
    let custody =
        setting::custody(setting::new_run()).or_internal("the processes of jobs cannot be looked after")?;
    let done = setting::block_on(fire(args, place, custody.clone()));
    custody.end();
    done
}

/// Fires jobs until a signal comes, or once.
async fn fire(
    args: &RunScheduleArgs,
    place: Arc<SchedulePlace>,
    custody: Custody,
) -> Result<ExitCode, Failure> {
    let signals = Signals::listen().or_internal("signals cannot be listened for")?;
    let told = told(args, &place)?;
    let heard = Arc::clone(&told);
    let watched = place.project.off_switch().watch(&told.switch, move || heard.phase());
    let _watched = watched.or_setup(|| "the folder of all schedules cannot be made")?;
    let program = env::current_exe().or_internal("this program cannot be found")?;
    let firing = Firing {
        program: program.to_string_lossy().into_owned(),
        place: Arc::clone(&place),
        told: Arc::clone(&told),
        custody,
    };
    let runner = Runner::new(place.project.store().clone(), firing, clock::now);
    let runner = runner.with_settings(place.project.settings().clone()).with_switch(told.switch.clone());
    if !args.once && place.project.store().is_firing().is_ok_and(|is_fired| is_fired) {
        told.phase();
    }
    let cancel = CancellationToken::new();
    let work = run(runner, args.once, cancel.clone());
    let (ran, signal) = tokio::select! {
        attended = attend(work, signals, &cancel, &told.board) => attended?,
        () = keep_page(&told, place) => unreachable!("a page is kept for ever"),
    };
    told.board.hide();
    view::flush();
    let fired = ran.transpose()?;
    if fired == Some(false) && !args.quiet {
        view::say("another process fires these jobs");
    }
    Ok(ExitCode::from(signal.map_or(exit::OK, exit::of_signal)))
}

/// Who is told, with the live table if there is a terminal for one.
fn told(args: &RunScheduleArgs, place: &SchedulePlace) -> Result<Arc<Told>, Failure> {
    let page = Arc::new(Mutex::new(Page::new(place)));
    let is_live = Board::is_possible() && !args.quiet && !args.once;
    let board = if is_live { Board::new(page.clone()) } else { Board::plain() };
    let zone = zone(None)?;
    let (switch, firing) = (Switch::default(), false.into());
    Ok(Arc::new(Told { board: Arc::new(board), page, zone, switch, firing, quiet: args.quiet }))
}

/// Keeps the live table as the jobs stand, for ever.
async fn keep_page(told: &Told, place: Arc<SchedulePlace>) {
    if !told.board.is_live() {
        return std::future::pending().await;
    }
    schedule::keep(Arc::clone(&told.page), place, Arc::clone(&told.board)).await;
}

/// Says whether jobs were fired here.
async fn run(runner: Runner, once: bool, cancel: CancellationToken) -> Result<bool, StoreError> {
    match once {
        true => runner.run_once(cancel).await,
        false => runner.run(cancel).await.map(|()| true),
    }
}

/// Waits for the end of the work, and hears signals meanwhile: the first one ends it, and what it has started; the
/// second one drops it. Gives what came of it, unless it was dropped, and the first signal.
async fn attend<T>(
    work: impl Future<Output = T>,
    mut signals: Signals,
    cancel: &CancellationToken,
    board: &Board,
) -> Result<(Option<T>, Option<Signal>), Failure> {
    let mut suspensions = Suspensions::listen().or_internal("Ctrl+Z cannot be listened for")?;
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
