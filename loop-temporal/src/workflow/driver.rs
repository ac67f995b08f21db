//! Carries out the actions of the machine.

use std::{pin::pin, sync::Arc, time::Duration};

use futures::FutureExt;
use loop_core::{Action, ActionId, Ending, EventKind, Input, Question, RunTime, Usage};
use temporalio_sdk::{
    ActivityOptions, CancellableFuture, ContinueAsNewOptions, TimerOptions, WaitConditionOptions,
    WorkflowCancellationToken, WorkflowContext, WorkflowResult, workflows::select,
};

use super::{LoopWorkflow, clock::Clock, ended, failure, reserve::Reservation};
use crate::{Carried, Claim, Loops, Outcome, RemoteRun, RunStatus, Steps, Submission};

/// The number of settled steps in the status of a run.
const STEPS_SHOWN: usize = 20;

/// A run in progress.
pub(super) struct Driver<'a> {
    pub(super) cx: &'a WorkflowContext<LoopWorkflow>,
    pub(super) submission: Arc<Submission>,
    loops: Arc<dyn Loops>,
    pub(super) run: Box<dyn RemoteRun>,
    pub(super) clock: Clock,
    /// The worker that has the run.
    pub(super) claim: Option<Claim>,
    /// The number of workers that have had it.
    pub(super) claims: u32,
    /// The machine knows that the workflow was cancelled.
    pub(super) is_cancelled: bool,
    /// The run began with an earlier history.
    is_continued: bool,
    /// A step was performed in this history.
    pub(super) has_worked: bool,
    /// The part of the shared budget that the step in progress may spend.
    pub(super) reservation: Option<Reservation>,
}

/// Why a pause of the workflow is over.
pub(super) enum Woken {
    Signal,
    Cancelled,
    Due,
}

impl<'a> Driver<'a> {
    pub(super) fn new(
        cx: &'a WorkflowContext<LoopWorkflow>,
        mut submission: Submission,
    ) -> WorkflowResult<Self> {
        let loops = cx.state(|state| Arc::clone(&state.loops));
        let run = loops.run(cx.workflow_id(), &submission).map_err(failure)?;
        let clock = Clock::starting_at(run.progress().now(), cx.workflow_time());
        let carried = submission.carried.take();
        let is_continued = carried.as_ref().is_some_and(|carried| carried.resumed.is_none());
        let claim = carried.as_ref().and_then(|carried| carried.claim.clone());
        let claims = carried.as_ref().map_or(0, |carried| carried.claims);
        cx.state_mut(|state| {
            if let Some(Carried { status, answers, .. }) = carried.map(|carried| *carried) {
                // An answer may have come before this.
                state.answers = answers.into_iter().chain(state.answers.drain(..)).collect();
                state.status = RunStatus { ending: None, ..status };
            }
            state.status.name.clone_from(&submission.name);
        });
        let submission = Arc::new(submission);
        let (is_cancelled, has_worked, reservation) = (false, false, None);
        Ok(Self {
            cx,
            submission,
            loops,
            run,
            clock,
            claim,
            claims,
            is_cancelled,
            is_continued,
            has_worked,
            reservation,
        })
    }

    pub(super) fn now(&self) -> RunTime {
        self.clock.at(self.cx.workflow_time())
    }

    /// Drives the run to its end.
    pub(super) async fn drive(mut self) -> WorkflowResult<Outcome> {
        if !self.is_continued {
            self.run.begin(self.now());
        }
        loop {
            self.publish();
            self.run.look(self.now());
            let Some((id, action)) = self.run.outstanding() else {
                return Err(failure("the machine has no action").into());
            };
            match action {
                Action::Iterate { .. } => {
                    self.continue_as_new().await?;
                    if self.reserve(id).await {
                        self.step(id).await?;
                    }
                }
                Action::Evaluate | Action::Interrupt { .. } => self.step(id).await?,
                Action::Settle => {
                    let now = self.now();
                    self.run.settle(now);
                }
                Action::Wait(_) => {
                    self.give_back().await;
                    self.wait(id).await;
                }
                Action::Ask(question) => {
                    self.give_back().await;
                    self.ask(id, &question).await;
                }
                Action::Finish(ending) => {
                    self.leave().await;
                    return self.finish(*ending);
                }
                other => return Err(failure(format!("this worker does not know {other:?}")).into()),
            }
        }
    }

