#![doc = include_str!("../README.md")]

pub mod backoff;
pub mod checkpoint;
pub mod limit;
pub mod policy;
mod snapshot;
pub mod stagnation;
pub mod stop;

#[cfg(test)]
mod testing;

/// The audit uses its timestamps.
pub use jiff;

pub use self::{
    backoff::Backoff,
    checkpoint::Checkpoint,
    limit::{
        ConsecutiveFailures, MaxCost, MaxElapsed, MaxIterations, MaxTokens, SpendingRate, UnmeteredIterations,
    },
    stagnation::{ScoreGain, Stagnation, StagnationRules},
    stop::{
        AfterIterations, And, Condition, ConditionList, EvaluatorPassed, InvalidScore, NamedCondition, Not,
        Or, OutputMatches, PatternError, ScoreAtLeast, after, all, any, at_least, evaluator_passed,
        output_matches, score_at_least,
    },
};
