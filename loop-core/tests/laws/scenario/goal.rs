//! Stop conditions of every kind, for any type of step.

use std::ops::Deref;

use loop_core::{
    Event, EventKind, JudgedStep, Progress, Step, StepRecord, StopCondition, Verdict, WorkResult,
};

/// A stop condition as data.
#[derive(Debug, Clone)]
pub(crate) enum Goal {
    Never,
    Passed,
    After(u64),
    ScoreAtLeast(f64),
    /// This many passing verdicts in total, which it counts itself.
    Passes(u64),
}

/// A stop condition with its state.
#[derive(Debug, Clone)]
pub(crate) struct GoalState {
    goal: Goal,
    passes: u64,
    pub(crate) seen: usize,
}

impl GoalState {
    pub(crate) fn new(goal: &Goal) -> Self {
        Self { goal: goal.clone(), passes: 0, seen: 0 }
    }

    pub(crate) fn restored(goal: &Goal, events: &[Event]) -> Self {
        let mut state = Self::new(goal);
        events.iter().for_each(|event| state.record(event));
        state
    }

    pub(crate) fn record(&mut self, event: &Event) {
        self.seen += 1;
        if let EventKind::EvaluationFinished { result: WorkResult::Done(verdict), .. } = &event.kind {
            self.passes += u64::from(verdict.passed());
        }
    }

    pub(crate) fn holds(&self, step: &StepRecord) -> bool {
        let verdict = step.verdict();
        match self.goal {
            Goal::Never => false,
            Goal::Passed => verdict.is_some_and(Verdict::passed),
            Goal::After(count) => step.iteration() >= count,
            Goal::ScoreAtLeast(least) => verdict.and_then(Verdict::score).is_some_and(|score| score >= least),
            Goal::Passes(count) => self.passes >= count,
        }
    }
}

impl StopCondition<StepRecord> for GoalState {
    fn is_met(&self, step: &StepRecord, _: &Progress) -> bool {
        self.holds(step)
    }
    fn observe(&mut self, event: &Event) {
        self.record(event);
    }
}

impl<O> StopCondition<Step<O>> for GoalState {
    fn is_met(&self, step: &Step<O>, _: &Progress) -> bool {
        self.holds(step)
    }
    fn observe(&mut self, event: &Event) {
        self.record(event);
    }
}

impl<O> StopCondition<JudgedStep<O>> for GoalState {
    fn is_met(&self, step: &JudgedStep<O>, _: &Progress) -> bool {
        self.holds(step.deref())
    }
    fn observe(&mut self, event: &Event) {
        self.record(event);
    }
}
