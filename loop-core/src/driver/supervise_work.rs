//! Supervises running work, which reports, deadlines and cancellations can cut.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::Poll,
};

use tokio::task::unconstrained;

use super::{RunState, yield_to_runtime};
use crate::{Input, Run, RunTime, WorkError};

/// The future of an iteration or an evaluation.
type WorkFuture<'w, T> = Pin<Box<dyn Future<Output = Result<T, WorkError>> + Send + 'w>>;

/// The state of the work.
enum WorkState {
    Running,
    /// It reported more usage than its limits allow. The driver interrupts it at this time.
    OverLimit(RunTime),
    /// The driver interrupted it, and drops it at this time.
    Interrupted(RunTime),
}

/// The next thing to react to.
enum WakeEvent<T> {
    Done(T),
    Cancelled,
    Reported,
    /// The reader took its events, or a sync of the journal ended.
    Advanced,
    Deadline,
    /// The time in [`WorkState`] has come.
    Due,
}

impl<O> RunState<O> {
    /// Drives work that was not done with an output in its first poll, until it ends or is cut. When this returns, the
    /// work has either ended by itself or been dropped.
    // Apart from the first poll, so that the future of ready work carries neither timers nor the space for them.
    pub(super) async fn supervise_work<T>(
        &mut self,
        work: WorkFuture<'_, T>,
        first: Poll<Result<T, WorkError>>,
    ) -> Result<T, WorkError> {
        let Poll::Ready(result) = first else { return self.supervise_pending(work).await };
        drop(work);
        // The machine may retry it at once, without any other point at which to yield.
        if matches!(result, Err(WorkError::Later { .. })) && self.is_turn_over() {
            yield_to_runtime().await;
        }
        result
    }

    /// Drives work that is not ready.
    async fn supervise_pending<T>(&mut self, mut work: WorkFuture<'_, T>) -> Result<T, WorkError> {
        let mut state = WorkState::Running;
        loop {
            let deadline = self.run.machine.deadline();
            match self.wake(&state, deadline, work.as_mut()).await {
                WakeEvent::Done(result) => return result,
                WakeEvent::Cancelled => {
                    self.run.tell_end(self.clock.now());
                    state = self.interrupt();
                }
                WakeEvent::Reported => match state {
                    WorkState::Running => state = self.reported(),
                    // The work continued after the report that crossed the limit.
                    WorkState::OverLimit(_) => state = self.tell_report(),
                    WorkState::Interrupted(_) => {}
                },
                WakeEvent::Deadline => {
                    if self.tell(Input::DeadlinePassed) {
                        state = self.interrupt();
                    }
                }
                WakeEvent::Advanced => {
                    if self.look_at_journal() {
                        state = self.interrupt();
                    }
                }
                WakeEvent::Due => match state {
                    WorkState::Interrupted(_) => return Err(cut()),
                    _ => state = self.tell_report(),
                },
            }
        }
    }

    /// Handles usage that the work reported while running. A report that crosses a limit waits for a moment: see
    /// [`Loop::overrun`](crate::Loop::overrun).
    fn reported(&mut self) -> WorkState {
        let usage = self.run.work.usage();
        // The notification may be stale: the end of the previous work may have taken its report already.
        if usage.is_unknown() {
            return WorkState::Running;
        }
        if self.run.machine.would_cross(&usage) {
            return WorkState::OverLimit(self.clock.in_pauses_after(self.grace_periods.overrun));
        }
        self.tell_report()
    }

    /// Passes the metered usage to the machine. This may cut the work although `would_cross` did not foresee it: the
    /// deadline may have come at the same time, and a guardrail may count something else.
    fn tell_report(&mut self) -> WorkState {
        let usage = self.run.work.take_usage();
        match self.tell(Input::Reported { usage }) {
            true => self.interrupt(),
            false => WorkState::Running,
        }
    }

    /// Passes an input to the machine while work runs. Returns true if the driver has to interrupt the work now.
    fn tell(&mut self, input: Input) -> bool {
        let was_interrupted = self.progress().is_interrupted();
        self.run.machine.fact_from_outside(self.clock.now(), input);
        self.take_events();
        let journal_failed = self.look_at_journal();
        journal_failed || (self.progress().is_interrupted() && !was_interrupted)
    }

    /// Tells the machine if the journal failed, because it cannot record further spending. Returns true if the driver
    /// has to interrupt the work now.
    fn look_at_journal(&mut self) -> bool {
        let was_interrupted = self.progress().is_interrupted();
        self.tell_failure();
        self.take_events();
        self.progress().is_interrupted() && !was_interrupted
    }

    fn interrupt(&mut self) -> WorkState {
        self.take_events();
        self.run.work.interrupt();
        WorkState::Interrupted(self.clock.in_pauses_after(self.grace_periods.grace))
    }
}

impl<O> RunState<O> {
    /// Waits for the next thing to react to. The end of the work goes first, so that finished work is not cut.
    async fn wake<T>(
        &mut self,
        state: &WorkState,
        deadline: Option<RunTime>,
        work: impl Future<Output = T>,
    ) -> WakeEvent<T> {
        let Self { run: Run { end, work: reports, .. }, clock, event_sink, .. } = self;
        let (due, interrupted) = match state {
            WorkState::Running => (None, false),
            WorkState::OverLimit(at) => (Some(*at), false),
            WorkState::Interrupted(at) => (Some(*at), true),
        };
        let deadline = deadline.filter(|_| !interrupted);
        tokio::select! {
            biased;
            result = work => WakeEvent::Done(result),
            // Like the clock, this ignores the task's budget, which the work may have used up.
            () = unconstrained(end.requested()), if !interrupted => WakeEvent::Cancelled,
            () = reports.reported(), if !interrupted => WakeEvent::Reported,
            () = clock.reach(deadline), if deadline.is_some() => WakeEvent::Deadline,
            () = unconstrained(event_sink.advance()), if event_sink.has_pending() => WakeEvent::Advanced,
            () = clock.reach_in_pauses(due), if due.is_some() => WakeEvent::Due,
        }
    }
}

/// Polls work once.
pub(super) fn poll_once<'a, T>(
    work: &'a mut WorkFuture<'_, T>,
) -> impl Future<Output = Poll<Result<T, WorkError>>> + Send + 'a {
    poll_fn(|cx| Poll::Ready(work.as_mut().poll(cx)))
}

/// The machine records the cut. This error only means that there is no result.
pub(super) fn cut() -> WorkError {
    WorkError::failed("interrupted")
}
