//! Has a worker perform a step.

use std::{pin::pin, sync::Arc, time::Duration};

use futures::FutureExt;
use loop_core::{ActionId, Input, Notes, Usage, WorkResult};
use temporalio_common::RetryPolicy;
use temporalio_sdk::{
    ActivityCancellationType, ActivityOptions, WorkflowCancellationToken, WorkflowResult,
    error::ActivityExecutionError, workflows::select,
};

use super::{
    driver::{Driver, Woken, after, cancelled, signalled},
    failure,
};
use crate::{Cut, StepAnswer, StepRequest, Steps, UsageReport};

/// The time without a heartbeat after which a worker counts as dead.
const DEAD_AFTER: Duration = Duration::from_secs(10);

/// The longest step. The limits of the run end it long before.
const LONGEST_STEP: Duration = Duration::from_secs(60 * 60 * 24 * 30);

impl Driver<'_> {
    /// Has the outstanding step performed, and passes its result to the machine.
    pub(super) async fn step(&mut self, id: ActionId) -> WorkflowResult<()> {
        self.has_worked = true;
        let queue = self.claim().await?;
        let Some(queue) = queue.filter(|_| !self.run.progress().is_interrupted()) else {
            return self.answer(id, interrupted());
        };
        let work = self.run.work().map_err(failure)?;
        let Some(work) = work else { return Err(failure("no step is outstanding").into()) };
        let work = self.within_reservation(work);
        let run = self.cx.workflow_id().to_owned();
        let request =
            StepRequest { run, id, claim: self.claims, submission: Arc::clone(&self.submission), work };
        let mut last_report = 0;
        let performed = self.perform(id, request, queue, &mut last_report).await;
        let late = self.new_usage(id, &mut last_report);
        match performed {
            Ok(mut answer) => {
                self.cx.state_mut(|state| {
                    state.status.trouble = None;
                    state.status.branch = answer.branch.take().or(state.status.branch.take());
                });
                // Of finished work, usage is no separate report: that could cut it after its end.
                answer.notes.usage += late + new_in(&answer.reports, &mut last_report);
                self.name_cut(&mut answer);
                if answer.cut != Some(Cut::Cancelled) || self.run.progress().is_interrupted() {
                    return self.answer(id, answer);
                }
                // The worker ended the step although the machine did not ask for that: it shuts down, or could not reach
                // the server.
                self.report(answer.notes.usage);
                self.lost(id)
            }
            Err(ActivityExecutionError::Serialization(error)) => Err(failure(error.to_string()).into()),
            Err(error) => {
                let trouble = innermost(&error);
                self.cx.state_mut(|state| state.status.trouble = Some(trouble));
                self.report(late);
                self.lost(id)
            }
        }
    }

    fn answer(&mut self, id: ActionId, answer: StepAnswer) -> WorkflowResult<()> {
        let now = self.now();
        Ok(self.run.answer(now, id, answer).map_err(failure)?)
    }

    /// The worker is gone. The step runs again as the next attempt, unless the run has to end anyway.
    fn lost(&mut self, id: ActionId) -> WorkflowResult<()> {
        // Another worker may be there.
        if self.run.progress().is_interrupted() {
            return self.answer(id, interrupted());
        }
        let now = self.now();
        self.run.handle(now, Input::Resumed);
        Ok(())
    }

    /// Waits for the end of the activity. Meanwhile it passes to the machine what happens.
    async fn perform(
        &mut self,
        id: ActionId,
        request: StepRequest,
        queue: String,
        last_report: &mut u64,
    ) -> Result<StepAnswer, ActivityExecutionError> {
        let (cx, interrupt) = (self.cx, WorkflowCancellationToken::new());
        let timer = WorkflowCancellationToken::new();
        let mut activity = pin!(cx.execute_activity(Steps::step, request, options(queue, &interrupt)));
        // One timer for the whole step: each is two events in the history.
        let left = self.run.wakes_at().map(|due| due.since(self.now()));
        let mut deadline = pin!(after(cx, left, &timer).fuse());
        let result = loop {
            let woken = {
                let mut signalled = pin!(signalled(cx).fuse());
                let mut cancelled = pin!(cancelled(cx, self.is_cancelled).fuse());
                select! {
                    result = activity => break result,
                    () = signalled => Woken::Signal,
                    () = cancelled => Woken::Cancelled,
                    () = deadline => Woken::Due,
                }
            };
            match woken {
                Woken::Signal => {
                    // The host may be lost. If it is not, its agent ends before another host gets the run.
                    if self.reassign() {
                        interrupt.cancel();
                    }
                    let usage = self.new_usage(id, last_report);
                    self.report(usage);
                }
                Woken::Cancelled => self.tell_cancelled(),
                Woken::Due => {}
            }
            let now = self.now();
            self.run.look(now);
            if self.run.progress().is_interrupted() {
                interrupt.cancel();
            }
        };
        timer.cancel();
        result
    }

    /// Takes the usage of the step out of new signals.
    fn new_usage(&mut self, id: ActionId, last: &mut u64) -> Usage {
        let signals: Vec<_> = self.cx.state_mut(|state| {
            // An answer that nobody asked for must not wake this step again and again.
            state.answers.clear();
            state.reports.drain(..).collect()
        });
        let of_step = signals.into_iter().filter(|signal| signal.id == id);
        of_step.fold(Usage::unknown(), |usage, signal| usage + new_in(&signal.reports, last))
    }

    /// Tells the machine of usage. Even without any, this lets it notice a request to end.
    fn report(&mut self, usage: Usage) {
        let now = self.now();
        self.run.report(now, usage);
    }
}

/// Returns the usage in reports after the `last` one.
fn new_in(reports: &[UsageReport], last: &mut u64) -> Usage {
    let mut usage = Usage::unknown();
    for report in reports {
        if report.number > *last {
            usage += report.usage;
            *last = report.number;
        }
    }
    usage
}

/// Returns the cause that a person can do something about.
fn innermost(error: &ActivityExecutionError) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(cause) = innermost.source() {
        innermost = cause;
    }
    innermost.to_string()
}

/// The result of a step that no worker performed to its end.
fn interrupted() -> StepAnswer {
    StepAnswer {
        result: WorkResult::Failed("interrupted".into()),
        notes: Notes::default(),
        reports: Vec::new(),
        cut: Some(Cut::Cancelled),
        branch: None,
    }
}

fn options(queue: String, interrupt: &WorkflowCancellationToken) -> ActivityOptions {
    ActivityOptions::with_start_to_close_timeout(LONGEST_STEP)
        .heartbeat_timeout(DEAD_AFTER)
        .task_queue(queue)
        // The step is over when the last process of the agent is gone.
        .cancellation_type(ActivityCancellationType::WaitCancellationCompleted)
        .cancellation_token(interrupt.clone())
        // The machine counts attempts.
        .retry_policy(RetryPolicy::builder().maximum_attempts(1).build())
        .build()
}
