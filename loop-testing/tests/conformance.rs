//! The drivers of this workspace against the conformance kit.

use loop_core::{
    Report,
    conformance::{ScriptedLoop, cases},
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
