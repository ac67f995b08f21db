//! A generated world: all that the parts of a run do, and all that happens to it.

pub(crate) mod chaos;
mod generate;
mod goal;
mod live;
mod rail;
mod reading;
mod sim;

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
    generate::{settings, unlimited, usages, worlds},
    goal::{Goal, GoalState},
    live::Live,
    rail::{Guard, Probe, Rail, Rule},
    reading::{Pauses, Reading},
    sim::{Run, Sim, Told, machine as sim_machine, usage_of},
};

/// What the parts of a run do at each index, and what happens to the run.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) evaluated: bool,
    pub(crate) goal: Goal,
    /// What the iteration does at each index, from 1 and over again.
    pub(crate) agent: Vec<Job>,
    /// What the evaluator does at each index.
    pub(crate) judge: Vec<Job>,
    pub(crate) rails: Vec<Rail>,
    /// The pace's delay before each index, over again.
    pub(crate) delays: Vec<Duration>,
    /// Who is asked what at which index decides on one of these.
    pub(crate) answers: Vec<Option<Answer>>,
    /// When the run is cancelled.
    pub(crate) cancel: Option<Duration>,
    /// Somebody cancels it while this question is open, counted from 0.
    pub(crate) cancel_at_question: Option<usize>,
    /// Usage that comes late, from nowhere: before the nth action is done.
    pub(crate) strays: Vec<(usize, Usage)>,
}

/// One piece of work.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    /// It says "later" so often before it does its work, and for so long.
    pub(crate) put_off: Vec<Duration>,
    /// What it reports in its middle, each so long after the one before.
    pub(crate) reports: Vec<(Duration, Usage)>,
    /// From its last report to its end.
    pub(crate) last: Duration,
    pub(crate) end: End,
    pub(crate) notes: Notes,
    /// What it reports once it is interrupted, and after how long it comes to its end.
    pub(crate) in_grace: (Usage, Duration),
}

impl Job {
    /// With the waits until it is tried again.
    pub(crate) fn time(&self) -> Duration {
        let reports = self.reports.iter().map(|(after, _)| *after);
        self.put_off.iter().copied().chain(reports).sum::<Duration>() + self.last
    }
}

/// How a piece of work ends.
#[derive(Debug, Clone)]
pub(crate) enum End {
    /// An iteration ignores the verdict.
    Done(Verdict),
    Failed,
    Halted(StopReason),
}

impl World {
    pub(crate) fn job(&self, stage: Stage, iteration: u64) -> &Job {
        let jobs = match stage {
            Stage::Iteration => &self.agent,
            Stage::Evaluation => &self.judge,
        };
        &jobs[(iteration - 1) as usize % jobs.len()]
    }

    /// The delay before the iteration after `iterations` others.
    pub(crate) fn delay(&self, iterations: u64) -> Duration {
        self.delays[iterations as usize % self.delays.len()]
    }

    /// What is answered to the rail with this id before the iteration after `iterations` others.
    pub(crate) fn answer(&self, id: u64, iterations: u64) -> Option<Answer> {
        self.answers[(id + iterations) as usize % self.answers.len()].clone()
    }

    /// The run time at which this iteration ends, if nothing is cut before.
    pub(crate) fn end_of(&self, iteration: u64) -> Duration {
        let steps = (1..=iteration).map(|index| {
            let judged =
                if self.evaluated && index < iteration { self.judge(index).time() } else { Duration::ZERO };
            let delay = if index > 1 { self.delay(index - 1) } else { Duration::ZERO };
            delay + self.job(Stage::Iteration, index).time() + judged
        });
        steps.sum()
    }

    fn judge(&self, iteration: u64) -> &Job {
        self.job(Stage::Evaluation, iteration)
    }

    /// The smallest bound on iterations among the rails.
    pub(crate) fn bound(&self) -> u64 {
        let bounds = self.rails.iter().filter_map(|rail| match rail.rule {
            Rule::Iterations(count) => Some(count),
            _ => None,
        });
        bounds.min().expect("every world has a bound")
    }
}

/// Holds a law against at least 1,000 generated cases; `PROPTEST_CASES` raises the number, and mutation testing,
/// which runs all of this hundreds of times, divides it by `LAW_CASES_DIVISOR`.
#[track_caller]
pub(crate) fn holds<S: Strategy>(cases: S, law: impl Fn(S::Value)) {
    check(1_000, cases, law);
}

/// The same for a law's further properties, with at least 256 cases.
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
        // Much cheaper than the default without optimization, where most of the time went.
        rng_algorithm: RngAlgorithm::XorShift,
        // Each run of the tests tries the same cases; PROPTEST_RNG_SEED tries others.
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

/// The indexes at which events are of this kind.
pub(crate) fn places(events: &[Event], is: impl Fn(&EventKind) -> bool) -> Vec<usize> {
    (0..events.len()).filter(|&index| is(&events[index].kind)).collect()
}

/// An event as it comes back from a journal.
pub(crate) fn through_json(event: &Event) -> Event {
    let line = serde_json::to_string(event).expect("an event is written");
    serde_json::from_str(&line).expect("an event is read")
}
