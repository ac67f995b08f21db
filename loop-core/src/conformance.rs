//! A kit that checks a driver of your own: scripted loops with faults, limits and cancellations, and what has to come of
//! them.
//!
//! Any driver has to produce the same settled steps, verdicts, usage and ending. Times may differ: the kit has no clock, so
//! it accepts a driver whose time passes too slowly.
//!
//! ```
//! use loop_core::conformance::{ScriptedLoop, cases};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
//! for case in cases() {
//!     case.check(|run: ScriptedLoop| Ok(runtime.block_on(run.run())?))?;
//! }
//! # Ok(())
//! # }
//! ```

mod cases;
mod script;

use std::{
    fmt::Write,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use self::script::{LATE, Script, ScriptedAsk, ScriptedEvaluator, TokenLimit};
pub use self::{cases::cases, script::ScriptedIteration};
use crate::{
    Bounded, BoxError, CancellationToken, Ceiling, Decision, Event, EventKind, Halt, JudgedStep, Loop, Notes,
    Parts, Question, Report, RunTime, SharedBudget, StepRecord, StopReason, Verdict, WorkResult,
    evaluator_passed, guardrail_fn,
};

/// A loop whose parts follow a script. It ends within ten seconds of run time, if the driver tells the machine of
/// deadlines. Its work fails if the driver gives it a wrong context.
pub type ScriptedLoop = Loop<ScriptedIteration, JudgedStep<u64>, Bounded>;

/// Composes a scripted loop again.
pub type Recompose = Box<dyn Fn() -> ScriptedLoop + Send + Sync>;

/// The token that cancels a run, and the one that ends it with a reason of its own.
type Ends = (CancellationToken, CancellationToken);

/// One thing that scripted work does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    /// Is not ready once, and wakes its task.
    Yield,
    /// Reports this many tokens.
    Report(u64),
    /// Defers itself, at the first try.
    Defer,
    /// Cancels the run.
    Cancel,
    /// Ends the run with a reason of its own.
    EndRun,
    /// Waits until it is interrupted.
    Hang,
    /// Never ends, not even when it is interrupted.
    Ignore,
    /// Notes a fault.
    Fault,
    /// Notes a mark, and work that was cut.
    Note,
    /// Reports that the costs are at least this many dollars, and then that they are known.
    Cost(u64),
    Fail,
    Halt,
}

/// How somebody reacts to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reaction {
    /// Yes, with guidance.
    Yes,
    /// Yes, after [`LATE`].
    Late,
    No,
    Nobody,
    /// Cancels the run, and never answers.
    Cancel,
}

/// A scripted loop, and what has to come of it. Created by [`cases`].
#[derive(Debug, Clone)]
pub struct Case {
    name: &'static str,
    /// The acts of each iteration; an iteration beyond them does nothing.
    agent: Vec<Vec<Act>>,
    /// The acts of each evaluation.
    judge: Vec<Vec<Act>>,
    /// The iteration whose output passes.
    passes_at: u64,
    at_most: u64,
    max_tokens: Option<u64>,
    /// The limit of a budget that the loop shares.
    max_shared_tokens: Option<u64>,
    max_time: Duration,
    /// How long a report over a limit may wait.
    overrun: Duration,
    pace: Duration,
    cancels_in_wait: bool,
    /// The reactions to the question before the second iteration. Without any, there is no question.
    reactions: Vec<Reaction>,
    /// The run died in its second iteration, and is resumed.
    is_resumed: bool,
    /// When it died.
    died_at: RunTime,
    expected: &'static str,
}

/// The error of a driver that does something else than the script demands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the driver fails the case \"{name}\"\nexpected:\n{expected}\nfound:\n{found}")]
pub struct Deviation {
    name: &'static str,
    expected: String,
    found: String,
}

impl Case {
    /// Returns what the case is about.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Lets the driver run the loop, and compares what came of it.
    ///
    /// # Errors
    /// [`Deviation`] with a description of both, if they differ or if the driver fails.
    pub fn check(
        &self,
        drive: impl FnOnce(ScriptedLoop) -> Result<Report<u64>, BoxError>,
    ) -> Result<(), Deviation> {
        self.check_moved(|run, _| drive(run))
    }

    /// Like [`check`](Self::check), for a driver that stores a run and continues it elsewhere. Its second argument composes
    /// the loop again, for [`resume_snapshot`](Loop::resume_snapshot): the work and the evaluator stay those of the first
    /// loop.
    ///
    /// # Errors
    /// [`Deviation`] with a description of both, if they differ or if the driver fails.
    pub fn check_moved(
        &self,
        drive: impl FnOnce(ScriptedLoop, Recompose) -> Result<Report<u64>, BoxError>,
    ) -> Result<(), Deviation> {
        let steps = Arc::new(Mutex::new(String::new()));
        let ends = (CancellationToken::new(), CancellationToken::new());
        let (case, again, same_ends) = (self.clone(), Arc::clone(&steps), ends.clone());
        let recompose = Box::new(move || case.first_run(Arc::clone(&again), same_ends.clone()));
        let found = match drive(self.compose(Arc::clone(&steps), ends), recompose) {
            Ok(report) => described(&locked(&steps), &report),
            Err(error) => format!("the driver failed: {error}"),
        };
        let expected = self.expected.trim();
        match found.trim() == expected {
            true => Ok(()),
            false => Err(Deviation { name: self.name, expected: expected.to_owned(), found }),
        }
    }