    fn finish(mut self, ending: Ending) -> WorkflowResult<Outcome> {
        self.cx.state_mut(|state| ended(&mut state.status, &ending));
        let status = self.cx.state(|state| state.status.clone());
        let elapsed = self.run.progress().elapsed();
        let resumable = self.submission()?.map(Box::new);
        self.loops.finished(self.cx.workflow_id(), self.run);
        Ok(Outcome { ending, status, elapsed, resumable })
    }

    /// Returns the submission with the state of the run. `None` if a part of the run has no snapshot.
    fn submission(&mut self) -> WorkflowResult<Option<Submission>> {
        let Some(state) = self.run.state().map_err(failure)? else { return Ok(None) };
        let (claim, claims) = (self.claim.clone(), self.claims);
        let (status, answers) = self.cx.state(|state| (state.status.clone(), state.answers.clone()));
        let carried = Carried { state, claim, claims, status, resumed: None, answers };
        Ok(Some(Submission { carried: Some(Box::new(carried)), ..Submission::clone(&self.submission) }))
    }

    /// Begins a new history before this one is too long for the server, with the state of the run as its input. The action
    /// is still outstanding then. Nothing is lost: no step is in progress, and the answers that wait go along.
    async fn continue_as_new(&mut self) -> WorkflowResult<()> {
        let is_long = self.cx.history_length() >= self.submission.longest_history
            || self.cx.continue_as_new_suggested();
        // A cancelled run ends before its next iteration, and its new history would not be cancelled.
        let is_ready = is_long && self.has_worked;
        if !is_ready || self.is_cancelled || self.cx.cancellation_token().is_cancelled() {
            return Ok(());
        }
        self.give_back().await;
        let Some(submission) = self.submission()? else { return Ok(()) };
        match self.cx.continue_as_new(submission, ContinueAsNewOptions::default())? {}
    }

    /// Updates the state that queries read.
    pub(super) fn publish(&mut self) {
        let mut settled = Vec::new();
        for event in self.run.take_events() {
            if let EventKind::StepSettled { .. } = event.kind {
                settled.extend(self.run.progress().last_step().cloned());
            }
        }
        let progress = self.run.progress();
        let (iterations, usage) = (progress.iterations(), *progress.usage());
        let (asked, action) = self.run.outstanding().unzip();
        let queue = self.claim.is_some();
        self.cx.state_mut(|state| {
            let status = &mut state.status;
            (status.iterations, status.usage) = (iterations, usage);
            status.steps.append(&mut settled);
            let more = status.steps.len().saturating_sub(STEPS_SHOWN);
            status.steps.drain(..more);
            (status.question, status.asked) = (None, None);
            let phase = match action {
                Some(Action::Iterate { .. } | Action::Evaluate) if !queue => "a worker",
                Some(Action::Iterate { .. }) => "iterate",
                Some(Action::Evaluate) => "evaluate",
                Some(Action::Wait(_)) => "wait",
                Some(Action::Ask(question)) => {
                    (status.question, status.asked) = (Some(*question), asked);
                    "ask"
                }
                _ => return,
            };
            phase.clone_into(&mut status.phase);
        });
    }

    /// Waits until the machine has something to do, and tells it.
    async fn wait(&mut self, id: ActionId) {
        while self.run.outstanding().is_some_and(|(outstanding, _)| outstanding == id) {
            let due = self.run.wakes_at();
            match self.pause(due).await {
                Woken::Cancelled => self.tell_cancelled(),
                Woken::Signal => self.drop_reports(),
                Woken::Due => {}
            }
            let now = self.now();
            self.run.look(now);
            if due.is_some_and(|due| due <= now) {
                self.run.handle(now, Input::Waited { id });
            }
        }
    }

    /// Waits for a person's answer. Run time stands still.
    async fn ask(&mut self, id: ActionId, question: &Question) {
        if !self.cx.is_replaying() {
            self.loops.asked(self.cx.workflow_id(), id, question, self.run.progress());
        }
        self.clock.stop(self.cx.workflow_time());
        while self.run.outstanding().is_some_and(|(outstanding, _)| outstanding == id) {
            let answer = self.cx.state_mut(|state| state.answers.pop_front());
            let now = self.now();
            match answer {
                Some(given) if given.id.is_none_or(|asked| asked == id) => {
                    self.run.handle(now, Input::Answered { id, answer: given.answer });
                }
                // The answer to an earlier question came twice.
                Some(_) => {}
                None => match self.pause(None).await {
                    Woken::Cancelled => self.tell_cancelled(),
                    Woken::Signal | Woken::Due => self.drop_reports(),
                },
            }
        }
        self.clock.go_on(self.cx.workflow_time());
    }

