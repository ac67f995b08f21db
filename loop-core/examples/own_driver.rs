//! A driver of your own, on plain threads: a loop without an async runtime.
//!
//! Run it with `cargo run -p loop-core --example own_driver`.
#![expect(clippy::print_stdout, reason = "an example shows what came of it")]

use std::{
    cell::Cell,
    error::Error,
    future::{Future, pending},
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::{Duration, Instant},
};

use loop_core::{
    Action, CancellationToken, Input, Iteration, IterationContext, Loop, Parts, Report, Run, RunTime, Step,
    StopReason, WorkError, condition_fn, iteration_fn, never,
};

/// A clock that a driver waits on. Waking it ends the wait.
pub(crate) trait Clock: Wake + Send + Sync + 'static {
    /// Returns the time since the clock began.
    fn now(&self) -> Duration;
    /// Waits until this time, or until it is woken.
    fn wait(&self, until: Option<Duration>);
}

/// The report of a run.
pub(crate) type Driven<O> = Result<Report<O>, Box<dyn Error + Send + Sync>>;

// ANCHOR: driver
/// Runs a loop on the calling thread.
pub(crate) fn drive<I: Iteration>(parts: Parts<I>, clock: &Arc<impl Clock>) -> Driven<I::Output> {
    let Parts { mut run, mut iteration, mut evaluator, mut ask, .. } = parts;
    let (base, start) = (run.progress().now(), Cell::new(clock.now()));
    let now = || base.after(clock.now().saturating_sub(start.get()));
    let cut = || WorkError::failed("the grace time is over");
    run.begin(base);
    while let Some((id, action)) = run.outstanding() {
        // A driver that stores the events stores them here, before it carries out the action.
        run.take_events();
        match action {
            Action::Iterate { iteration: index, attempt } => {
                let mut work = iteration.run(run.iteration_context(index, attempt));
                let result = block_on(work.as_mut(), &mut run, clock, &now);
                let notes = run.work().take_notes();
                run.iterated(now(), id, result.unwrap_or_else(|| Err(cut())).into(), notes)?;
            }
            Action::Evaluate => {
                let (cx, check) = run.evaluation_context().zip(evaluator.as_mut()).ok_or("no check")?;
                let result = block_on(check.evaluate(cx).as_mut(), &mut run, clock, &now);
                let notes = run.work().take_notes();
                run.evaluated(now(), id, result.unwrap_or_else(|| Err(cut())).into(), notes)?;
            }
            Action::Settle => drop(run.settle(now())),
            Action::Wait(_) => {
                block_on(pin!(pending::<()>()), &mut run, clock, &now);
                // The run refuses it if a limit or a cancellation has ended the wait. The same holds for an answer.
                run.handle(now(), Input::Waited { id }).ok();
            }
            Action::Ask(question) => {
                let (asked, known) = (clock.now(), run.progress().clone());
                let mut ask = ask.as_mut().map(|ask| ask.ask(&question, &known));
                let answer = ask.as_mut().and_then(|ask| block_on(ask.as_mut(), &mut run, clock, &now)?);
                start.set(start.get() + (clock.now() - asked));
                run.handle(now(), Input::Answered { id, answer }).ok();
            }
            Action::Finish(_) => break,
            other => return Err(format!("this driver does not know {other:?}").into()),
        }
    }
    run.into_report().ok_or_else(|| "the run has not ended".into())
}

/// Waits on this thread until the work is ready, or until the run goes on without it.
fn block_on<O, T>(
    mut work: Pin<&mut (impl Future<Output = T> + ?Sized)>,
    run: &mut Run<O>,
    clock: &Arc<impl Clock>,
    now: &dyn Fn() -> RunTime,
) -> Option<T> {
    let waker = Waker::from(Arc::clone(clock));
    loop {
        if let Poll::Ready(result) = run.poll(now(), &mut Context::from_waker(&waker), work.as_mut()) {
            return result;
        }
        clock.wait(run.wakes_at().map(|at| clock.now() + at.since(now())));
    }
}
// ANCHOR_END: driver

/// The clock of the thread that created it.
pub(crate) struct ThreadClock {
    start: Instant,
    thread: Thread,
}

impl ThreadClock {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { start: Instant::now(), thread: thread::current() })
    }
}

impl Wake for ThreadClock {
    fn wake(self: Arc<Self>) {
        self.thread.unpark();
    }
}

impl Clock for ThreadClock {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }
    fn wait(&self, until: Option<Duration>) {
        match until {
            Some(until) => thread::park_timeout(until.saturating_sub(self.now())),
            None => thread::park(),
        }
    }
}

pub(crate) fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let count = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    let third = condition_fn(|step: &Step<u64>, _| step.output() == Some(&3));
    let run = Loop::new(count).until(third).at_most(9).pace(Duration::from_millis(1));
    let report = drive(run.into_parts()?, &ThreadClock::new())?;
    println!("{} after {} iterations", report.ending(), report.iterations());
    assert!(report.is_success() && report.iterations() == 3);

    // Four loops on four threads, and one token that ends all of them.
    let token = CancellationToken::new();
    let threads: Vec<_> = (0..4)
        .map(|_| {
            thread::spawn({
                let token = token.clone();
                move || wait_for(token)
            })
        })
        .collect();
    token.cancel();
    for thread in threads {
        assert_eq!(thread.join().expect("a driver does not panic"), Some(StopReason::Cancelled));
    }
    Ok(())
}

/// Runs a loop whose work never ends by itself, and returns why it stopped.
fn wait_for(token: CancellationToken) -> Option<StopReason> {
    let hang = iteration_fn(async |cx: IterationContext<()>| {
        cx.cancelled().await;
        Ok(())
    });
    let run = Loop::new(hang).until(never()).at_most(1).cancel_on(token);
    let report = drive(run.into_parts().ok()?, &ThreadClock::new()).ok()?;
    report.reason().cloned()
}
