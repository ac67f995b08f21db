#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "tokio"), expect(dead_code, reason = "only the tokio driver uses some of it"))]

mod ask;
mod bound;
mod builder;
mod cancellation;
#[cfg(feature = "tokio")]
mod chain;
#[cfg(feature = "conformance")]
pub mod conformance;
#[cfg(feature = "tokio")]
mod driver;
mod end_signals;
mod ending;
mod evaluator;
mod event;
mod event_texts;
mod grant;
mod guardrail;
mod iteration;
mod iteration_functions;
mod journal;
mod machine;
mod mark;
mod observer;
mod on_lag;
mod pace;
mod parts;
mod progress;
mod report;
mod run;
mod run_cost;
mod run_time;
mod shared_budget;
mod snapshot;
mod step;
mod stop;
mod suspended_time;
mod usage;
mod usd;
mod verdict;
mod versioned;
mod work;

/// For your own [`Iteration`], [`Evaluator`] or [`Ask`], whose methods are async: `#[loop_core::async_trait]`.
pub use async_trait::async_trait;

pub use self::{
    ask::{Answer, Ask, Question},
    bound::{MaxElapsed, MaxIterations},
    builder::{Bounded, BuildError, DEFAULT_OVERRUN, IsBounded, Loop, LoopStep, Unbounded},
    cancellation::{CancelOnDrop, CancellationToken},
    ending::{CustomReason, Ending, Halt, StopReason},
    evaluator::{EvaluationContext, Evaluator, EvaluatorFn, evaluator_fn},
    event::{Event, EventKind, Notes, Stage, WorkResult},
    grant::Grant,
    guardrail::{Ceiling, Decision, Guardrail, GuardrailFn, guardrail_fn},
    iteration::{Iteration, IterationContext},
    iteration_functions::{IterationFn, IterationWith, StatefulFn, iteration_fn, iteration_with},
    journal::{Journal, JournalSync},
    machine::{Action, ActionId, Input, InputEffect, MAX_ATTEMPTS, MAX_DEFERRALS, Machine, RefusedAnswer},
    mark::Mark,
    observer::Observer,
    on_lag::OnLag,
    pace::{Pace, PaceFn, pace_fn},
    parts::Parts,
    progress::{HistoryError, Phase, Progress},
    report::Report,
    run::Run,
    run_cost::RunCost,
    run_time::RunTime,
    shared_budget::{NotEnoughLeft, Reservation, SharedBudget},
    snapshot::{Snapshot, SnapshotError},
    step::{JudgedStep, Step, StepRecord},
    stop::{
        And, Condition, ConditionFn, ConditionList, EvaluatorPassed, NamedCondition, Never, Not, Or,
        StopCondition, all, any, at_least, condition_fn, evaluator_passed, never,
    },
    suspended_time::SuspendedTime,
    usage::{Cost, CostQuality, Usage},
    usd::{InvalidUsd, Usd},
    verdict::{Outcome, Verdict},
    versioned::{FORMAT_VERSION, Versioned},
    work::{MAX_DEPTH, Meter, Work, WorkError, with_causes},
};

#[cfg(feature = "tokio")]
pub use self::{
    builder::{LaneReports, Lanes, best_of, race},
    chain::Chain,
    driver::{RunHandle, RunStream, Update},
};

/// Any error, where your parts return one to this crate.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The error of an [`Iteration`].
pub type IterationError = WorkError;

/// The error of an [`Evaluator`].
pub type EvaluatorError = WorkError;
