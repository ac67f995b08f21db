//! Rules for the states of a run. A stored state that breaks them is damaged, and no run can continue from it.

use super::{Phase, Progress, history::MAX_SEQUENCE};
use crate::{StepRecord, event::Stage};

/// The highest valid count of one iteration's attempts. A greater one is damage, and leaves no room to count on.
const MAX_COUNT: u32 = u32::MAX / 2;

impl Progress {
    /// Returns why no run can be in this state, or `None` if one can.
    pub(crate) fn inconsistency(&self) -> Option<&'static str> {
        let next = &self.next;
        let is_working = matches!(self.phase, Phase::Working(_));
        let rules = [
            (self.phase != Phase::New || *self == Self::default(), "a new run has no past"),
            (self.iterations <= self.sequence && self.sequence <= MAX_SEQUENCE, "a number is too high"),
            (
                self.unpriced.max(self.uncounted) <= self.iterations,
                "it counts more iterations than there were",
            ),
            (
                self.failures <= self.iterations.saturating_add(1),
                "it counts more failures than there were steps",
            ),
            (
                next.deaths.max(next.deferrals).max(next.evaluations) <= MAX_COUNT,
                "it counts too many attempts",
            ),
            ((self.phase == Phase::Ended) == self.ending.is_some(), "only a run that is over has an ending"),
            (
                !self.interrupted || (is_working && self.due.is_some()),
                "only work with a cause is interrupted",
            ),
            (self.phase != Phase::Asking || next.asked.is_some(), "no question is open"),
            (self.has_fitting_step(), "its step does not belong to what comes next"),
        ];
        rules.into_iter().find_map(|(holds, why)| (!holds).then_some(why))
    }

    /// Returns whether the current step is one that the phase needs, or allows.
    fn has_fitting_step(&self) -> bool {
        let is_of = |step: &StepRecord, iteration| step.iteration == iteration;
        let step = self.current.as_ref();
        let is_next = step.is_some_and(|step| is_of(step, self.iterations.saturating_add(1)));
        let is_finished = step.is_some_and(|step| is_of(step, self.iterations));
        let is_judged = is_finished && self.evaluated && step.is_some_and(|step| step.produced);
        match self.phase {
            Phase::New => true,
            Phase::Before(Stage::Evaluation)
            | Phase::Waiting(Stage::Evaluation)
            | Phase::Working(Stage::Evaluation) => is_judged,
            Phase::Settling => is_finished,
            Phase::Working(Stage::Iteration) => is_next,
            Phase::Before(Stage::Iteration) | Phase::Waiting(Stage::Iteration) | Phase::Asking => {
                step.is_none() || is_next
            }
            Phase::Ended => step.is_none() || is_next || is_judged,
        }
    }
}
