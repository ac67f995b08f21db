//! A generated scenario: the behaviour of all parts of a run, and the inputs from outside.

mod disk;
mod driven_run;
mod generate;
mod goal;
mod guardrails;
pub(crate) mod random_inputs;
mod read_mode;
mod report_log;
mod simulator;
pub(crate) mod tell;

use std::{
    sync::{Mutex, MutexGuard},
    time::Duration,
};

use loop_core::{Answer, Event, EventKind, Notes, Stage, StopReason, Usage, Verdict};
use proptest::{
    strategy::Strategy,
    test_runner::{Config, RngAlgorithm, RngSeed, TestRunner},
};

pub(crate) use self::{
    disk::{Death, Disk},
    driven_run::{DrivenRun, Within, last_output, virtual_time},
    generate::{scenarios, settings, times, unlimited, usages},
    goal::{Goal, GoalState},
    guardrails::{GuardrailSpec, Probe, Rule, TestGuardrail},
    read_mode::{ReadMode, ReaderPauses},
    simulator::{Exchange, Run, Simulator, machine as simulator_machine, usage_of},
};

/// The behaviour of a run's parts at each index, and the inputs from outside.
#[derive(Debug, Clone)]
pub(crate) struct Scenario {
    pub(crate) evaluated: bool,
    /// An evaluated run begins with an evaluation, of the output 0.
    pub(crate) evaluates_first: bool,
    pub(crate) goal: Goal,
    /// The behaviour of the iteration at each index from 1; repeats from the start.
    pub(crate) agent: Vec<Job>,
    /// The behaviour of the evaluator at each index. An evaluation before the first iteration behaves like the last.
    pub(crate) judge: Vec<Job>,
    pub(crate) guardrails: Vec<GuardrailSpec>,
    /// The pace's delay before each index; repeats from the start.
    pub(crate) delays: Vec<Duration>,
    /// The possible answers to questions. The guardrail and the index choose one.
    pub(crate) answers: Vec<Option<Answer>>,
    /// The time of a cancellation.
    pub(crate) cancel: Option<Duration>,
    /// The question, counted from 0, during which the run is cancelled.
    pub(crate) cancel_at_question: Option<usize>,
    /// Late usage without work: the number of the action before which it comes, and its amount.
    pub(crate) strays: Vec<(usize, Usage)>,
}

/// One piece of work.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    /// How often the work is deferred before it is done, and for how long each time.
    pub(crate) deferrals: Vec<Duration>,
    /// The reports during the work, each with its delay after the previous one.
    pub(crate) reports: Vec<(Duration, Usage)>,
    /// The time from the last report to the end.
    pub(crate) last: Duration,
    pub(crate) end: End,
    pub(crate) notes: Notes,
    /// The usage that it reports after an interrupt, and the time that it then needs to end.
    pub(crate) in_grace: (Usage, Duration),
}

impl Job {
    /// Returns the time with the waits of deferrals.
    pub(crate) fn time(&self) -> Duration {
        let reports = self.reports.iter().map(|(after, _)| *after);
        self.deferrals.iter().copied().chain(reports).sum::<Duration>() + self.last
    }
}

/// The end of a piece of work.
#[derive(Debug, Clone)]
pub(crate) enum End {
    /// In an iteration, the verdict is ignored.
    Done(Verdict),
    Failed,
    Halted(StopReason),
}

impl Scenario {
    pub(crate) fn job(&self, stage: Stage, iteration: u64) -> &Job {
        let jobs = match stage {
            Stage::Iteration => &self.agent,
            Stage::Evaluation => &self.judge,
        };
        &jobs[(iteration as usize + jobs.len() - 1) % jobs.len()]
    }

    /// Returns the delay before the iteration that follows `iterations` others.
    pub(crate) fn delay(&self, iterations: u64) -> Duration {
        self.delays[iterations as usize % self.delays.len()]
    }

    /// Returns the answer to the guardrail with this id before the iteration that follows `iterations` others.
    pub(crate) fn answer(&self, id: u64, iterations: u64) -> Option<Answer> {
        self.answers[(id + iterations) as usize % self.answers.len()].clone()
    }

    /// Returns the run time at which this iteration ends, if nothing is cut before.
    pub(crate) fn end_of(&self, iteration: u64) -> Duration {
        let first =
            if self.evaluated && self.evaluates_first { self.judge(0).time() } else { Duration::ZERO };
        let steps = (1..=iteration).map(|index| {
            let judged =
                if self.evaluated && index < iteration { self.judge(index).time() } else { Duration::ZERO };
            let delay = if index > 1 { self.delay(index - 1) } else { Duration::ZERO };
            delay + self.job(Stage::Iteration, index).time() + judged
        });
        first + steps.sum::<Duration>()
    }

    fn judge(&self, iteration: u64) -> &Job {
        self.job(Stage::Evaluation, iteration)
    }

    /// Returns the smallest bound on iterations among the guardrails.
    pub(crate) fn bound(&self) -> u64 {
        let bounds = self.guardrails.iter().filter_map(|guardrail| match guardrail.rule {
            Rule::Iterations(count) => Some(count),
            _ => None,
        });
        bounds.min().expect("every scenario has a bound")
    }
}

/// Checks a law with at least 1,000 generated cases. `PROPTEST_CASES` raises the number. Mutation testing runs all laws
/// hundreds of times, and divides it by `LAW_CASES_DIVISOR`.
#[track_caller]
pub(crate) fn holds<S: Strategy>(cases: S, law: impl Fn(S::Value)) {
    check(1_000, cases, law);
}

/// Checks a further property of a law with at least 256 cases.
#[track_caller]
pub(crate) fn also_holds<S: Strategy>(cases: S, law: impl Fn(S::Value)) {
    check(256, cases, law);
}

#[track_caller]
fn check<S: Strategy>(at_least: u32, cases: S, law: impl Fn(S::Value)) {
    let config = Config::default();
    let divisor = std::env::var("LAW_CASES_DIVISOR").map_or(1, |divisor| divisor.parse().expect("a number"));
    let config = Config {
        cases: config.cases.max(at_least) / divisor,
        failure_persistence: None,
        // Without optimization this is much faster than the default, which used most of the time.
        rng_algorithm: RngAlgorithm::XorShift,
        // Each test run tries the same cases; `PROPTEST_RNG_SEED` chooses others.
        rng_seed: match config.rng_seed {
            RngSeed::Random => RngSeed::Fixed(13),
            chosen => chosen,
        },
        ..config
    };
    let tried = TestRunner::new(config).run(&cases, |case| {
        law(case);
        Ok(())
    });
    if let Err(broken) = tried {
        panic!("{broken}");
    }
}

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nobody panicked with it")
}

/// Returns the indexes of the events of this kind.
pub(crate) fn places(events: &[Event], is: impl Fn(&EventKind) -> bool) -> Vec<usize> {
    (0..events.len()).filter(|&index| is(&events[index].kind)).collect()
}

/// Returns an event after a journal has stored and read it.
pub(crate) fn through_json(event: &Event) -> Event {
    let line = serde_json::to_string(event).expect("an event is written");
    serde_json::from_str(&line).expect("an event is read")
}
