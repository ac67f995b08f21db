//! Takes a loop apart, for a driver.

use super::{BuildError, IsBounded, Loop, LoopStep, error::check_restored};
use crate::{
    Iteration, Machine, Parts, Run, SharedBudget, Snapshot, SnapshotError,
    end_signals::EndSignals,
    run::Goal,
    shared_budget::Shares,
    snapshot::PartState,
    work::{Outer, OuterLimits, Work},
};

impl<I, S, B> Loop<I, S, B>
where
    I: Iteration,
    S: LoopStep<Output = I::Output>,
{
    /// Takes the loop apart, for a driver of your own. [`Run`] describes what a driver does.
    ///
    /// This driver only knows work that is ready at once:
    ///
    /// ```
    /// use std::{future::Future, pin::pin, task::{Context, Poll, Waker}};
    /// use loop_core::{
    ///     Action, Iteration, IterationContext, Loop, Parts, RunTime, Step, condition_fn, iteration_fn,
    /// };
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    /// let third = condition_fn(|step: &Step<u64>, _| step.output() == Some(&3));
    /// let Parts { mut run, mut iteration, .. } = Loop::new(agent).until(third).at_most(9).into_parts()?;
    /// let now = RunTime::ZERO;
    /// let mut action = run.begin(now);
    /// while let Some((id, outstanding)) = run.outstanding() {
    ///     action = match outstanding {
    ///         Action::Iterate { iteration: index, attempt } => {
    ///             let work = pin!(iteration.run(run.iteration_context(index, attempt)));
    ///             let Poll::Ready(result) = work.poll(&mut Context::from_waker(Waker::noop())) else {
    ///                 return Err("the work is not ready".into());
    ///             };
    ///             let notes = run.work().take_notes();
    ///             run.iterated(now, id, result.into(), notes)?
    ///         }
    ///         Action::Settle => run.settle(now),
    ///         Action::Finish(_) => break,
    ///         other => return Err(format!("unexpected: {other:?}").into()),
    ///     };
    /// }
    /// assert!(matches!(action, Some(Action::Finish(_))));
    /// let report = run.into_report().ok_or("not over")?;
    /// assert_eq!((report.is_success(), report.iterations()), (true, 3));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A [`BuildError`] before anything has run.
    pub fn into_parts(self) -> Result<Parts<I>, BuildError>
    where
        B: IsBounded,
    {
        if self.budgets.iter().any(SharedBudget::has_time_limit) {
            return Err(BuildError::SharedTime);
        }
        self.parts(None)
    }

    /// Refuses a loop that could not run, whatever its history is.
    fn check_composition(&self, outer: Option<&Outer>) -> Result<(), BuildError> {
        if outer.is_some_and(|outer| !outer.has_room()) {
            return Err(BuildError::TooDeep);
        }
        if self.zero_bound {
            return Err(BuildError::ZeroBound);
        }
        if self.guardrails.iter().any(|guardrail| guardrail.name() == OuterLimits::NAME) {
            return Err(BuildError::ReservedName);
        }
        match self.goal_is_blind {
            true => Err(BuildError::GoalBeforeEvaluator),
            false => Ok(()),
        }
    }

    pub(super) fn parts(mut self, outer: Option<&Outer>) -> Result<Parts<I>, BuildError> {
        self.check_composition(outer)?;
        let mut goal = self.goal.ok_or(BuildError::NoGoal)?;
        let evaluated = self.evaluator.is_some();
        let guardrails = self.bounds.into_iter().chain(self.guardrails).collect();
        let mut machine = Machine::new(guardrails, self.pace, evaluated);
        if let Some(grant) = self.history.grant.take() {
            machine.grant(grant);
        }
        let mut initial = self.initial;
        if initial.is_some() {
            machine.evaluate_first();
        }
        if let Some(snapshot) = self.history.take_snapshot() {
            let Snapshot { progress, condition, .. } = &snapshot;
            let step = progress.current_step().or(progress.last_step());
            initial = initial.filter(|_| step.is_none_or(|step| step.iteration() == 0));
            restore_goal(&mut *goal, condition.as_ref())?;
            machine.restore_snapshot(snapshot)?;
        }
        let mut restored = Ok(());
        let (journal, output) = self.history.restore(|event| {
            if event.kind.replaces_initial_output() {
                initial = None;
            }
            if restored.is_ok() {
                restored = machine.restore([event]);
                goal.observe(event);
            }
        })?;
        restored?;
        let output = output.or(initial);
        check_restored(machine.progress(), evaluated, output.is_some())?;
        if let Some(outer) = outer {
            machine.guard(Box::new(OuterLimits::new(outer.left, machine.progress())));
            self.cancel = self.cancel.child_of_both(outer.handle.interrupt_token());
        }
        let outer = outer.map(|outer| &outer.handle);
        let mut shares = Shares::new(self.budgets, outer);
        shares.join(machine.progress());
        let work = Work::of_run(self.suspended_time.clone(), shares.own.clone(), outer);
        Ok(Parts {
            run: Run::new(
                machine,
                goal,
                self.observers,
                (EndSignals::new(self.cancel, self.halts, shares), work, self.grace, self.overrun),
                output,
            ),
            iteration: self.iteration,
            evaluator: self.evaluator,
            ask: self.ask,
            journal,
            grace: self.grace,
            overrun: self.overrun,
            suspended_time: self.suspended_time,
        })
    }
}

/// Restores the state of the condition. A snapshot of a machine alone has none.
fn restore_goal<O>(goal: &mut dyn Goal<O>, state: Option<&PartState>) -> Result<(), SnapshotError> {
    let name = goal.name();
    let state = match state {
        Some(state) => {
            PartState::check(std::slice::from_ref(state), std::iter::once(name.as_str()))?;
            state.state.as_str()
        }
        None if goal.snapshot()?.is_empty() => "",
        None => return Err(SnapshotError::missing(name)),
    };
    goal.restore(state).map_err(|error| SnapshotError::unreadable(name, &error))
}
