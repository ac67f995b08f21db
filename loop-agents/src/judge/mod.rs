//! Evaluators for work that no command can judge.
//!
//! Whether a text answers its question, no exit code says. A model can, and is wrong in its own ways: it
//! refuses, it forgets a criterion, it says yes and no in one breath, it believes an output that praises
//! itself. A loop that takes any of that for a pass stops too early, and nobody looks again. So here
//! **unclear means not passed**: a [`JudgeEvaluator`] counts a vote only if it says everything it was asked,
//! once and without contradiction, and a [`ConfidenceEvaluator`] takes a number only from where it belongs.
//! What is missing is missing; there are no defaults for it.
//!
//! | evaluator | judges | passes |
//! | --- | --- | --- |
//! | [`JudgeEvaluator`] | by criteria, with a model that sees the output and nothing else | if enough votes say that all criteria are met |
//! | [`ConfidenceEvaluator`] | by how sure the agent says it is | from a threshold on |
//! | [`InOrder`] | with several evaluators, one after the other | if all of them pass |
//!
//! All of them read an output as [`Words`].

mod ballot;
mod confidence;
mod evaluator;
mod findings;
mod form;
mod in_order;
mod paper;
mod words;

pub use self::{
    ballot::{MAX_VOTES, Votes, VotesError},
    confidence::{ConfidenceEvaluator, DEFAULT_CONFIDENCE_KEY, ThresholdError},
    evaluator::{CriteriaError, JudgeEvaluator, MAX_CRITERIA},
    in_order::InOrder,
    words::Words,
};
