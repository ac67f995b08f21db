//! The stop condition on its way from the types to the driver, which knows only outputs.

use std::{marker::PhantomData, sync::Arc};

use crate::{Event, LoopStep, Progress, Step, StopCondition, driver::Goal};

/// A condition on the loop's steps, as the driver knows it.
pub(super) struct Condition<C, S> {
    condition: C,
    step: PhantomData<fn(S)>,
}

impl<C, S> Condition<C, S> {
    pub(super) const fn new(condition: C) -> Self {
        Self { condition, step: PhantomData }
    }
}

impl<S: LoopStep, C: StopCondition<S>> Goal<S::Output> for Condition<C, S> {
    fn decided_by(&self, step: &Arc<Step<S::Output>>, progress: &Progress) -> Option<Box<str>> {
        S::decided_by(step, &self.condition, progress)
    }
    fn observe(&mut self, event: &Event) {
        self.condition.observe(event);
    }
}
