//! The drivers of this workspace against the conformance kit.

use std::{
    collections::BTreeSet,
    task::{Context, Waker},
};

use loop_core::{
    Iteration, Report, RunTime,
    conformance::{Case, ScriptedLoop, cases},
};

#[path = "../../loop-core/examples/simulation.rs"]
#[expect(dead_code, reason = "its loops are an example")]
mod simulation;
use simulation::{
    VirtualClock,
    own_driver::{ThreadClock, drive},
};

type Driven = Result<Report<u64>, loop_core::BoxError>;

#[track_caller]
fn conforms(driver: impl Fn(ScriptedLoop) -> Driven) {
    let deviations: Vec<String> =
        cases().iter().filter_map(|case| case.check(&driver).err()).map(|it| it.to_string()).collect();
    assert!(deviations.is_empty(), "{}", deviations.join("\n\n"));
}

#[test]
fn the_tokio_driver_conforms() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    conforms(|run| Ok(runtime.block_on(run.run())?));
}

#[test]
fn the_thread_driver_conforms() {
    conforms(|run| drive(run.into_parts()?, &ThreadClock::new()));
}

#[test]
fn the_simulated_driver_conforms() {
    conforms(|run| drive(run.into_parts()?, &VirtualClock::new()));
}

/// A driver that never tells the machine of a cancellation, or of usage, would not notice that it fails.
#[test]
fn a_driver_that_does_something_else_is_found() {
    let case = cases().into_iter().next().expect("a case");
    let wrong = case.check(|run: ScriptedLoop| {
        let token = loop_core::CancellationToken::new();
        token.cancel();
        drive(run.cancel_on(token).into_parts()?, &VirtualClock::new())
    });
    let message = wrong.expect_err("it cancels the run").to_string();
    assert_eq!(case.name(), "ready work meets the goal");
    assert!(message.starts_with(&format!("the driver fails the case \"{}\"\n", case.name())), "{message}");
    assert!(
        message.contains("expected:\nstep 1: done, verdict fail") && message.contains("found:\ncancelled"),
        "{message}"
    );
    let failed = case.check(|_| Err("no driver".into())).expect_err("it fails");
    assert!(failed.to_string().contains("the driver failed: no driver"));
}

fn case(name: &str) -> Case {
    cases().into_iter().find(|case| case.name() == name).expect("a case with this name")
}

/// A kit that lost its cases would accept every driver.
#[test]
fn each_case_has_its_own_name() {
    let names: BTreeSet<_> = cases().iter().map(Case::name).collect();
    assert_eq!((names.len(), cases().len()), (20, 20));
}

/// Otherwise the kit would accept a driver that polls work only once.
#[test]
fn scripted_work_is_not_always_ready() {
    let found = case("usage during work belongs to its step").check(|run| {
        let mut parts = run.into_parts()?;
        parts.run.begin(RunTime::ZERO);
        let mut work = parts.iteration.run(parts.run.iteration_context(1, 1));
        assert!(work.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        Err("it polled once".into())
    });
    assert!(found.expect_err("the driver gave up").to_string().ends_with("it polled once"));
}

#[test]
fn the_limit_of_a_script_has_a_name() {
    let name = "a report over the limit interrupts the work, and what it reports then still counts";
    let found = case(name).check(|run| {
        let report = drive(run.into_parts()?, &VirtualClock::new())?;
        assert_eq!(report.ending().guardrail(), Some("token_limit"));
        Ok(report)
    });
    found.expect("the simulated driver conforms");
}
