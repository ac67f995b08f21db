//! Standing by while work runs: reports, deadlines and cancellations cut it.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::Poll,
};

use tokio::task::unconstrained;

use super::{Outlet, Run, Signals, yield_to_runtime};
use crate::{Input, RunTime, WorkError};

/// An iteration or an evaluation that was called.
type Attended<'w, T> = Pin<Box<dyn Future<Output = Result<T, WorkError>> + Send + 'w>>;

/// How it stands with the work.
enum Standing {
    Running,
    /// It reported more than it may use. It is interrupted at this time.
    Over(RunTime),
    /// It was told to end. It is dropped at this time.
    Interrupted(RunTime),
}

/// What there is to react to.
enum Wake<T> {
    Done(T),
    Cancelled,
    Reported,
    ReaderHasRoom,
    Deadline,
    /// The time in [`Standing`] has come.
    Due,
}

impl<O> Run<O> {
    /// Drives work to its end, or to its cut. When this returns the work is over: it has ended by
    /// itself, or has been dropped.
    pub(super) async fn attend<'w, T>(
        &mut self,
        call: impl FnOnce() -> Attended<'w, T>,
    ) -> Result<T, WorkError> {
        // It was called off after it was decided on: it is never called.
        if self.machine.progress().is_interrupted() {
            return Err(cut());
        }
        let mut work = call();
        // Work that is ready at once needs no timers, and costs none.
        if let Poll::Ready(result) = poll_fn(|cx| Poll::Ready(work.as_mut().poll(cx))).await {
            // It may be asked again at once.
            if matches!(result, Err(WorkError::Later { .. })) && self.is_turn_over() {
                yield_to_runtime().await;
            }
            return result;
        }
        // Boxed, because ready work would else carry the room for the timers around.
        Box::pin(self.stand_by(work)).await
    }

    /// Drives work that is not ready.
    async fn stand_by<T>(&mut self, mut work: Attended<'_, T>) -> Result<T, WorkError> {
        let mut standing = Standing::Running;
        loop {
            let deadline = self.machine.deadline();
            match self.signals.wake(&mut self.outlet, &standing, deadline, work.as_mut()).await {
                Wake::Done(result) => return result,
                Wake::Cancelled => {
                    self.tell_cancel();
                    standing = self.interrupt();
                }
                Wake::Reported => match standing {
                    Standing::Running => standing = self.reported(),
                    // It did not come to its end with the report that crossed the limit.
                    Standing::Over(_) => standing = self.tell_report(),
                    Standing::Interrupted(_) => {}
                },
                Wake::Deadline => {
                    if self.tell(Input::DeadlinePassed) {
                        standing = self.interrupt();
                    }
                }
                Wake::ReaderHasRoom => {}
                Wake::Due => match standing {
                    Standing::Interrupted(_) => return Err(cut()),
                    _ => standing = self.tell_report(),
                },
            }
        }
    }

    /// Usage came while the work runs. A report that crosses a limit is held for a moment: see
    /// [`Loop::overrun`](crate::Loop::overrun).
    fn reported(&mut self) -> Standing {
        let usage = self.signals.work.usage();
        // The word of a report may outlive it: the work before took it to its end with it.
        if usage.is_unknown() {
            return Standing::Running;
        }
        if self.machine.would_cross(&usage) {
            return Standing::Over(self.signals.clock.now().after(self.times.overrun));
        }
        self.tell_report()
    }

    /// Tells the machine what is in the meter. That may cut the work although no sum foresaw it: the
    /// report's time may be the deadline, and a guardrail may count something else.
    fn tell_report(&mut self) -> Standing {
        let usage = self.signals.work.take_usage();
        match self.tell(Input::Reported { usage }) {
            true => self.interrupt(),
            false => Standing::Running,
        }
    }

    /// Tells the machine something while work runs; true if the work has to be interrupted.
    fn tell(&mut self, input: Input) -> bool {
        let was_interrupted = self.machine.progress().is_interrupted();
        self.machine.tell(self.signals.clock.now(), input);
        self.take_events();
        // What it spends cannot be recorded any more.
        self.tell_failure();
        self.take_events();
        self.machine.progress().is_interrupted() && !was_interrupted
    }

    fn interrupt(&mut self) -> Standing {
        self.take_events();
        self.signals.work.interrupt();
        Standing::Interrupted(self.signals.clock.now().after(self.times.grace))
    }
}

impl Signals {
    /// Waits for the next thing to react to. Its own end goes first: work that is over is not cut.
    async fn wake<T, O>(
        &self,
        outlet: &mut Outlet<O>,
        standing: &Standing,
        deadline: Option<RunTime>,
        work: impl Future<Output = T>,
    ) -> Wake<T> {
        let (due, interrupted) = match standing {
            Standing::Running => (None, false),
            Standing::Over(at) => (Some(*at), false),
            Standing::Interrupted(at) => (Some(*at), true),
        };
        let deadline = deadline.filter(|_| !interrupted);
        tokio::select! {
            biased;
            result = work => Wake::Done(result),
            () = self.cancel.cancelled(), if !interrupted => Wake::Cancelled,
            () = self.work.reported(), if !interrupted => Wake::Reported,
            () = self.clock.reach(deadline), if deadline.is_some() => Wake::Deadline,
            // As the clock, it does not depend on what the work leaves of the task's budget.
            () = unconstrained(outlet.flush()), if !outlet.is_clear() => Wake::ReaderHasRoom,
            () = self.clock.reach(due), if due.is_some() => Wake::Due,
        }
    }
}

/// The machine records a cut; this error only says that there is no result.
fn cut() -> WorkError {
    WorkError::failed("interrupted")
}
