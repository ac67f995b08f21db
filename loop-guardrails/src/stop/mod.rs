//! Stop conditions: when the goal is met.
//!
//! An agent that decides for itself when it is done stops too early: it says "all tests pass" and they do not. A stop
//! condition looks at the verdict and not at the agent's claims.
//!
//! [`evaluator_passed`] and the combinators come from loop-core, whose type of an evaluated step makes them compile
//! only for a loop with an evaluator. This module re-exports them, so that you find all ready-made conditions in one
//! place.

pub mod count;
pub mod output;
pub mod score;

pub use loop_core::{
    And, Condition, ConditionList, EvaluatorPassed, NamedCondition, Not, Or, all, any, at_least,
    evaluator_passed,
};

pub use self::{
    count::{AfterIterations, after},
    output::{OutputMatches, PatternError, output_matches},
    score::{InvalidScore, ScoreAtLeast, score_at_least},
};
