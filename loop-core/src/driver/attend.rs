//! Supervises running work, which reports, deadlines and cancellations can cut.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::Poll,
};

use tokio::task::unconstrained;

use super::{Outlet, Run, Signals, yield_to_runtime};
use crate::{Input, RunTime, WorkError};

/// The future of an iteration or an evaluation.
type Attended<'w, T> = Pin<Box<dyn Future<Output = Result<T, WorkError>> + Send + 'w>>;

/// The state of the work.
enum Standing {
    Running,
    /// It reported more usage than its limits allow. The driver interrupts it at this time.
    Over(RunTime),
    /// The driver interrupted it, and drops it at this time.
    Interrupted(RunTime),
}

/// The next thing to react to.
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
    /// Drives work until it ends or is cut. When this returns, the work has either ended by itself or been dropped.
    pub(super) async fn attend<'w, T>(
        &mut self,
        call: impl FnOnce() -> Attended<'w, T>,
    ) -> Result<T, WorkError> {
        // A cancellation arrived after the machine chose this work, so the work never starts.
        if self.machine.progress().is_interrupted() {
            return Err(cut());
        }
        let mut work = call();
        // Work that is ready at once needs no timers, so do not create any.
        if let Poll::Ready(result) = poll_fn(|cx| Poll::Ready(work.as_mut().poll(cx))).await {
            // The machine may retry it at once, without any other point at which to yield.
            if matches!(result, Err(WorkError::Later { .. })) && self.is_turn_over() {
                yield_to_runtime().await;
            }
            return result;
        }
        // Boxed, because otherwise the future of ready work would include the space for the timers.
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
                    // The work continued after the report that crossed the limit.
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

    /// Handles usage that the work reported while running. A report that crosses a limit waits for a moment: see
    /// [`Loop::overrun`](crate::Loop::overrun).
    fn reported(&mut self) -> Standing {
        let usage = self.signals.work.usage();
        // The notification may be stale: the end of the previous work may have taken its report already.
        if usage.is_unknown() {
            return Standing::Running;
        }
        if self.machine.would_cross(&usage) {
            return Standing::Over(self.signals.clock.now().after(self.times.overrun));
        }
        self.tell_report()
    }

    /// Passes the metered usage to the machine. This may cut the work although `would_cross` did not foresee it: the
    /// deadline may have come at the same time, and a guardrail may count something else.
    fn tell_report(&mut self) -> Standing {
        let usage = self.signals.work.take_usage();
        match self.tell(Input::Reported { usage }) {
            true => self.interrupt(),
            false => Standing::Running,
        }
    }

    /// Passes an input to the machine while work runs. Returns true if the driver has to interrupt the work now.
    fn tell(&mut self, input: Input) -> bool {
        let was_interrupted = self.machine.progress().is_interrupted();
        self.machine.tell(self.signals.clock.now(), input);
        self.take_events();
        // If the journal failed, it cannot record further spending.
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
    /// Waits for the next thing to react to. The end of the work goes first, so that finished work is not cut.
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
            // Like the clock, this ignores the task's budget, which the work may have used up.
            () = unconstrained(outlet.flush()), if !outlet.is_clear() => Wake::ReaderHasRoom,
            () = self.clock.reach(due), if due.is_some() => Wake::Due,
        }
    }
}

/// The machine records the cut. This error only means that there is no result.
fn cut() -> WorkError {
    WorkError::failed("interrupted")
}
