#![doc = include_str!("../README.md")]

mod ask;
mod bound;
mod builder;
mod cancellation;
mod chain;
mod driver;
mod ending;
mod evaluator;
mod event;
mod event_texts;
mod grant;
mod guardrail;
mod iteration;
mod journal;
mod machine;
mod mark;
mod observer;
mod pace;
mod progress;
mod report;
mod run_cost;
mod run_time;
mod shared_budget;
mod step;
mod stop;
mod usage;
mod usd;
mod verdict;
mod work;

/// For your own [`Iteration`], [`Evaluator`] or [`Ask`], whose methods are async: `#[loop_core::async_trait]`.
pub use async_trait::async_trait;

pub use self::{
    ask::{Answer, Ask, Question},
    bound::{MaxElapsed, MaxIterations},
    builder::{
        Bounded, BuildError, DEFAULT_OVERRUN, IsBounded, LaneReports, Lanes, Loop, LoopStep, Unbounded,
        best_of, race,
    },
    cancellation::{CancelOnDrop, CancellationToken},
    chain::Chain,
    driver::{OnLag, RunHandle, RunStream, SuspendedTime, Update},
    ending::{CustomReason, Ending, Halt, StopReason},
    evaluator::{EvaluationContext, Evaluator, EvaluatorFn, evaluator_fn},
    event::{Event, EventKind, Notes, Stage, WorkResult},
    grant::Grant,
    guardrail::{Ceiling, Decision, Guardrail, GuardrailFn, guardrail_fn},
    iteration::{
        Iteration, IterationContext, IterationFn, IterationWith, StatefulFn, iteration_fn, iteration_with,
    },
    journal::{Journal, JournalSync},
    machine::{Action, Input, MAX_ATTEMPTS, MAX_DEFERRALS, Machine},
    mark::Mark,
    observer::Observer,
    pace::{Pace, PaceFn, pace_fn},
    progress::{HistoryError, Phase, Progress},
    report::Report,
    run_cost::RunCost,
    run_time::RunTime,
    shared_budget::{NotEnoughLeft, Reservation, SharedBudget},
    step::{JudgedStep, Step, StepRecord},
    stop::{
        And, Condition, ConditionFn, ConditionList, EvaluatorPassed, NamedCondition, Never, Not, Or,
        StopCondition, all, any, at_least, condition_fn, evaluator_passed, never,
    },
    usage::{Cost, CostQuality, Usage},
    usd::{InvalidUsd, Usd},
    verdict::{Outcome, Verdict},
    work::{MAX_DEPTH, Meter, Work, WorkError, with_causes},
};

/// Any error, where your parts return one to this crate.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The error of an [`Iteration`].
pub type IterationError = WorkError;

/// The error of an [`Evaluator`].
pub type EvaluatorError = WorkError;
