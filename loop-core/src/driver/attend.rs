//! Standing by while work runs: reports, deadlines and cancellations cut it.

use std::{
    future::{Future, poll_fn},
    mem,
    pin::Pin,
    task::Poll,
    time::Duration,
};

use super::{Outlet, Run, Signals};
use crate::{Action, Input, RunTime, WorkError};

/// A report that crosses a limit is held so long, since many agents report their cost in their last
/// line: if the work ends by itself meanwhile, the report belongs to its end, and a goal that was
/// met is not thrown away.
const HOLD: Duration = Duration::from_millis(50);

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
    Deadline,
    /// The time in [`Standing`] has come.
    Due,
}

impl<O> Run<O> {
    /// Drives work to its end, or to its cut. When this returns the work is over: it has ended by
    /// itself, or has been dropped.
    pub(super) async fn attend<T>(
        &mut self,
        mut work: Pin<Box<dyn Future<Output = Result<T, WorkError>> + Send + '_>>,
    ) -> Result<T, WorkError> {
        if mem::take(&mut self.doubtful) && (self.machine.is_interrupted() || self.tell_cancel().is_some()) {
            return Err(cut());
        }
        // Work that is ready at once needs no timers, and costs none.
        if let Poll::Ready(result) = poll_fn(|cx| Poll::Ready(work.as_mut().poll(cx))).await {
            if let Err(WorkError::Later { .. }) = result {
                // It may be asked again at once.
                self.give_way().await;
            }
            return result;
        }
        // Boxed, because ready work would else carry the room for the timers around.
        Box::pin(self.stand_by(work)).await
    }

    /// Drives work that is not ready.
    async fn stand_by<T>(
        &mut self,
        mut work: Pin<Box<dyn Future<Output = Result<T, WorkError>> + Send + '_>>,
    ) -> Result<T, WorkError> {
        let mut standing = Standing::Running;
        loop {
            let deadline = self.machine.deadline();
            match self.signals.wake(&mut self.outlet, &standing, deadline, work.as_mut()).await {
                Wake::Done(result) => return result,
                Wake::Cancelled => {
                    if self.tell_cancel().is_some() {
                        standing = self.interrupt();
                    }
                }
                Wake::Reported => match standing {
                    Standing::Running => standing = self.reported(),
                    // Work that reports without a pause gives no timer its turn.
                    Standing::Over(due) if self.signals.clock.now() >= due => standing = self.tell_report(),
                    Standing::Over(_) | Standing::Interrupted(_) => {}
                },
                Wake::Deadline => {
                    if self.tell(Input::DeadlinePassed) {
                        standing = self.interrupt();
                    }
                }
                Wake::Due => match standing {
                    Standing::Interrupted(_) => return Err(cut()),
                    _ => standing = self.tell_report(),
                },
            }
        }
    }

    /// Usage came while the work runs.
    fn reported(&mut self) -> Standing {
        let usage = self.signals.work.usage();
        // The word of a report may outlive it: the work before took it to its end with it.
        if usage.is_unknown() {
            return Standing::Running;
        }
        if self.machine.would_cross(&usage) {
            return Standing::Over(self.signals.clock.now().after(HOLD));
        }
        // While a reader lags, usage adds up in the meter instead of as events in memory; limits are
        // still held against it, here.
        match self.outlet.is_clear() {
            true => self.tell_report(),
            false => Standing::Running,
        }
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
        let action = self.machine.handle(self.signals.clock.now(), input);
        self.take_events();
        // What it spends cannot be recorded any more.
        let action = self.tell_failure().or(action);
        self.take_events();
        self.outlet.try_flush();
        matches!(action, Some(Action::Interrupt { .. }))
    }

    fn interrupt(&mut self) -> Standing {
        self.take_events();
        self.outlet.try_flush();
        self.signals.work.interrupt();
        Standing::Interrupted(self.signals.clock.now().after(self.grace))
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
            // The reader has caught up: usage that was held back for it can be told.
            () = outlet.flush(), if !outlet.is_clear() => Wake::Reported,
            () = self.clock.reach(due), if due.is_some() => Wake::Due,
        }
    }
}

/// The machine records a cut; this error only says that there is no result.
fn cut() -> WorkError {
    WorkError::failed("interrupted")
}
