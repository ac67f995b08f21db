//! An iteration whose effects on the folder are captured.

use async_trait::async_trait;
use loop_core::{Halt, Iteration, IterationContext, IterationError, StopReason, with_causes};
use loop_snapshots::Error;
use loop_telemetry::{
    rows::{CHANGED_MARK, SNAPSHOT_MARK, measured_score},
    words,
};

use super::{Captured, FolderSnapshots, SnapshotError, state};
use crate::{
    context::ExecutionContext,
    plan::{Plan, ScorePlan, SnapshotPlan},
};

/// Captures the folder before the first iteration of another iteration, and after each.
///
/// Marks of the step, [`SNAPSHOT_MARK`] and [`CHANGED_MARK`], record the tree in the run's journal, and how many files
/// changed. The captures run on a thread for
/// blocking work, while nothing else of the run works.
#[derive(Debug)]
pub struct WithSnapshots<I> {
    inner: I,
    run: Option<RunSnapshots>,
}

/// The captures of one run.
#[derive(Debug)]
struct RunSnapshots {
    folder: FolderSnapshots,
    run: String,
    cx: ExecutionContext,
    regression: Option<ScorePlan>,
    /// The iteration with the best score in this process, and that score.
    best: Option<(u64, f64)>,
    /// Whether the person knows that the store exceeds its bound.
    is_over_bound: bool,
}

impl<I> WithSnapshots<I> {
    /// Captures what `inner` does, if the context has a place for snapshots, and the plan does not turn them off.
    pub(crate) fn new(inner: I, plan: &SnapshotPlan, cx: &ExecutionContext) -> Self {
        let run = cx.snapshots(plan).map(|folder| RunSnapshots {
            folder,
            run: cx.supervisor().run().to_owned(),
            cx: cx.clone(),
            regression: None,
            best: None,
            is_over_bound: false,
        });
        Self { inner, run }
    }

    /// Like [`new`](Self::new), for the agent of a plan: returns to the best step after a worse one, if the plan says so.
    pub(crate) fn of_plan(inner: I, plan: &Plan, cx: &ExecutionContext) -> Self {
        let mut with = Self::new(inner, &plan.snapshots, cx);
        if let Some(run) = &mut with.run {
            run.regression = plan.evaluator.score.clone().filter(|_| plan.on_regression);
        }
        with
    }
}

impl RunSnapshots {
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&FolderSnapshots, &str) -> Result<T, SnapshotError> + Send + 'static,
    ) -> Result<T, SnapshotError> {
        self.folder.blocking(&self.run, work).await
    }

    fn turn_off(&self, why: &str) {
        self.cx.take_no_snapshots();
        self.cx.warn(&format!("this run takes no snapshots: {why}"));
    }

    /// Warns that a capture may have mixed two states of a file, and once that the store exceeds its bound.
    fn warn_of(&mut self, captured: Option<Captured>, state: &str) {
        let Some(Captured { unsettled, over_bound, .. }) = captured else { return };
        if unsettled > 0 {
            let files = words::count(unsettled as u64, "file");
            self.cx.warn(&format!("something still changed {files} while loop captured {state}"));
        }
        if let Some(size) = over_bound.filter(|_| !std::mem::replace(&mut self.is_over_bound, true)) {
            self.cx.warn(&format!(
                "the snapshots of this folder take {}, which is more than `snapshots.max_bytes`: raise it, or leave \
                 large files out with `snapshots.max_file`",
                words::bytes(size)
            ));
        }
    }

    /// Captures the state before this iteration, unless an earlier capture is that state.
    async fn before(&mut self, iteration: u64) -> Result<(), Halt> {
        let number = iteration.saturating_sub(1);
        let captured = self.blocking(move |folder, run| match folder.has(run, number)? {
            true => Ok(None),
            false => folder.capture(run, number).map(Some),
        });
        match captured.await {
            Ok(captured) => {
                self.warn_of(captured, &state(number));
                Ok(())
            }
            Err(error) if self.folder.are_required() => {
                // The reason says it all: a summary of changes would only fail in the same way.
                self.cx.take_no_snapshots();
                let why = with_causes(&error);
                let why = format!("the state before iteration {iteration} cannot be captured: {why}");
                Err(Halt::new(StopReason::Failed, why))
            }
            Err(SnapshotError::Store(Error::OverLimit(limit))) => {
                self.turn_off(&format!("the folder is large ({limit}); `snapshots: on` captures it anyway"));
                Ok(())
            }
            Err(error) => {
                self.turn_off(&with_causes(&error));
                Ok(())
            }
        }
    }

    /// Returns the folder to the best step, if the last step has a worse score.
    async fn return_to_best<O>(&mut self, cx: &IterationContext<O>) -> Result<(), Halt> {
        let (Some(plan), Some(last)) = (&self.regression, cx.previous()) else { return Ok(()) };
        let Some(score) = measured_score(last.marks()) else { return Ok(()) };
        let Some((best, best_score)) = self.best.filter(|(_, best)| plan.is_better(*best, score)) else {
            if self.best.is_none_or(|(_, best)| plan.is_better(score, best)) {
                self.best = Some((last.iteration(), score));
            }
            return Ok(());
        };
        let restored = self.blocking(move |folder, run| {
            let plan = folder.plan_restore(run, best, &[])?;
            if plan.is_empty() { Ok(None) } else { plan.carry_out().map(Some) }
        });
        match restored.await {
            Ok(restored) => {
                if restored.is_some() {
                    self.cx.warn(&format!(
                        "the score fell from {best_score} to {score}: the folder has {} again",
                        state(best)
                    ));
                }
                Ok(())
            }
            Err(error) => Err(Halt::new(
                StopReason::Failed,
                format!("the folder cannot return to {}: {}", state(best), with_causes(&error)),
            )),
        }
    }

    /// Captures the state after this iteration.
    async fn after(&mut self, iteration: u64, step: &IterationContext<()>) {
        match self.blocking(move |folder, run| folder.capture(run, iteration)).await {
            Ok(captured) => {
                step.mark(SNAPSHOT_MARK, captured.fingerprint);
                if let Some(changed) = captured.changed {
                    step.mark(CHANGED_MARK, changed);
                }
                self.warn_of(Some(captured), &state(iteration));
            }
            Err(error) => {
                let why = format!(
                    "the state after iteration {iteration} was not captured: {}",
                    with_causes(&error)
                );
                match self.folder.are_required() {
                    true => step.fault(why),
                    false => self.cx.warn(&why),
                }
            }
        }
    }
}

#[async_trait]
impl<I: Iteration> Iteration for WithSnapshots<I> {
    type Output = I::Output;

    async fn run(&mut self, cx: IterationContext<I::Output>) -> Result<I::Output, IterationError> {
        let Some(run) = self.run.as_mut().filter(|run| run.cx.takes_snapshots()) else {
            return self.inner.run(cx).await;
        };
        let (iteration, step) = (cx.iteration(), cx.part());
        run.before(iteration).await?;
        run.return_to_best(&cx).await?;
        let result = self.inner.run(cx).await;
        // Deferred work is done again under the same number.
        if run.cx.takes_snapshots() && !matches!(result, Err(IterationError::Later { .. })) {
            run.after(iteration, &step).await;
        }
        result
    }
}
