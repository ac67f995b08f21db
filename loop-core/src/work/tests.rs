//! The notes that reach a run, and those that come too late.

use super::*;
use crate::{EvaluationContext, IterationContext};

#[test]
fn after_the_end_of_a_step_only_usage_counts() {
    let work = Work::new();
    let cx = IterationContext::<u64>::new(&work, 1);
    let note = || {
        cx.mark("work_tree", 7);
        cx.fault("it hangs");
        cx.meter().add(Usage::unknown().with_tokens(1, 1));
    };
    note();
    let judging = EvaluationContext::new(&work, 1, Arc::new(0_u64));
    let notes = work.take_notes();
    assert_eq!((notes.marks.len(), notes.fault.is_some(), notes.usage.tokens()), (1, true, Some(2)));
    drop(judging);
    note();
    let next = IterationContext::<u64>::new(&work, 2);
    assert_eq!(work.take_notes(), Notes::default().with_usage(Usage::unknown().with_tokens(1, 1)));
    drop(next);
}
