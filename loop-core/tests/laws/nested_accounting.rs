//! The usage of a loop equals the sum of the usage of all loops within it, at any depth, whatever is cut.

use std::sync::Arc;

use loop_core::{Loop, WorkError, never};
use proptest::prelude::*;

use crate::{
    accounting::{adds_up_and_never_falls, sum},
    scenario::{DrivenRun, Scenario, Within, holds, settings, unlimited},
};

/// Runs each iteration as a loop of `tries` iterations, in `depth` loops of one iteration.
fn loops(depth: u64, tries: u64) -> Within {
    Arc::new(move |parts, cx| {
        Box::pin(async move {
            let index = cx.iteration();
            if depth == 0 {
                let work = loop_core::iteration_fn(move |cx: loop_core::IterationContext<u64>| {
                    let (parts, index) = (parts.clone(), index * tries + cx.iteration() - 1);
                    async move { parts.iterate(index, cx).await }
                });
                let run = Loop::new(work).until(never()).at_most(tries).run_within(&cx).await?;
                return run
                    .last_output()
                    .copied()
                    .map(|_| index * 10)
                    .ok_or_else(|| WorkError::failed("none"));
            }
            let within = loops(depth - 1, tries);
            let work = loop_core::iteration_fn(move |cx| within(parts.clone(), cx));
            let run = Loop::new(work).until(never()).at_most(1).run_within(&cx).await?;
            run.last_output().map(|_| index * 10).ok_or_else(|| WorkError::failed("none"))
        })
    })
}

fn shapes() -> impl Strategy<Value = (u64, u64)> {
    (0..3_u64, 1..4_u64)
}

fn equals_the_sum(mut scenario: Scenario, (depth, tries): (u64, u64)) {
    scenario.strays.clear();
    let live = DrivenRun::within(&scenario, loops(depth, tries));
    assert_eq!(*live.report.expect("a report").usage(), sum(&live.reported));
    adds_up_and_never_falls(&live.events);
}

#[test]
fn nested_accounting() {
    holds(settings(shapes()), |(scenario, shape)| equals_the_sum(scenario, shape));
}

#[test]
fn nested_accounting_without_limits() {
    holds((unlimited(), shapes()), |(scenario, shape)| equals_the_sum(scenario, shape));
}