    fn compose(&self, steps: Arc<Mutex<String>>, ends: Ends) -> ScriptedLoop {
        let run = self.first_run(steps, ends);
        if !self.is_resumed {
            return run;
        }
        let died = self.first_run(Arc::default(), Ends::default()).into_parts();
        let died = died.map(|parts| until_second_iteration(parts, self.died_at));
        run.resume(died.unwrap_or_default(), Some(1))
    }

    fn first_run(&self, steps: Arc<Mutex<String>>, (cancel, ends): Ends) -> ScriptedLoop {
        let known = Arc::default();
        let script = |acts: &[Vec<Act>]| Script::new(self, acts, (&cancel, &ends), Arc::clone(&known));
        let judge = ScriptedEvaluator { script: script(&self.judge), passes_at: self.passes_at };
        let mut run = Loop::new(ScriptedIteration::new(script(&self.agent)))
            .evaluate(judge)
            .until(evaluator_passed())
            .at_most(self.at_most)
            .at_most_for(self.max_time)
            .halt_on(async move {
                ends.cancelled().await;
                Halt::new(StopReason::custom("closed"), "")
            });
        if let Some(limit) = self.max_tokens {
            run = run.guard(TokenLimit(limit));
        }
        if let Some(limit) = self.max_shared_tokens {
            run = run.share(&SharedBudget::new(Ceiling::tokens(limit)));
        }
        if !self.reactions.is_empty() {
            let question = Question::new("Go on?", Halt::new(StopReason::HitlCheckpoint, "nobody is there"));
            run = run.guard(guardrail_fn("checkpoint", move |progress| match progress.iterations() {
                1 => Decision::Ask(question.clone()),
                _ => Decision::Continue,
            }));
            run = run.on_ask(ScriptedAsk { reactions: self.reactions.clone(), cancel: cancel.clone() });
        }
        let (cancels_in_wait, token) = (self.cancels_in_wait, cancel.clone());
        let mut times = Times::default();
        let observer = move |event: &Event, progress: &crate::Progress| {
            times.fault(event).into_iter().for_each(|fault| locked(&steps).push_str(fault));
            match &event.kind {
                EventKind::StepSettled { .. } => progress.last_step().into_iter().for_each(|step| {
                    describe_step(&mut locked(&steps), step);
                }),
                EventKind::WaitStarted { .. } if cancels_in_wait => token.cancel(),
                _ => {}
            }
        };
        let run = run.observe(observer).pace(self.pace).grace(Duration::from_millis(20));
        run.overrun(self.overrun).cancel_on(cancel)
    }
}

/// Finds mistakes with run time.
#[derive(Default)]
struct Times {
    last: RunTime,
    /// The end of the latest wait.
    wait_ends: RunTime,
    asked: RunTime,
}

impl Times {
    fn fault(&mut self, event: &Event) -> Option<&'static str> {
        let before = std::mem::replace(&mut self.last, event.at);
        match event.kind {
            _ if event.at < before => return Some("run time went back\n"),
            EventKind::WaitStarted { duration, .. } => self.wait_ends = event.at.after(duration),
            EventKind::IterationStarted { .. } | EventKind::EvaluationStarted {}
                if event.at < self.wait_ends =>
            {
                return Some("a wait was too short\n");
            }
            EventKind::QuestionAsked { .. } => self.asked = event.at,
            EventKind::QuestionAnswered { .. } if event.at.since(self.asked) >= LATE => {
                return Some("run time passed during a question\n");
            }
            _ => {}
        }
        None
    }
}

/// Returns the events of a run whose first iteration was done at this time, and which died in the second.
fn until_second_iteration(parts: Parts<ScriptedIteration>, at: RunTime) -> Vec<Event> {
    let mut run = parts.run;
    run.begin(RunTime::ZERO);
    let outstanding = |run: &crate::Run<u64>| run.outstanding().map(|(id, _)| id);
    if let Some(id) = outstanding(&run) {
        run.iterated(at, id, WorkResult::Done(1), Notes::default()).ok();
    }
    if let Some(id) = outstanding(&run) {
        run.evaluated(at, id, WorkResult::Done(Verdict::fail()), Notes::default()).ok();
    }
    run.settle(at);
    run.take_events().collect()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds a line about a settled step.
fn describe_step(text: &mut String, step: &StepRecord) {
    let result = match (step.failure(), step.fault()) {
        (Some(failure), _) => failure,
        (None, Some(fault)) => fault,
        (None, None) => "done",
    };
    let verdict = step.verdict().map_or_else(|| "none".to_owned(), |verdict| verdict.outcome().to_string());
    let tokens = step.usage().tokens().unwrap_or(0);
    let noted = step.marks().iter().map(|mark| format!(", mark {}", mark.name));
    let cut = step.cut_work().map(|work| format!(", cut {work}"));
    let cost = step.usage().cost.map(|cost| format!(", {} {:?}", cost.usd, cost.quality));
    let noted: String = noted.chain(cut).chain(cost).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "step {}: {result}, verdict {verdict}, {tokens} tokens{noted}", step.iteration());
}

fn described(steps: &str, report: &Report<u64>) -> String {
    let tokens = report.usage().tokens().unwrap_or(0);
    let iterations = report.iterations();
    format!("{steps}{}, {iterations} iterations, {tokens} tokens", report.ending().name())
}
