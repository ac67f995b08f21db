//! Helpers for the tests of this crate.

use std::sync::Arc;

use loop_core::{
    Cost, Event, EventKind, JudgedStep, Notes, Progress, RunTime, Step, StepRecord, StopCondition, Usage,
    Usd, Verdict, WorkResult,
};
use proptest::prelude::*;

/// A finished iteration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FinishedIteration {
    pub(crate) usage: Usage,
    pub(crate) failed: bool,
}

impl Arbitrary for FinishedIteration {
    type Parameters = ();
    type Strategy = BoxedStrategy<Self>;

    fn arbitrary_with((): ()) -> BoxedStrategy<Self> {
        let cost = (any::<bool>(), 0..4_000_000_u64).prop_map(|(known, micros)| match known {
            true => Cost::known(Usd::micros(micros)),
            false => Cost::estimated(Usd::micros(micros)),
        });
        let tokens = || proptest::option::of(0..1_000_u64);
        (tokens(), tokens(), proptest::option::of(cost), any::<bool>())
            .prop_map(|(input, output, cost, failed)| {
                let mut usage = Usage::unknown();
                (usage.input_tokens, usage.output_tokens, usage.cost) = (input, output, cost);
                Self { usage, failed }
            })
            .boxed()
    }
}

/// Builds the progress of a run without an evaluator after these iterations.
pub(crate) fn progress_of(steps: &[FinishedIteration]) -> Progress {
    let mut progress = Progress::default();
    let mut apply = |kind| progress.apply(&Event::new(RunTime::ZERO, kind)).expect("it follows");
    apply(EventKind::RunStarted { evaluated: false, evaluates_first: false });
    for (iteration, step) in (1..).zip(steps) {
        let result =
            if step.failed { WorkResult::Failed(Arc::from("it broke")) } else { WorkResult::Done(()) };
        let notes = Notes::default().with_usage(step.usage).boxed();
        apply(EventKind::IterationStarted { iteration, attempt: 1 });
        apply(EventKind::IterationFinished { result, notes });
        apply(EventKind::StepSettled { met: false, by: None });
    }
    progress
}

/// Returns whether a step with this verdict, or without one, meets the condition.
pub(crate) fn is_goal(condition: &impl StopCondition<JudgedStep<()>>, verdict: Option<Verdict>) -> bool {
    let record = StepRecord::new(1);
    let record = match verdict {
        Some(verdict) => record.with_verdict(verdict),
        None => record.with_failure("no verdict"),
    };
    condition.is_met(&JudgedStep::new(Step::new(record, Some(Arc::new(())))), &Progress::default())
}
