//! Adapts the stop condition to the driver, which knows only outputs.

use std::{marker::PhantomData, sync::Arc};

use crate::{BoxError, Event, LoopStep, Progress, SnapshotError, Step, StopCondition, run::Goal};

/// A condition on the loop's steps, in the form that the driver needs.
pub(super) struct TypedCondition<C, S> {
    condition: C,
    step: PhantomData<fn(S)>,
}

impl<C, S> TypedCondition<C, S> {
    pub(super) const fn new(condition: C) -> Self {
        Self { condition, step: PhantomData }
    }
}

impl<S: LoopStep, C: StopCondition<S>> Goal<S::Output> for TypedCondition<C, S> {
    fn decided_by(&self, step: &Arc<Step<S::Output>>, progress: &Progress) -> Option<Box<str>> {
        S::decided_by(step, &self.condition, progress)
    }
    fn observe(&mut self, event: &Event) {
        self.condition.observe(event);
    }
    fn name(&self) -> String {
        self.condition.name().into_owned()
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        self.condition.snapshot()
    }
    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        self.condition.restore(state)
    }
}
