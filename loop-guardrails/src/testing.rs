//! What the tests of this crate share.

use std::sync::Arc;

use loop_core::{
    Cost, EvaluationContext, Event, EventKind, IterationContext, Judged, Loop, Notes, Progress, RunTime,
    StopCondition, Usage, Usd, Verdict, WorkError, WorkResult, evaluator_fn, iteration_fn,
};
use proptest::prelude::*;

/// An iteration that came to its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Iterated {
    pub(crate) usage: Usage,
    pub(crate) failed: bool,
}

impl Arbitrary for Iterated {
    type Parameters = ();
    type Strategy = BoxedStrategy<Self>;

    fn arbitrary_with((): ()) -> BoxedStrategy<Self> {
        let cost = (any::<bool>(), 0..4_000_000_u64).prop_map(|(known, micros)| match known {
            true => Cost::known(Usd::micros(micros)),
            false => Cost::estimated(Usd::micros(micros)),
        });
        let tokens = || proptest::option::of(0..1_000_u64);
        (tokens(), tokens(), proptest::option::of(cost), any::<bool>())
            .prop_map(|(input_tokens, output_tokens, cost, failed)| Self {
                usage: Usage { input_tokens, output_tokens, cost, ..Usage::unknown() },
                failed,
            })
            .boxed()
    }
}

/// The progress of a run without an evaluator after these iterations.
pub(crate) fn progress_of(steps: &[Iterated]) -> Progress {
    let mut progress = Progress::default();
    let mut apply = |kind| progress.apply(&Event { at: RunTime::ZERO, kind });
    apply(EventKind::RunStarted { evaluated: false });
    for (iteration, step) in (1..).zip(steps) {
        let result =
            if step.failed { WorkResult::Failed(Arc::from("it broke")) } else { WorkResult::Done(()) };
        let notes = Notes { usage: step.usage, ..Notes::default() };
        apply(EventKind::IterationStarted { iteration, attempt: 1 });
        apply(EventKind::IterationFinished { result, notes });
        apply(EventKind::StepSettled { met: false });
    }
    progress
}

/// Whether a step that was judged so meets the condition, in a loop of one iteration.
pub(crate) fn is_goal(
    condition: impl StopCondition<Judged<()>> + 'static,
    judged: Result<Verdict, &'static str>,
) -> bool {
    let agent = iteration_fn(async |_: IterationContext<()>| Ok(()));
    let evaluator = evaluator_fn(move |_: EvaluationContext<()>| {
        std::future::ready(judged.clone().map_err(WorkError::failed))
    });
    let run = Loop::new(agent).evaluate(evaluator).until(condition).at_most(1).run();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(run).unwrap().is_success()
}
