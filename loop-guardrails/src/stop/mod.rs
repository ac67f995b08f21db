//! When the goal is met.
//!
//! An agent that decides for itself when it is done is done too early: it says "all tests pass" and
//! they do not. A stop condition looks at what was judged, not at what was claimed.
//!
//! [`evaluator_passed`] and the combinators are loop-core's own, since its type of an evaluated step
//! is what makes them compile only for a loop with an evaluator. They stand here as well, so that
//! everything ready-made is found in one place.

pub mod count;
pub mod output;
pub mod score;

pub use loop_core::{
    All, And, Any, AtLeast, EvaluatorPassed, Named, Not, Or, When, all, any, at_least, evaluator_passed,
};

pub use self::{
    count::{After, after},
    output::{OutputMatches, PatternError, output_matches},
    score::{InvalidScore, ScoreAtLeast, score_at_least},
};
