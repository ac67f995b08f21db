//! The drivers of this workspace against the conformance kit.

use std::{
    collections::BTreeSet,
    future::{Future, pending},
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
    time::Duration,
};

use loop_core::{
    Action, Input, Iteration, IterationContext, Notes, Report, Run, RunTime, Usage, WorkError,
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
    assert_eq!((names.len(), cases().len()), (34, 34));
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

/// A mistake of a driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mistake {
    None,
    LosesFaults,
    LosesMarks,
    LosesUsage,
    LosesCuts,
    GivesNoGraceTime,
    GivesABareContext,
    GivesAWrongAttempt,
    GivesNoGuidance,
    NeverTakesEvents,
    NeverWaits,
    SkipsShortWaits,
    NeverInterruptsChecks,
}

impl Mistake {
    const ALL: [Self; 12] = [
        Self::LosesFaults,
        Self::LosesMarks,
        Self::LosesUsage,
        Self::LosesCuts,
        Self::GivesNoGraceTime,
        Self::GivesABareContext,
        Self::GivesAWrongAttempt,
        Self::GivesNoGuidance,
        Self::NeverTakesEvents,
        Self::NeverWaits,
        Self::SkipsShortWaits,
        Self::NeverInterruptsChecks,
    ];

    fn context(self, run: &Run<u64>, index: u64, attempt: u32) -> IterationContext<u64> {
        match self {
            Self::GivesABareContext => IterationContext::new(run.work(), index),
            Self::GivesAWrongAttempt => run.iteration_context(index, 1),
            Self::GivesNoGuidance => run.iteration_context(index, attempt).with_guidance(None),
            _ => run.iteration_context(index, attempt),
        }
    }

    fn notes(self, run: &Run<u64>) -> Notes {
        let mut notes = run.work().take_notes();
        match self {
            Self::LosesFaults => notes.fault = None,
            Self::LosesMarks => notes.marks.clear(),
            Self::LosesUsage => notes.usage = Usage::unknown(),
            Self::LosesCuts => notes.cut_work = None,
            _ => {}
        }
        notes
    }
}

/// A driver without a clock: time passes as far as the run waits.
struct FaultyDriver {
    now: Duration,
    mistake: Mistake,
}

impl FaultyDriver {
    fn now(&self) -> RunTime {
        RunTime::ZERO.after(self.now)
    }

    /// Polls the work until it is ready, or until the run goes on without it.
    fn poll<T>(
        &mut self,
        run: &mut Run<u64>,
        mut work: Pin<&mut (impl Future<Output = T> + ?Sized)>,
    ) -> Option<T> {
        loop {
            for _ in 0..4 {
                let mut cx = Context::from_waker(Waker::noop());
                if let Poll::Ready(result) = run.poll(self.now(), &mut cx, work.as_mut()) {
                    return result;
                }
                if self.mistake == Mistake::GivesNoGraceTime && run.progress().is_interrupted() {
                    return None;
                }
            }
            self.now += run.wakes_at()?.since(self.now());
        }
    }

    /// Polls work, and interrupts it only at the deadline.
    fn poll_until_deadline<T>(
        &mut self,
        run: &mut Run<u64>,
        mut work: Pin<&mut (impl Future<Output = T> + ?Sized)>,
    ) -> Option<T> {
        for _ in 0..4 {
            let polled = work.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            if let Poll::Ready(result) = polled {
                return Some(result);
            }
        }
        self.now += Duration::from_secs(20);
        run.handle(self.now(), Input::DeadlinePassed).ok();
        self.poll(run, work)
    }

    fn drive(mut self, run: ScriptedLoop) -> Driven {
        let mut parts = run.into_parts()?;
        let run = &mut parts.run;
        self.now = run.progress().now().since(RunTime::ZERO);
        run.begin(self.now());
        let cut = || WorkError::failed("cut");
        while let Some((id, action)) = run.outstanding() {
            if self.mistake != Mistake::NeverTakesEvents {
                run.take_events();
            }
            match action {
                Action::Iterate { iteration, attempt } => {
                    let mut work = parts.iteration.run(self.mistake.context(run, iteration, attempt));
                    let result = self.poll(run, work.as_mut()).unwrap_or_else(|| Err(cut()));
                    run.iterated(self.now(), id, result.into(), self.mistake.notes(run))?;
                }
                Action::Evaluate => {
                    let check = parts.evaluator.as_mut().ok_or("no check")?;
                    let mut work = check.evaluate(run.evaluation_context().ok_or("no output")?);
                    let result = match self.mistake {
                        Mistake::NeverInterruptsChecks => self.poll_until_deadline(run, work.as_mut()),
                        _ => self.poll(run, work.as_mut()),
                    };
                    let result = result.unwrap_or_else(|| Err(cut()));
                    run.evaluated(self.now(), id, result.into(), self.mistake.notes(run))?;
                }
                Action::Settle => drop(run.settle(self.now())),
                Action::Wait(time) => {
                    let skips = self.mistake == Mistake::SkipsShortWaits && time < Duration::from_millis(5);
                    if self.mistake != Mistake::NeverWaits && !skips {
                        self.poll(run, pin!(pending::<()>()));
                    }
                    run.handle(self.now(), Input::Waited { id }).ok();
                }
                Action::Ask(question) => {
                    let known = run.progress().clone();
                    let mut ask = parts.ask.as_mut().ok_or("nobody to ask")?.ask(&question, &known);
                    let answer = loop {
                        let mut cx = Context::from_waker(Waker::noop());
                        match run.poll(self.now(), &mut cx, ask.as_mut()) {
                            Poll::Ready(answer) => break answer.flatten(),
                            Poll::Pending => {}
                        }
                    };
                    run.handle(self.now(), Input::Answered { id, answer }).ok();
                }
                Action::Finish(_) => break,
                other => return Err(format!("this driver does not know {other:?}").into()),
            }
        }
        parts.run.into_report().ok_or_else(|| "the run has not ended".into())
    }
}

fn faults_of(mistake: Mistake) -> Vec<&'static str> {
    let drive = |run| FaultyDriver { now: Duration::ZERO, mistake }.drive(run);
    cases().iter().filter(|case| case.check(drive).is_err()).map(Case::name).collect()
}

/// Each mistake is found, and only because of the mistake.
#[test]
fn every_mistake_of_a_driver_is_found() {
    assert_eq!(faults_of(Mistake::None), Vec::<&str>::new());
    let missed: Vec<_> = Mistake::ALL.into_iter().filter(|mistake| faults_of(*mistake).is_empty()).collect();
    assert!(missed.is_empty(), "{missed:?}");
}