    /// Waits for a signal, for a cancellation that the machine does not know, or until `due`.
    async fn pause(&mut self, due: Option<RunTime>) -> Woken {
        let timer = WorkflowCancellationToken::new();
        let mut signalled = pin!(signalled(self.cx).fuse());
        let mut cancelled = pin!(cancelled(self.cx, self.is_cancelled).fuse());
        let mut due = pin!(after(self.cx, due.map(|due| due.since(self.now())), &timer).fuse());
        let woken = select! {
            () = signalled => Woken::Signal,
            () = cancelled => Woken::Cancelled,
            () = due => Woken::Due,
        };
        if !matches!(woken, Woken::Due) {
            timer.cancel();
        }
        woken
    }

    /// Drops late reports, and lets the machine notice a request to end.
    fn drop_reports(&mut self) {
        self.reassign();
        self.cx.state_mut(|state| state.reports.clear());
        let now = self.now();
        self.run.report(now, Usage::unknown());
    }

    pub(super) fn tell_cancelled(&mut self) {
        self.is_cancelled = true;
        let now = self.now();
        self.run.handle(now, Input::Cancelled);
    }

    /// Takes the run from its worker, if somebody asked for that. The next step finds another one.
    pub(super) fn reassign(&mut self) -> bool {
        let is_asked = self.cx.state_mut(|state| std::mem::take(&mut state.reassign));
        if is_asked {
            self.claim = None;
            self.cx.state_mut(|state| state.status.worker = None);
        }
        is_asked
    }

    /// Finds a worker for the run, if it has none.
    pub(super) async fn claim(&mut self) -> WorkflowResult<Option<String>> {
        self.reassign();
        if let Some(claim) = &self.claim {
            return Ok(Some(claim.queue.clone()));
        }
        let options = ActivityOptions::with_start_to_close_timeout(Duration::from_secs(60)).build();
        let mut claim = pin!(self.cx.execute_activity(Steps::claim, (), options));
        let mut cancelled = pin!(cancelled(self.cx, self.is_cancelled).fuse());
        let claimed = select! {
            claimed = claim => Some(claimed),
            () = cancelled => None,
        };
        let Some(claimed) = claimed else {
            claim.cancel();
            self.tell_cancelled();
            return Ok(None);
        };
        let claimed = claimed?;
        self.claims += 1;
        self.cx.state_mut(|state| {
            state.reassign = false;
            state.status.worker = Some(claimed.worker.clone());
        });
        let queue = claimed.queue.clone();
        self.claim = Some(claimed);
        self.publish();
        Ok(Some(queue))
    }
}

/// Resolves when a signal waits to be handled.
pub(super) async fn signalled(cx: &WorkflowContext<LoopWorkflow>) {
    holds(cx, |state| !state.reports.is_empty() || !state.answers.is_empty() || state.reassign).await;
}

/// Resolves when this holds, also in a cancelled workflow.
pub(super) async fn holds(cx: &WorkflowContext<LoopWorkflow>, condition: impl FnMut(&LoopWorkflow) -> bool) {
    let token = WorkflowCancellationToken::new();
    let options = WaitConditionOptions::builder().cancellation_token(token).build();
    // The token is never cancelled.
    let _ = cx.wait_condition_with_options(condition, options).await;
}

/// Resolves when the workflow is cancelled, unless that is known already.
pub(super) async fn cancelled(cx: &WorkflowContext<LoopWorkflow>, is_known: bool) {
    match is_known {
        true => std::future::pending().await,
        false => drop(cx.cancelled().await),
    }
}

/// Resolves after this time, and never for `None`.
pub(super) async fn after(
    cx: &WorkflowContext<LoopWorkflow>,
    time: Option<Duration>,
    token: &WorkflowCancellationToken,
) {
    match time {
        Some(time) => {
            let time = time.max(Duration::from_millis(1));
            cx.timer(TimerOptions::builder(time).cancellation_token(token.clone()).build()).await;
        }
        None => std::future::pending().await,
    }
}
