//! The limits of loops that run at once: each has those of the plan, and they run once, or once more when a person raises
//! the limits.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use loop_core::{
    BoxError, Decision, Event, EventKind, Guardrail, Halt, Progress, SnapshotError, StopReason, WorkResult,
};

use crate::plan::Limits;

/// The limits of each loop, and whether a resumed run has raised them.
#[derive(Debug, Clone)]
pub(super) struct LaneLimits(Arc<Mutex<(Limits, bool)>>);

impl LaneLimits {
    pub(super) fn new(limits: Limits) -> Self {
        Self(Arc::new(Mutex::new((limits, false))))
    }

    pub(super) fn now(&self) -> Limits {
        self.lock().0.clone()
    }

    pub(super) fn are_raised(&self) -> bool {
        self.lock().1
    }

    fn lock(&self) -> MutexGuard<'_, (Limits, bool)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Allows the loops to run once, and once more after each grant. A pass that was cut off is continued in the next iteration.
#[derive(Debug)]
pub(super) struct OnePass {
    plan: Limits,
    lanes: LaneLimits,
    is_done: bool,
}

impl OnePass {
    const NAME: &str = "max_iterations";

    /// `lanes` follows the limits `plan` as a resumed run raises them.
    pub(super) const fn new(plan: Limits, lanes: LaneLimits) -> Self {
        Self { plan, lanes, is_done: false }
    }
}

impl Guardrail for OnePass {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn check(&self, progress: &Progress) -> Decision {
        if self.is_done {
            let why = "the loops have run, and the goal is not met";
            return Decision::Halt(Halt::new(StopReason::MaxIterations, why));
        }
        *self.lanes.lock() = (self.plan.granted(progress), progress.granted().is_some());
        Decision::Continue
    }

    fn observe(&mut self, event: &Event) {
        match &event.kind {
            // A person has looked at a halt before the run is resumed, and the loops have their results.
            EventKind::IterationFinished { result: WorkResult::Halted(_), .. } => {}
            EventKind::IterationFinished { .. } => self.is_done = true,
            EventKind::Granted { .. } => self.is_done = false,
            _ => {}
        }
    }

    fn snapshot(&self) -> Result<String, SnapshotError> {
        Ok(self.is_done.to_string())
    }

    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        self.is_done = state.parse()?;
        Ok(())
    }
}
