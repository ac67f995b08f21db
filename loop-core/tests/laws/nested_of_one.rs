//! A loop of one iteration within another loop yields what its iteration yields: the steps, the usage and the ending
//! equal those of the iteration alone.

use std::sync::Arc;

use loop_core::{Loop, WorkError, never};

use crate::{
    resume::{ending, settled},
    scenario::{DrivenRun, Scenario, Within, holds, unlimited},
};

/// Runs each iteration in a loop of its own, and passes on everything that the loop reports.
fn of_one() -> Within {
    Arc::new(|parts, cx| {
        Box::pin(async move {
            let index = cx.iteration();
            let work = loop_core::iteration_fn(move |cx| {
                let parts = parts.clone();
                async move { parts.iterate(index, cx).await }
            });
            let report = Loop::new(work).until(never()).at_most(1).run_within(&cx).await?;
            let Some(step) = report.last_step() else {
                return Err(report.ending().halt().expect("it has no goal").clone().into());
            };
            step.marks().iter().for_each(|mark| cx.mark(&mark.name, mark.hash));
            step.fault().into_iter().for_each(|fault| cx.fault(fault));
            step.output().copied().ok_or_else(|| WorkError::failed(step.failure().expect("no output")))
        })
    })
}

#[test]
fn nested_of_one() {
    holds(unlimited(), |mut scenario: Scenario| {
        scenario.strays.clear();
        let (flat, nested) = (DrivenRun::run(&scenario), DrivenRun::within(&scenario, of_one()));
        assert_eq!(settled(&nested.events), settled(&flat.events));
        assert_eq!(ending(&nested.events), ending(&flat.events));
        let (flat, nested) = (flat.report.expect("a report"), nested.report.expect("a report"));
        assert_eq!(nested.usage(), flat.usage());
        assert_eq!(nested.iterations(), flat.iterations());
        assert_eq!(nested.output(), flat.output());
        assert_eq!(nested.elapsed(), flat.elapsed());
    });
}
